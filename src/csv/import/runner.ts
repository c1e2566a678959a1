import type { Actor } from '../../auth/identity/actor'
import { databaseFailure } from '../../db/errors'
import { besideRequest, outsideOfScopes } from '../../db/scope'
import { type BusyMessage, createSemaphore } from '../../db/semaphore'
import type { Deps } from '../../deps'
import { conflict, Failure } from '../../errors'
import { problemText } from '../../http/errors'
import { infoOf } from '../../http/request-info'
import { pathOf } from '../../http/url'
import { createDiskSpace, writtenBytes } from './disk-space'
import type { ImportJob } from './import'
import { openKeyedFile } from './keyed-file'
import { beginImport, completeImport, failImport, importCancelled, noteRows, renewEveryMs, renewImport, startQueuedImport } from './log'
import { prefersAsync, type RequestTimeout, readUploadedFile, requestTimeout, type UploadedFile } from './request'
import { type SpooledFile, spoolFile } from './spool'
import { openUpload } from './upload'

/** How long one may wait for a place among the imports that run. */
const importWaitMs = 5000

/** Imports of one user that may wait for their turn on this instance; each keeps its file on the disk. */
const maxQueued = 10

type ImportRequest = {
  request: Request
  actor: Actor
  /**
   * Called once the file has come.
   * @returns the id of the table, null for a new one
   * @throws Failure where the caller may no longer import
   */
  check: () => Promise<string | null>
}
type RunningImport = Pick<ImportJob, 'limitMs' | 'signal' | 'beforeWrite' | 'beforeCommit'>
type ImportWork = (job: RunningImport, open: () => Promise<UploadedFile>) => Promise<object>

/** Carries the answer that an import of before was given out of the transaction that is not needed then. */
class Answered extends Error {
  constructor(readonly response: Response) {
    super('The import was done before.')
  }
}

/** An import that goes on after its request: its id, its state then, and how to stop saying that it is not lost. */
type Accepted = { id: string; state: 'queued' | 'running'; end: () => void }

const busy: BusyMessage = (isOwn) =>
  isOwn
    ? `Another import of yours is running. Wait for it, or send Prefer: respond-async: then up to ${maxQueued} imports wait for their turn.`
    : 'Too many imports are running at this moment. Send Prefer: respond-async, and the import waits for its turn.'

/**
 * Runs imports: a place and a time for each, and an answer when all is done, or when the file has come and the client
 * does not wait.
 */
export function createImportRunner(deps: Deps): (asked: ImportRequest, work: ImportWork) => Promise<Response> {
  const { db, config, events } = deps
  const gate = createSemaphore(config.importConcurrency, importWaitMs, busy)
  const disk = createDiskSpace(config)
  const limitMs = config.transferTimeoutMs

  /** The import ends when somebody else changes its state. */
  const accept = async (
    { actor }: ImportRequest,
    row: { tableId: string | null; state: Accepted['state']; rows: number | null; bytes: number },
    lasting: RequestTimeout,
  ): Promise<Accepted> => {
    const id = await besideRequest(() => beginImport(db, { userId: actor.user.id, ...row }))
    lasting.outliveClient()
    let isRenewing = false
    const renew = async () => {
      // One that waits for the database says it for those that would come meanwhile.
      if (isRenewing) return
      isRenewing = true
      // Without a database the import itself fails.
      if (!(await renewImport(db, id).catch(() => true))) lasting.abort(importCancelled())
      isRenewing = false
    }
    const timer = setInterval(() => void outsideOfScopes(renew), renewEveryMs)
    return { id, state: row.state, end: () => clearInterval(timer) }
  }

  const fail = async ({ request }: ImportRequest, id: string, error: unknown) => {
    const { id: requestId } = infoOf(request)
    const failure = failureOf(error)
    if (failure.kind === 'internal') {
      events.emit({ kind: 'request_failed', requestId, method: request.method, path: pathOf(request.url), error })
    }
    await outsideOfScopes(() => failImport(db, id, problemText(failure, requestId)))
  }

  return async (asked, work) => {
    const { request } = asked
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
        if (accepted) await completeImport(query, accepted.id, result)
        await keyedFile?.keep(query, accepted ? toAcceptedResponse(accepted) : answerOf(result))
      },
    }
    const endWatch = disk.watch(lasting.abort)
    const caller = asked.actor.user.id
    const readFile = async () => {
      const file = await readUploadedFile(request, upload.chunks)
      return keyedFile ? keyedFile.reading(file) : file
    }
    /** The file is taken while others run, and read when the turn of the import has come. */
    const runQueued = async () => {
      const withdrawal = new AbortController()
      const turn = gate.enqueue(caller, AbortSignal.any([signal, withdrawal.signal]), maxQueued)
      // Told below, where the turn is waited for.
      turn.catch(() => {})
      let file: SpooledFile | undefined
      const open = async () => {
        const sent = await readFile()
        file = await spoolFile(sent.source, config.dataDir, disk.requireForQueue)
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
    const running = begin().finally(async () => {
      endWatch()
      accepted?.end()
      await upload.discard()
      lasting.end()
    })
    const first = await Promise.race([running, begun.promise])
      .catch((error) => answeredBefore(error))
      .finally(() => info.closeWhenIdle(config.transferIdleMs))
    if (first instanceof Response) return first
    if (!accepted || first !== accepted) return answerOf(first)
    const { id } = accepted
    running
      // The transaction of a dry run is undone, with what was written in it.
      .then((result) => ('dryRun' in result && result.dryRun ? completeImport(db.query, id, result) : undefined))
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
  error instanceof Failure ? error : (databaseFailure(error) ?? new Failure('internal', 'Something went wrong on our side.'))

const toAcceptedResponse = ({ id, state }: Accepted) =>
  Response.json({ id, state }, { status: 202, headers: { location: `/api/v1/imports/${id}`, 'preference-applied': 'respond-async' } })

/** Another import with the same key was done while this one waited for its turn. */
const alreadyImported = ({ headers }: Response) =>
  conflict(
    `The same file was imported with this Idempotency-Key meanwhile${headers.get('location') ? `: ${headers.get('location')}` : '.'}`,
  )
