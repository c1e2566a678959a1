import { type Failure, unavailable } from '../../errors'
import { translatable } from '../../messages/message'

const maxQueuedSignIns = 64
const maxQueueMs = 3000

/** Runs at most `width` jobs at a time; rejects a job at once if it would wait too long or too many are waiting. */
export function createSignInQueue(width: number) {
  let running = 0
  const waiting: (() => void)[] = []
  const enter = () =>
    new Promise<void>((go, refuse) => {
      if (running < width) {
        running++
        return go()
      }
      if (waiting.length >= maxQueuedSignIns) return refuse(tooManySignIns())
      const start = () => {
        clearTimeout(timer)
        go()
      }
      const timer = setTimeout(() => {
        waiting.splice(waiting.indexOf(start), 1)
        refuse(tooManySignIns())
      }, maxQueueMs)
      waiting.push(start)
    })
  const leave = () => {
    const next = waiting.shift()
    if (next) next()
    else running--
  }
  return async <T>(job: () => Promise<T>): Promise<T> => {
    await enter()
    try {
      return await job()
    } finally {
      leave()
    }
  }
}

const tooManySignIns = (): Failure => unavailable(translatable('Too many people are signing in at this moment.'), 2)
