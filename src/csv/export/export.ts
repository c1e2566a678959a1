import { type CopyOut, openCopy } from '../../db/copy'
import type { Db } from '../../db/pool/open'
import type { Semaphore } from '../../db/pool/semaphore'
import { Failure, invalidRequest, unavailable } from '../../errors'
import { translatable } from '../../messages/message'
import { asFormat, type Statement } from '../../records/query/sql/statement'
import { throwReadFailure } from '../../records/store/errors'
import type { ExportFormat } from './export-format'
import type { ExportOutcome } from './log'

export type ExportRequest = {
  statement: Statement
  format: ExportFormat
  /** `firstMs` is the limit for the first rows, which take most of the time of an expensive query. */
  limits: { wholeMs: number; firstMs: number; idleMs: number }
  /** The user. Waiting exports take turns by user. */
  caller: string
  /** Aborted when the client leaves. */
  signal: AbortSignal
}

/**
 * Called once, when the export has succeeded or failed and before the last byte is sent. `error` is an error of the
 * service, not of the reader.
 */
type Ended = (outcome: ExportOutcome, error?: unknown) => Promise<void>

/**
 * Begins an export: runs the query and waits for its first rows, so that its errors can still be answered.
 * @returns the body; a later error aborts it, so that an incomplete body never looks complete
 * @throws Failure not_found, conflict, invalid_request, query_timeout, unavailable
 */
export async function startExport(db: Db, gate: Semaphore, request: ExportRequest, ended: Ended): Promise<ReadableStream<Uint8Array>> {
  const leave = await gate.acquire(request.caller, request.signal).catch((error) => {
    throw request.signal.aborted ? clientLeft() : error
  })
  try {
    const { copy, first } = await beginCopy(db, request).catch(throwReadFailure)
    return bodyOf(copy, first, request, async (outcome, error) => {
      await copy.end()
      leave()
      await ended(outcome, error)
    })
  } catch (error) {
    leave()
    throw error
  }
}

/** @throws Failure query_timeout, unavailable if the reader has disconnected; the query has then ended */
async function beginCopy(db: Db, request: ExportRequest): Promise<{ copy: CopyOut; first: Buffer | null }> {
  const { limits, signal } = request
  const beginning = new AbortController()
  const leave = () => beginning.abort(clientLeft())
  const timer = setTimeout(() => beginning.abort(tooSlow()), limits.firstMs)
  signal.addEventListener('abort', leave)
  if (signal.aborted) leave()
  try {
    const copy = await openCopy(db.bulk, limits.wholeMs, beginning.signal, (tx) => copyText(tx, request))
    return { copy, first: await copy.next() }
  } catch (error) {
    beginning.signal.throwIfAborted()
    throw error
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', leave)
  }
}

const clientLeft = () => unavailable(translatable('The client closed the connection.'))

const tooSlow = () =>
  new Failure('query_timeout', translatable('The first rows took longer than allowed, and the export was cancelled.'), {
    hint: translatable('Use a narrower filter or fewer columns.'),
    headers: { 'retry-after': '5' },
  })

type UnsafeSql = { unsafe: (text: string, values: (string | null)[]) => PromiseLike<{ text: string }[]> }

/**
 * `copy` takes no parameters, so PostgreSQL itself writes the values into the text: the one place where a value becomes
 * SQL.
 */
async function copyText(tx: unknown, { statement, format }: ExportRequest): Promise<string> {
  const { parameters } = statement
  const places = parameters.map((_, index) => `, $${index + 2}::text`)
  const values = [asFormat(statement), ...parameters]
  const asking = tx as UnsafeSql
  const [row] = await asking.unsafe(`select pg_catalog.format($1::text${places.join('')}) as text`, values)
  if (format.maxRecords !== undefined) {
    const counted = `select count(*)::text as text from (select from (${row!.text}) r limit ${format.maxRecords + 1}) c`
    const [count] = await asking.unsafe(counted, [])
    if (Number(count!.text) > format.maxRecords) throw tooManyRecords(format.maxRecords)
  }
  return `copy (${row!.text}) to stdout with (${format.copyOptions})`
}

const tooManyRecords = (most: number) =>
  invalidRequest(
    translatable('This format holds at most {most} records; the query returns more.', { most: most.toLocaleString('en') }),
    translatable('Export them as CSV, or request fewer with a narrower filter or "limit".'),
  )

/** The chunks of the file, without empty ones. */
async function* encode(copy: CopyOut, first: Buffer | null, { begin, write, end }: ExportFormat): AsyncGenerator<Uint8Array, undefined> {
  const begun = await begin()
  if (begun.length) yield begun
  for (let chunk = first; chunk; chunk = await copy.next()) {
    const written = await write(chunk)
    if (written.length) yield written
  }
  const last = await end()
  if (last.length) yield last
}

/** Read on demand: PostgreSQL sends no more than the reader accepts. */
function bodyOf(copy: CopyOut, first: Buffer | null, { limits, signal, format }: ExportRequest, ended: Ended): ReadableStream<Uint8Array> {
  const hash = new Bun.CryptoHasher('sha256')
  let bytes = 0
  let isOver = false
  let controller: ReadableStreamDefaultController<Uint8Array>
  const finish = async (state: ExportOutcome['state'], error?: unknown) => {
    if (isOver) return
    isOver = true
    clearTimeout(idle)
    clearTimeout(whole)
    const isWhole = state === 'complete'
    await ended({ state, bytes, rows: isWhole ? copy.rows() : null, sha256: isWhole ? hash.digest('hex') : null }, error)
  }
  // An error breaks the connection without the chunk that would end the body properly. It is thrown without a value,
  // because Bun would print the source lines of an error to standard error.
  const fail = (reason: string) => {
    if (isOver) return
    controller.error()
    void finish('failed', new Error(reason))
  }
  const whole = setTimeout(() => fail('The export took longer than ROWHOUSE_TRANSFER_TIMEOUT allows.'), limits.wholeMs)
  const waitForReader = () => setTimeout(() => fail('The reader of the export stalled.'), limits.idleMs)
  let idle = waitForReader()
  const pieces = encode(copy, first, format)
  const send = (chunk: Uint8Array) => {
    hash.update(chunk)
    bytes += chunk.byteLength
    controller.enqueue(chunk)
    idle = waitForReader()
  }
  // If a client leaves before the first pull, `cancel` is never called.
  signal.addEventListener('abort', () => void finish('cancelled'))
  if (signal.aborted) void finish('cancelled')
  return new ReadableStream<Uint8Array>(
    {
      start: (given) => {
        controller = given
      },
      pull: async () => {
        clearTimeout(idle)
        try {
          const { value } = await pieces.next()
          if (isOver) return
          if (value) return send(value)
          await finish('complete')
          controller.close()
        } catch (error) {
          if (isOver) return
          // Recorded before the reader can notice the end.
          await finish('failed', error)
          controller.error()
        }
      },
      cancel: () => finish('cancelled'),
    },
    { highWaterMark: 0 },
  )
}
