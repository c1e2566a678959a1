import { unavailable } from '../errors'
import type { Scope } from './scope'

type Waiting = { begin: () => void; refuse: (error: Error) => void; since: number }
type Queue = { holder: string; waiting: Waiting[] }

const checkedEveryMs = 500
const retryAfterS = 5

/**
 * Divides the connections for data among those who want them. A holder may take one more while it has fewer than are free: alone it gets half
 * of them, the next one half of what is left, and somebody who comes new finds one free unless many hold theirs. Who has to wait does so in a queue of its
 * own; the holder with the fewest connections goes first.
 */
export class Shares {
  /** The holder of each connection in use. No map: entries that come and go by thousands a second cost too much. */
  readonly #held: string[] = []
  readonly #queues: Queue[] = []
  #clock: Timer | undefined

  constructor(
    private readonly size: number,
    private readonly maxWaitMs: number,
  ) {}

  /**
   * Does the work when the holder may take a connection.
   * @param scope what the work belongs to: when it ends, nobody waits any more
   * @throws Failure unavailable when that was not so in time; the reason for which the scope has ended
   */
  use<Result>(holder: string, work: () => Promise<Result>, scope?: Scope): Promise<Result> {
    if (this.#queues.length === 0 && this.#heldBy(holder) < this.size - this.#held.length) return this.#during(holder, work)
    return this.#wait(holder, scope).then(() => this.#during(holder, work, true))
  }

  #during<Result>(holder: string, work: () => Promise<Result>, isTaken = false): Promise<Result> {
    if (!isTaken) this.#held.push(holder)
    const leave = () => this.#leave(holder)
    const result = work()
    result.then(leave, leave)
    return result
  }

  #heldBy(holder: string): number {
    let count = 0
    for (const each of this.#held) if (each === holder) count++
    return count
  }

  #leave(holder: string): void {
    const last = this.#held.pop()!
    if (last !== holder) this.#held[this.#held.lastIndexOf(holder)] = last
    this.#admit()
  }

  #wait(holder: string, scope: Scope | undefined): Promise<void> {
    const queue = this.#queues.find((each) => each.holder === holder) ?? { holder, waiting: [] }
    if (queue.waiting.length === 0) this.#queues.push(queue)
    this.#clock ??= setInterval(() => this.#refuseLate(), checkedEveryMs)
    const turn = new Promise<void>((begin, refuse) => {
      const waiting = { begin, refuse, since: performance.now() }
      queue.waiting.push(waiting)
      scope?.onEnd((reason) => this.#withdraw(queue, waiting, reason))
    })
    // Others may wait for theirs, and this holder for nobody.
    this.#admit()
    return turn
  }

  #admit(): void {
    while (this.#queues.length > 0) {
      let next: Queue | undefined
      let fewest = this.size - this.#held.length
      for (const queue of this.#queues) {
        const count = this.#heldBy(queue.holder)
        if (count >= fewest) continue
        fewest = count
        next = queue
      }
      if (!next) return
      this.#held.push(next.holder)
      next.waiting.shift()!.begin()
      this.#queues.splice(this.#queues.indexOf(next), 1)
      if (next.waiting.length > 0) this.#queues.push(next)
    }
    clearInterval(this.#clock)
    this.#clock = undefined
  }

  #withdraw(queue: Queue, waiting: Waiting, reason: Error): void {
    const place = queue.waiting.indexOf(waiting)
    if (place === -1) return
    queue.waiting.splice(place, 1)
    waiting.refuse(reason)
    if (queue.waiting.length === 0) this.#queues.splice(this.#queues.indexOf(queue), 1)
  }

  #refuseLate(): void {
    const since = performance.now() - this.maxWaitMs
    for (const queue of this.#queues) {
      while (queue.waiting.length > 0 && queue.waiting[0]!.since < since)
        queue.waiting.shift()!.refuse(unavailable('The database is busy with other requests.', retryAfterS))
    }
    const left = this.#queues.filter(({ waiting }) => waiting.length > 0)
    this.#queues.splice(0, this.#queues.length, ...left)
    this.#admit()
  }
}
