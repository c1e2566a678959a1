import { readFileSync } from 'node:fs'
import { self } from '../db/embedded/become'
import { createGate } from '../db/gate'
import { Failure } from '../errors'
import type { Config } from '../ops/config'
import { type Order, renderCommand, type Word } from './child'
import type { Job, Outcome } from './job'

/** Makes documents one after the other, in a process of its own that is replaced when it takes too long or too much memory. */
export type Renderer = {
  /** @throws Failure render_failed, unavailable */
  render: (job: Job) => Promise<Outcome>
  stop: () => void
}

type Child = {
  order: (order: Order, limitMs: number) => Promise<Outcome>
  has: (hash: string) => boolean
  end: () => void
  isGone: () => boolean
}

/** For the process to come up and to load Typst, beside the limit of a document. */
const longestStartMs = 20_000

/** A document is asked for now and then; in between, its memory is better used by others. */
const idleMs = 120_000

const memoryLookMs = 100

const failed = (reason: string) =>
  new Failure('render_failed', `The document could not be made: ${reason}.`, { headers: { 'retry-after': '5' } })

export function createRenderer({ renderTimeoutMs, renderMemoryBytes }: Pick<Config, 'renderTimeoutMs' | 'renderMemoryBytes'>): Renderer {
  const gate = createGate(1, renderTimeoutMs, 'Too many documents are being made.')
  let child: Child | null = null
  let resting: Timer | undefined
  const stop = () => {
    clearTimeout(resting)
    child?.end()
    child = null
  }
  return {
    render: async ({ template, ...job }) => {
      const leave = await gate.enter()
      clearTimeout(resting)
      try {
        if (!child || child.isGone()) child = await startChild(renderMemoryBytes)
        const files = child.has(template.hash) ? null : template.files
        return await child.order({ ...job, template: { hash: template.hash, files } }, renderTimeoutMs)
      } catch (error) {
        stop()
        throw error
      } finally {
        leave()
        resting = setTimeout(stop, idleMs)
        resting.unref()
      }
    },
    stop,
  }
}

async function startChild(memoryBytes: number): Promise<Child> {
  const known = new Set<string>()
  const makers = new Set<string>()
  let hear: (word: Word) => void = () => {}
  let fail: (error: Failure) => void = () => {}
  let isGone = false
  const said = () =>
    new Promise<Word>((done, refuse) => {
      hear = done
      fail = refuse
    })
  const ready = said()
  const process = Bun.spawn([...self, renderCommand], {
    env: {},
    stdio: ['ignore', 'ignore', 'ignore'],
    serialization: 'advanced',
    ipc: (word: Word) => hear(word),
    onExit: () => {
      isGone = true
      fail(failed('the process that makes it ended'))
    },
  })
  const end = () => process.kill('SIGKILL')
  const within = async (limitMs: number, answer: Promise<Word>): Promise<Word> => {
    const late = setTimeout(() => fail(failed(`it took longer than ${limitMs / 1000} s`)), limitMs)
    const look = setInterval(() => {
      if (residentBytes(process.pid) > memoryBytes) fail(failed('it took too much memory'))
    }, memoryLookMs)
    return answer.finally(() => {
      clearTimeout(late)
      clearInterval(look)
    })
  }
  const order = async (order: Order, limitMs: number): Promise<Outcome> => {
    const answer = said()
    process.send(order)
    const isFirst = !makers.has(order.format)
    const word = await within(limitMs + (isFirst ? longestStartMs : 0), answer)
    known.add(order.template.hash)
    makers.add(order.format)
    return 'outcome' in word ? word.outcome : { problems: [] }
  }
  await within(longestStartMs, ready).catch((error) => {
    end()
    throw error
  })
  return { order, has: (hash) => known.has(hash), end, isGone: () => isGone }
}

const pageBytes = 4096

/** 0 where the system does not tell: then only the time limits a document. */
function residentBytes(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]) * pageBytes
  } catch {
    return 0
  }
}
