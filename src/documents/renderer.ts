import { createGate } from '../db/gate'
import type { Config } from '../ops/config'
import type { Job, Made } from './job'
import { type RenderingProcess, startRendering } from './rendering-process'

/** Who wants a document: `ending` when it is of no use to anybody any more, `signal` also when nobody would get it who has to wait for it. */
export type Wanting = { ending: AbortSignal; signal: AbortSignal }

/** Makes documents one after the other, in a process of its own that is replaced when it takes too long or too much memory. */
export type Renderer = {
  /** @throws Failure render_failed, unavailable, or why it was given up */
  render: (job: Job, wanting: Wanting) => Promise<Made>
  stop: () => void
}

/** A document is asked for now and then; in between, its memory is better used by others. */
const idleMs = 120_000

export function createRenderer({ renderTimeoutMs, renderMemoryBytes }: Pick<Config, 'renderTimeoutMs' | 'renderMemoryBytes'>): Renderer {
  const gate = createGate(1, renderTimeoutMs, 'Too many documents are being made.')
  let current: RenderingProcess | null = null
  let resting: Timer | undefined
  const stop = () => {
    clearTimeout(resting)
    current?.end()
    current = null
  }
  const make = async (job: Job, { ending }: Wanting): Promise<Made> => {
    if (current?.isUsedUp(job)) stop()
    try {
      current ??= await startRendering(renderMemoryBytes)
      return await current.make(job, renderTimeoutMs, ending)
    } catch (error) {
      stop()
      throw error
    }
  }
  return {
    render: async (job, wanting) => {
      const leave = await gate.enter()
      clearTimeout(resting)
      try {
        wanting.signal.throwIfAborted()
        return await make(job, wanting)
      } finally {
        leave()
        resting = setTimeout(stop, idleMs)
        resting.unref()
      }
    },
    stop,
  }
}
