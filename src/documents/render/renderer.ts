import type { PageJob } from '../../attachments/model'
import { createSemaphore } from '../../db/pool/semaphore'
import { translatable } from '../../messages/message'
import type { Events } from '../../ops/log/events'
import type { Config } from '../../ops/settings/config'
import type { Job, Made } from './job'
import { type RenderingProcess, startRendering } from './process'

/**
 * The requester of a document. `caller` shares the processes fairly among callers. `ending` aborts when nobody needs
 * the document any more; `signal` also aborts when a document that still waits for a process would reach nobody.
 */
export type RenderRequester = { caller: string; ending: AbortSignal; signal: AbortSignal }

/** Makes documents and draws PDF pages, each in a process that is replaced when it takes too much time or memory. */
export type Renderer = {
  /** @throws Failure render_failed, unavailable, or the reason why it was aborted */
  render: <J extends Job | PageJob>(job: J, requester: RenderRequester) => Promise<Made<J>>
  /** Resolves when all of its processes have ended. */
  stop: () => Promise<void>
}

/** Documents are requested rarely; in between, others make better use of the memory. */
const idleMs = 120_000

/** The number of concurrent processes: the documents of one caller must not block all others. */
const processes = 2

type RendererConfig = Pick<Config, 'renderTimeoutMs' | 'renderMemoryBytes'>

export function createRenderer(config: RendererConfig, events: Events): Renderer {
  const gate = createSemaphore(processes, config.renderTimeoutMs, translatable('Too many documents are being created.'))
  const all = Array.from({ length: processes }, () => createSlot(config))
  // The most recently used one comes first: it is running, and the others may stay stopped.
  const free = [...all]
  return {
    render: async (job, requester) => {
      const leave = await gate.acquire(requester.caller, requester.signal)
      const slot = free.pop()!
      const startedAt = performance.now()
      let outcome: 'ok' | 'failed' = 'failed'
      const kind = 'pdf' in job ? 'page' : 'document'
      events.emit({ kind: 'job_started', job: kind })
      try {
        requester.signal.throwIfAborted()
        const made = await slot.make(job, requester)
        outcome = 'bytes' in made ? 'ok' : 'failed'
        return made
      } finally {
        events.emit({ kind: 'job_ended', job: kind, outcome, durationMs: performance.now() - startedAt })
        free.push(slot)
        leave()
      }
    },
    stop: async () => {
      await Promise.all(all.map((slot) => slot.stop()))
    },
  }
}

/** Makes one document at a time, in a process that is started on demand. */
function createSlot({ renderTimeoutMs, renderMemoryBytes }: RendererConfig) {
  let current: RenderingProcess | null = null
  let resting: Timer | undefined
  const stop = async () => {
    clearTimeout(resting)
    const ending = current?.end()
    current = null
    await ending
  }
  const make = async <J extends Job | PageJob>(job: J, { ending }: RenderRequester): Promise<Made<J>> => {
    clearTimeout(resting)
    if (current?.isUsedUp(job)) await stop()
    try {
      current ??= await startRendering(renderMemoryBytes)
      return await current.make(job, renderTimeoutMs, ending)
    } catch (error) {
      await stop()
      throw error
    } finally {
      resting = setTimeout(() => void stop(), idleMs)
      resting.unref()
    }
  }
  return { make, stop }
}
