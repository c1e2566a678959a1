import type { Readable, Writable } from 'node:stream'
import { finished } from 'node:stream/promises'
import type { Sql, TransactionSql } from 'postgres'

/** What `copy (…) to stdout` sends, from its first bytes on. */
export type CopyOut = {
  /** The next bytes: whole rows, several at a time; null at the end. What is not asked for waits in PostgreSQL. */
  next: () => Promise<Buffer | null>
  /** How many rows there were, once `next` gave null. */
  rows: () => number
  /** Ends the query at once, if it is still running, and gives the connection back. Never throws. */
  end: () => Promise<void>
}

/** As the patched driver hands it out: `rows` is set at its end (docs/decisions/005). */
type RowStream = Readable & { rows?: number }
type Begun = { stream: RowStream; cancel: () => Promise<unknown> }

/**
 * Runs `copy` in a read-only transaction of its own, which ends with the last bytes or with `end`. PostgreSQL says
 * nothing before it has the first rows.
 * @param signal ends it until then
 * @param textOf makes the text of the query; it may ask the database for it
 */
export async function openCopy(
  sql: Sql,
  limitMs: number,
  signal: AbortSignal,
  textOf: (tx: TransactionSql) => Promise<string>,
): Promise<CopyOut> {
  let running: Promise<unknown> = Promise.resolve()
  const { stream, cancel } = await new Promise<Begun>((done, fail) => {
    running = sql.begin('read only', async (tx) => {
      // Values are written as JSON has them, whatever the role or the database is set to.
      await tx.unsafe(`set local statement_timeout = ${limitMs}; set local datestyle = 'ISO, YMD'; set local timezone = 'UTC'`)
      const query = tx.unsafe(await textOf(tx))
      signal.throwIfAborted()
      signal.addEventListener('abort', () => void query.cancel(), { once: true })
      const opened = (await query.readable()) as unknown as RowStream
      done({ stream: opened, cancel: async () => query.cancel() })
      await finished(opened, { writable: false })
    })
    running.catch(fail)
  })
  const next = chunksOf(stream)
  return {
    next: async () => {
      const chunk = await next()
      if (chunk === null) await running
      return chunk
    },
    rows: () => stream.rows ?? 0,
    end: async () => {
      if (stream.readableEnded) return
      await cancel().catch(() => {})
      stream.destroy()
      await running.catch(() => {})
    },
  }
}

/** As `openCopy`, in the caller's transaction, which it has for itself until the last bytes. */
export async function copyOut(tx: Pick<Sql, 'unsafe'>, text: string): Promise<CopyOut> {
  const stream = (await tx.unsafe(text).readable()) as unknown as RowStream
  return { next: chunksOf(stream), rows: () => stream.rows ?? 0, end: async () => void stream.destroy() }
}

/** Reads what has come, in one piece; a stream's own iterator hides whether it has ended or was ended. */
function chunksOf(stream: RowStream): () => Promise<Buffer | null> {
  let wake = () => {}
  for (const event of ['readable', 'end', 'error', 'close']) stream.on(event, () => wake())
  return async () => {
    for (;;) {
      const chunk: Buffer | null = stream.read()
      if (chunk !== null) return chunk
      if (stream.errored) throw stream.errored
      if (stream.readableEnded) return null
      if (stream.destroyed) throw new Error('The rows were ended.')
      await new Promise<void>((done) => {
        wake = done
      })
    }
  }
}

/** A `copy … from stdin` that has begun. `write` waits until PostgreSQL takes more. */
export type CopyIn = { write: (chunk: Uint8Array) => Promise<void>; end: () => Promise<void>; abandon: (error: unknown) => void }

/** @throws what PostgreSQL says, also at the end */
export async function openCopyIn(tx: Pick<Sql, 'unsafe'>, text: string): Promise<CopyIn> {
  const stream = (await tx.unsafe(text).writable()) as unknown as Writable
  let wake = () => {}
  for (const event of ['drain', 'error', 'finish', 'close']) stream.on(event, () => wake())
  const until = async (isDone: () => boolean) => {
    for (;;) {
      if (stream.errored) throw stream.errored
      if (isDone()) return
      if (stream.destroyed) throw new Error('The copy was ended.')
      await new Promise<void>((done) => {
        wake = done
      })
    }
  }
  return {
    write: async (chunk) => {
      if (!stream.write(chunk)) await until(() => !stream.writableNeedDrain)
    },
    end: () => {
      stream.end()
      return until(() => stream.writableFinished)
    },
    abandon: (error) => void stream.destroy(error as Error),
  }
}

/**
 * Writes everything that `chunks` gives into `copy … from stdin`, in the rhythm in which PostgreSQL takes it. When the
 * source throws, the copy fails, and so does the transaction around it.
 * @throws what PostgreSQL says, also at the end; or what the source threw
 */
export async function copyIn(tx: Pick<Sql, 'unsafe'>, text: string, chunks: AsyncIterable<Uint8Array>): Promise<void> {
  const copy = await openCopyIn(tx, text)
  try {
    for await (const chunk of chunks) await copy.write(chunk)
    await copy.end()
  } catch (error) {
    copy.abandon(error)
    throw error
  }
}
