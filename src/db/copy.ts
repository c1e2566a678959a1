import type { Readable, Writable } from 'node:stream'
import { finished } from 'node:stream/promises'
import type { Sql, TransactionSql } from 'postgres'

/** The output of `copy (…) to stdout`, from its first bytes on. */
export type CopyOut = {
  /** The next bytes: whole rows, several at a time; null at the end. Unread output waits in PostgreSQL. */
  next: () => Promise<Buffer | null>
  /** The number of rows, once `next` has returned null. */
  rows: () => number
  /** Ends the query at once if it is still running, and releases the connection. Never throws. */
  end: () => Promise<void>
}

/** The form that the patched driver returns; it sets `rows` at the end (docs/decisions/005). */
type RowStream = Readable & { rows?: number }
type Begun = { stream: RowStream; cancel: () => Promise<unknown> }

/**
 * Runs `copy` in a read-only transaction of its own, which ends with the last bytes or with `end`. PostgreSQL sends
 * nothing before it has the first rows.
 * @param signal aborts it before that
 * @param textOf makes the text of the query; it may query the database
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
      // Values are written as in JSON, whatever the settings of the role or the database.
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

/** Like `openCopy`, in the caller's transaction, which must not be used for anything else until the last bytes. */
export async function copyOut(tx: Pick<Sql, 'unsafe'>, text: string): Promise<CopyOut> {
  const stream = (await tx.unsafe(text).readable()) as unknown as RowStream
  return { next: chunksOf(stream), rows: () => stream.rows ?? 0, end: async () => void stream.destroy() }
}

/**
 * Reads everything received so far in one piece. A stream's own iterator hides whether the stream ended or was
 * destroyed.
 */
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

/** A `copy … from stdin` in progress. `write` waits until PostgreSQL accepts more. */
export type CopyIn = { write: (chunk: Uint8Array) => Promise<void>; end: () => Promise<void>; abandon: (error: unknown) => void }

/** @throws PostgreSQL's error, also at the end */
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
 * Writes all `chunks` to `copy … from stdin`, as fast as PostgreSQL accepts them. If the source throws, the copy fails,
 * and with it the surrounding transaction.
 * @throws PostgreSQL's error, also at the end; or the error of the source
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
