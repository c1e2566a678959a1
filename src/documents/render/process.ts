import { readFileSync } from 'node:fs'
import type { PageJob } from '../../attachments/model'
import { ownCommand } from '../../db/embedded/become'
import { Failure, LimitExceeded } from '../../errors'
import { translatable } from '../../messages/message'
import { type Maker, maxTemplates, type RenderCommand, renderCommand, type Word } from './child'
import { documentFormats, type Job, type Made } from './job'

/** The process in which documents are made and pages are drawn, as the service sees it. */
export type RenderingProcess = {
  /**
   * @param ending aborts when the requester gives up
   * @throws Failure render_failed (LimitExceeded for too much time or memory), or the reason why it was aborted; the
   *   process cannot be used again then
   */
  make: <J extends Job | PageJob>(job: J, limitMs: number, ending: AbortSignal) => Promise<Made<J>>
  /** Resolves when the process is gone. */
  end: () => Promise<void>
  /** Whether the next document needs a new process: this one has ended, or uses too much memory. */
  isUsedUp: (job: Job | PageJob) => boolean
}

/** The time to start the process, and again to load Typst, in addition to the limit of a document. */
const rendererStartMs = 20_000

const memoryLookMs = 100

const endedByItself = 'the process that makes it ended'

const failed = (reason: string, Kind = Failure) =>
  new Kind('render_failed', translatable('The document could not be created: {reason}.', { reason }), {
    headers: { 'retry-after': '5' },
  })

/** @throws Failure render_failed if it does not start */
export async function startRendering(memoryBytes: number): Promise<RenderingProcess> {
  const sentTemplates = new Set<string>()
  const makers = new Set<string>()
  let hear: (word: Word) => void = () => {}
  let fail: (error: unknown) => void = () => {}
  let isGone = false
  const process = Bun.spawn([...ownCommand(), renderCommand], {
    env: {},
    stdio: ['ignore', 'ignore', 'ignore'],
    serialization: 'advanced',
    ipc: (word: Word) => hear(word),
    onExit: () => {
      isGone = true
      fail(failed(endedByItself))
    },
  })
  /** @param Excess the failure when it takes too long or too much memory */
  const answered = (limitMs: number, say: () => void, Excess = Failure): Promise<Word> => {
    const { promise, resolve, reject } = Promise.withResolvers<Word>()
    hear = resolve
    fail = reject
    const late = setTimeout(() => fail(failed(`it took longer than ${limitMs / 1000} s`, Excess)), limitMs)
    const look = setInterval(() => {
      if (residentBytes(process.pid) > memoryBytes) fail(failed('it took too much memory', Excess))
    }, memoryLookMs)
    try {
      say()
    } catch {
      fail(failed(endedByItself))
    }
    return promise.finally(() => {
      clearTimeout(late)
      clearInterval(look)
    })
  }
  const tell = (order: RenderCommand, limitMs: number, Excess = Failure) => answered(limitMs, () => process.send(order), Excess)

  const make = async <J extends Job | PageJob>(job: J, limitMs: number, ending: AbortSignal): Promise<Made<J>> => {
    const giveUp = () => fail(ending.reason)
    ending.addEventListener('abort', giveUp, { once: true })
    try {
      const maker = makerOf(job)
      if (!makers.has(maker)) await tell({ load: maker }, rendererStartMs)
      makers.add(maker)
      ending.throwIfAborted()
      return madeOf<J>(await tell(toCommand(job, sentTemplates), limitMs, LimitExceeded))
    } finally {
      ending.removeEventListener('abort', giveUp)
    }
  }
  const isUsedUp = (job: Job | PageJob) =>
    isGone ||
    ('template' in job && sentTemplates.size >= maxTemplates && !sentTemplates.has(job.template.hash)) ||
    residentBytes(process.pid) > memoryBytes / 2
  const end = async () => {
    process.kill('SIGKILL')
    await process.exited
  }
  await answered(rendererStartMs, () => {}).catch(async (error) => {
    await end()
    throw error
  })
  return { make, end, isUsedUp }
}

function toCommand(job: Job | PageJob, sentTemplates: Set<string>): RenderCommand {
  if ('pdf' in job) return job
  const { hash, files } = job.template
  const isSent = sentTemplates.has(hash)
  sentTemplates.add(hash)
  return { ...job, template: { hash, files: isSent ? null : files } }
}

const makerOf = (job: Job | PageJob): Maker => ('pdf' in job ? 'pdfium' : documentFormats[job.format].maker)

function madeOf<J extends Job | PageJob>(word: Word): Made<J> {
  if (!('outcome' in word)) throw failed(endedByItself)
  if ('refused' in word.outcome) throw failed(word.outcome.refused)
  return word.outcome as Made<J>
}

const pageBytes = 4096

/** 0 if the system does not report it: then only the time limits a document. */
function residentBytes(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]) * pageBytes
  } catch {
    return 0
  }
}
