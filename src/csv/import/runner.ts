import type { Actor } from '../../auth/identity/actor'
import { databaseFailure } from '../../db/errors'
import type { Query } from '../../db/open'
import { besideRequest, outsideOfScopes } from '../../db/scope'
import { createSemaphore } from '../../db/semaphore'
import type { Deps } from '../../deps'
import { Failure } from '../../errors'
import { problemText } from '../../http/errors'
import { infoOf } from '../../http/request-info'
import { pathOf } from '../../http/url'
import { findAnswer, type KeyedRequest, keepAnswer, readKeyedRequest } from '../../records/idempotency'
import { createDiskSpace, writtenBytes } from './disk-space'
import type { ImportJob } from './import'
import { beginImport, completeImport, type FileSize, failImport, importCancelled, renewEveryMs, renewImport } from './log'
import { prefersAsync, type RequestTimeout, readUploadedFile, requestTimeout, type UploadedFile } from './request'
import { openUpload } from './upload'

/** How long one may wait for a place among the imports that run. */
const maxWaitMs = 5000

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
type Job = Pick<ImportJob, 'limitMs' | 'signal' | 'beforeWrite' | 'beforeCommit'>
type Work = (job: Job, open: () => Promise<UploadedFile>) => Promise<object>

/** Carries the answer that an import of before was given out of the transaction that is not needed then. */
class Answered extends Error {
  constructor(readonly response: Response) {
    super('The import was done before.')
  }
}

/** An import that goes on after its request: its id, and how to stop saying that it is at work. */
type Accepted = { id: string; end: () => void }

/**
 * Runs imports: a place and a time for each, and an answer when all is done, or when the file has come and the client
 * does not wait.
 */
export function createImportRunner(deps: Deps): (asked: ImportRequest, work: Work) => Promise<Response> {
  const { db, config, events } = deps
  const gate = createSemaphore(config.importConcurrency, maxWaitMs, 'Too many imports are running at this moment.')
  const disk = createDiskSpace(config)
  const limitMs = config.transferTimeoutMs

  /** The import ends when somebody else changes its state. */
  const accept = async ({ actor }: ImportRequest, tableId: string | null, size: FileSize, lasting: RequestTimeout): Promise<Accepted> => {
    const id = await besideRequest(() => beginImport(db, actor.user.id, tableId, size))
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
    return { id, end: () => clearInterval(timer) }
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
    const fileKey = openKey(asked)
    const info = infoOf(request)
    const lasting = requestTimeout(request, limitMs)
    info.takeTime(limitMs + maxWaitMs)
    const { signal } = lasting
    const upload = openUpload(request, { mostBytes: config.maxUploadBytes, idleMs: config.transferIdleMs, signal })
    const begun = Promise.withResolvers<Accepted>()
    let accepted: Accepted | undefined
    const job: Job = {
      limitMs,
      signal,
      beforeWrite: async (query, size) => {
        const tableId = await asked.check()
        const kept = await fileKey?.find(query)
        if (kept) throw new Answered(kept)
        await disk.require(writtenBytes(size))
        if (!prefersAsync(request)) return
        accepted = await accept(asked, tableId, size, lasting)
        begun.resolve(accepted)
      },
      beforeCommit: async (query, result) => {
        if (accepted) await completeImport(query, accepted.id, result)
        await fileKey?.keep(query, accepted ? accepting(accepted.id) : answerOf(result))
      },
    }
    const endWatch = disk.watch(lasting.abort)
    const begin = async () => {
      await disk.require(Number(request.headers.get('content-length') ?? 0))
      const leave = await gate.acquire(asked.actor.user.id, signal)
      const open = async () => {
        const file = await readUploadedFile(request, upload.chunks)
        return fileKey ? fileKey.reading(file) : file
      }
      return work(job, open).finally(leave)
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
    return accepting(id)
  }
}

function answeredBefore(error: unknown): Response {
  if (error instanceof Answered) return error.response
  throw error
}

const answerOf = (result: object) => Response.json(result, { status: 'table' in result ? 201 : 200 })

/** The Idempotency-Key of an import, whose file is hashed as it is read. @throws Failure invalid_request */
function openKey({ request, actor }: ImportRequest) {
  if (!readKeyedRequest(request, actor, '')) return null
  const hash = new Bun.CryptoHasher('sha256')
  let keyed: KeyedRequest | null = null
  async function* hashed(source: UploadedFile['source']) {
    for await (const chunk of source) {
      hash.update(chunk)
      yield chunk
    }
  }
  return {
    reading: (file: UploadedFile): UploadedFile => {
      hash.update(JSON.stringify([...file.fields]))
      return { ...file, source: hashed(file.source) }
    },
    /** Once the file has been read. @throws Failure request_in_progress, idempotency_key_reused */
    find: async (query: Query): Promise<Response | null> => {
      keyed = readKeyedRequest(request, actor, hash.digest('hex'))
      return keyed && findAnswer(query, keyed)
    },
    keep: async (query: Query, response: Response): Promise<void> => {
      if (keyed) await keepAnswer(query, keyed, response, await response.text())
    },
  }
}

const failureOf = (error: unknown): Failure =>
  error instanceof Failure ? error : (databaseFailure(error) ?? new Failure('internal', 'Something went wrong on our side.'))

const accepting = (id: string) =>
  Response.json(
    { id, state: 'running' },
    { status: 202, headers: { location: `/api/v1/imports/${id}`, 'preference-applied': 'respond-async' } },
  )
