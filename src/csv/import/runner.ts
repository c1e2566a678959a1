import type { Actor } from '../../auth/identity/actor'
import { databaseFailure } from '../../db/errors'
import { besideRequest, outsideOfScopes } from '../../db/pool/scope'
import { type BusyMessage, createSemaphore } from '../../db/pool/semaphore'
import type { Deps } from '../../deps'
import { conflict, Failure } from '../../errors'
import { languageOf } from '../../http/request/language'
import { infoOf } from '../../http/request/request-info'
import { pathOf } from '../../http/request/url'
import { problemText } from '../../http/response/errors'
import { translatable } from '../../messages/message'
import { inLanguage } from '../../messages/translation'
import { unlessRunning } from '../../unless-running'
import { createDiskSpace, writtenBytes } from './disk-space'
import type { ImportJob } from './import'
import { openKeyedFile } from './keyed-file'
import { beginImport, completeImport, failImport, importCancelled, noteRows, renewEveryMs, renewImport, startQueuedImport } from './log'
import { prefersAsync, type RequestTimeout, readUploadedFile, requestTimeout, type UploadedFile } from './request'
import { type SpooledFile, spoolFile } from './spool'
import { openUpload } from './upload'

/** The maximum time that a request waits for its turn among the running imports. */
const importWaitMs = 5000

/** The number of imports of one user that may wait on this instance. Each keeps its file on the disk. */
const maxQueued = 10

type ImportRequest = {
  request: Request
  actor: Actor
  /**
   * Called when the file has arrived, and again when a queued import has its turn.
   * @returns the id of the table, null for a new one
   * @throws Failure when the caller may no longer import
   */
  check: () => Promise<string | null>
}
type RunningImport = Pick<ImportJob, 'limitMs' | 'signal' | 'beforeWrite' | 'beforeCommit'> & {
  /** Writes a file that must be read twice to the disk. */
  spool: (source: ImportJob['source']) => Promise<SpooledFile>
}
type ImportWork = (job: RunningImport, open: () => Promise<UploadedFile>) => Promise<object>

/** Carries the stored response of an earlier import out of the transaction, which is rolled back. */
class Answered extends Error {
  constructor(readonly response: Response) {
    super('The import was done before.')
  }
}

/** An import that continues after its request. `state` is its state at the response; `end` stops the renewals. */
type Accepted = { id: string; state: 'queued' | 'running'; end: () => void }

const busy: BusyMessage = (isOwn) =>
  isOwn
    ? translatable(
        'Another import of yours is running. Wait for it, or send Prefer: respond-async: then up to {maxQueued} imports wait for their turn.',
        { maxQueued },
      )
    : translatable('Too many imports are running. Send Prefer: respond-async to queue the import.')

/**
 * Runs imports: gives each its turn and a time limit, and responds when it is complete or, if the client does not wait,
 * when its file has arrived.
 */
export function createImportRunner(deps: Deps): (asked: ImportRequest, work: ImportWork) => Promise<Response> {
  const { db, config, events } = deps
  const gate = createSemaphore(config.importConcurrency, importWaitMs, busy)
  const disk = createDiskSpace(config)
  const limitMs = config.transferTimeoutMs

  /** Records the import. It ends when another request changes its state. */
  const accept = async (
    { actor }: ImportRequest,
    row: { tableId: string | null; state: Accepted['state']; rows: number | null; bytes: number },
    lasting: RequestTimeout,
  ): Promise<Accepted> => {
    const id = await besideRequest(() => beginImport(db, { userId: actor.user.id, ...row }))
    lasting.outliveClient()
    // A renewal that waits for the database also covers those that would follow meanwhile, so they are skipped.
    const renew = unlessRunning(async () => {
      // If the database is unavailable, the import itself fails.
      if (!(await renewImport(db, id).catch(() => true))) lasting.abort(importCancelled())
    })
    const timer = setInterval(() => void outsideOfScopes(renew), renewEveryMs)
    return { id, state: row.state, end: () => clearInterval(timer) }
  }

  const fail = async ({ request }: ImportRequest, id: string, error: unknown) => {
    const { id: requestId } = infoOf(request)
    const failure = failureOf(error)
    if (failure.kind === 'internal') {
      events.emit({ kind: 'request_failed', requestId, method: request.method, path: pathOf(request.url), error })
    }
    await outsideOfScopes(() => failImport(db, id, problemText(failure, requestId, languageOf(request))))
  }

  return async (asked, work) => {
    const { request } = asked
    const language = languageOf(request)
    const keyedFile = openKeyedFile(asked)
    const info = infoOf(request)
    const lasting = requestTimeout(request, limitMs)
    info.takeTime(limitMs + importWaitMs)
    const { signal } = lasting
    const upload = openUpload(request, { mostBytes: config.maxUploadBytes, idleMs: config.transferIdleMs, signal })
    const begun = Promise.withResolvers<Accepted>()
    let accepted: Accepted | undefined
    const job: RunningImport = {
      limitMs,
      signal,
      spool: (source) => spoolFile(source, config.dataDir, disk.requireForQueue),
      beforeWrite: async (query, size) => {
        const tableId = await asked.check()
        const kept = await keyedFile?.find(query)
        if (kept) throw accepted ? alreadyImported(kept) : new Answered(kept)
        await disk.require(writtenBytes(size))
        if (accepted) return besideRequest(() => noteRows(db, accepted!.id, size.rows))
        if (!prefersAsync(request)) return
        accepted = await accept(asked, { tableId, state: 'running', ...size }, lasting)
        begun.resolve(accepted)
      },
      beforeCommit: async (query, result) => {
        const written = inLanguage(result, language)
        if (accepted) await completeImport(query, accepted.id, written)
        await keyedFile?.keep(query, accepted ? toAcceptedResponse(accepted) : answerOf(written))
      },
    }
    const endWatch = disk.watch(lasting.abort)
    const caller = asked.actor.user.id
    const readFile = async () => {
      const file = await readUploadedFile(request, upload.chunks)
      return keyedFile ? keyedFile.reading(file) : file
    }
    /** Receives the file while other imports run, and reads it when the import's turn has come. */
    const runQueued = async () => {
      const withdrawal = new AbortController()
      const turn = gate.enqueue(caller, AbortSignal.any([signal, withdrawal.signal]), maxQueued)
      // The error is thrown below, where the turn is awaited.
      turn.catch(() => {})
      let file: SpooledFile | undefined
      const open = async () => {
        const sent = await readFile()
        file = await job.spool(sent.source)
        const tableId = await asked.check()
        const kept = await besideRequest(async () => keyedFile?.find(db.query))
        if (kept) throw new Answered(kept)
        accepted = await accept(asked, { tableId, state: 'queued', rows: null, bytes: file.bytes }, lasting)
        lasting.pause()
        begun.resolve(accepted)
        await turn
        lasting.restart()
        await asked.check()
        await besideRequest(() => startQueuedImport(db, accepted!.id))
        return { ...sent, source: file.chunks() }
      }
      try {
        return await work(job, open)
      } finally {
        withdrawal.abort()
        await turn.then(
          (leave) => leave(),
          () => {},
        )
        await file?.close()
      }
    }
    const begin = async () => {
      await disk.require(Number(request.headers.get('content-length') ?? 0))
      const isQueued = prefersAsync(request)
      const place = isQueued ? gate.tryAcquire(caller) : await gate.acquire(caller, signal)
      return place ? work(job, readFile).finally(place) : runQueued()
    }
    events.emit({ kind: 'job_started', job: 'import' })
    const startedAt = performance.now()
    const ended = (outcome: 'ok' | 'failed') =>
      events.emit({ kind: 'job_ended', job: 'import', outcome, durationMs: performance.now() - startedAt })
    const running = begin().finally(async () => {
      endWatch()
      accepted?.end()
      await upload.discard()
      lasting.end()
    })
    running.then(
      () => ended('ok'),
      // A retry with the same key gets the response of the first attempt.
      (error) => ended(error instanceof Answered ? 'ok' : 'failed'),
    )
    const first = await Promise.race([running, begun.promise])
      .catch((error) => answeredBefore(error))
      .finally(() => info.closeWhenIdle(config.transferIdleMs))
    if (first instanceof Response) return first
    if (!accepted || first !== accepted) return answerOf(inLanguage(first, language))
    const { id } = accepted
    running
      // The transaction of a dry run is rolled back, together with the state written in it.
      .then((result) => ('dryRun' in result && result.dryRun ? completeImport(db.query, id, inLanguage(result, language)) : undefined))
      .catch((error) => fail(asked, id, error))
      .catch((error) => events.emit({ kind: 'background_failed', task: 'recording an import', error }))
    return toAcceptedResponse(accepted)
  }
}

function answeredBefore(error: unknown): Response {
  if (error instanceof Answered) return error.response
  throw error
}

const answerOf = (result: object) => Response.json(result, { status: 'table' in result ? 201 : 200 })

const failureOf = (error: unknown): Failure =>
  error instanceof Failure ? error : (databaseFailure(error) ?? new Failure('internal', translatable('Something went wrong on our side.')))

const toAcceptedResponse = ({ id, state }: Accepted) =>
  Response.json({ id, state }, { status: 202, headers: { location: `/api/v1/imports/${id}`, 'preference-applied': 'respond-async' } })

/** Another import with the same key was completed while this one waited for its turn. */
const alreadyImported = ({ headers }: Response) => {
  const address = headers.get('location')
  return conflict(
    address === null
      ? translatable('The same file has been imported with this Idempotency-Key in the meantime.')
      : translatable('The same file has been imported with this Idempotency-Key in the meantime: {address}', { address }),
  )
}
