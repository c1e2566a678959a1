import { type Failure, unavailable } from '../../errors'

const queueLength = 64
const longestWaitMs = 3000

/** Runs at most `width` jobs at a time; a job that would wait too long, or behind too many, is refused at once. */
export function createQueue(width: number) {
  let running = 0
  const waiting: (() => void)[] = []
  const enter = () =>
    new Promise<void>((go, refuse) => {
      if (running < width) {
        running++
        return go()
      }
      if (waiting.length >= queueLength) return refuse(busy())
      const start = () => {
        clearTimeout(timer)
        go()
      }
      const timer = setTimeout(() => {
        waiting.splice(waiting.indexOf(start), 1)
        refuse(busy())
      }, longestWaitMs)
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

const busy = (): Failure => unavailable('Too many people are signing in at this moment.', 2)
