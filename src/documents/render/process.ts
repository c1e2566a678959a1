import { readFileSync } from 'node:fs'
import { ownCommand } from '../../db/embedded/become'
import { Failure } from '../../errors'
import { translatable } from '../../messages/message'
import { maxTemplates, type RenderCommand, renderCommand, type Word } from './child'
import { documentFormats, type Job, type RenderedDocument } from './job'

/** The process in which documents are made, as the service sees it. */
export type RenderingProcess = {
  /**
   * @param ending aborts when the requester gives up
   * @throws Failure render_failed, or the reason why it was aborted; the process cannot be used again then
   */
  make: (job: Job, limitMs: number, ending: AbortSignal) => Promise<RenderedDocument>
  /** Resolves when the process is gone. */
  end: () => Promise<void>
  /** Whether the next document needs a new process: this one has ended, or uses too much memory. */
  isUsedUp: (job: Job) => boolean
}

/** For the process to start, and again to load Typst, in addition to the limit of a document. */
const rendererStartMs = 20_000

const memoryLookMs = 100

const endedByItself = 'the process that makes it ended'

const failed = (reason: string) =>
  new Failure('render_failed', translatable('The document could not be created: {reason}.', { reason }), {
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
  const answered = (limitMs: number, say: () => void): Promise<Word> => {
    const { promise, resolve, reject } = Promise.withResolvers<Word>()
    hear = resolve
    fail = reject
    const late = setTimeout(() => fail(failed(`it took longer than ${limitMs / 1000} s`)), limitMs)
    const look = setInterval(() => {
      if (residentBytes(process.pid) > memoryBytes) fail(failed('it took too much memory'))
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
  const tell = (order: RenderCommand, limitMs: number) => answered(limitMs, () => process.send(order))

  const make = async ({ template, ...job }: Job, limitMs: number, ending: AbortSignal): Promise<RenderedDocument> => {
    const giveUp = () => fail(ending.reason)
    ending.addEventListener('abort', giveUp, { once: true })
    try {
      const { maker } = documentFormats[job.format]
      if (!makers.has(maker)) await tell({ load: maker }, rendererStartMs)
      makers.add(maker)
      ending.throwIfAborted()
      const files = sentTemplates.has(template.hash) ? null : template.files
      sentTemplates.add(template.hash)
      return madeOf(await tell({ ...job, template: { hash: template.hash, files } }, limitMs))
    } finally {
      ending.removeEventListener('abort', giveUp)
    }
  }
  const isUsedUp = ({ template: { hash } }: Job) =>
    isGone || (sentTemplates.size >= maxTemplates && !sentTemplates.has(hash)) || residentBytes(process.pid) > memoryBytes / 2
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

function madeOf(word: Word): RenderedDocument {
  if (!('outcome' in word)) throw failed(endedByItself)
  if ('refused' in word.outcome) throw failed(word.outcome.refused)
  return word.outcome
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
