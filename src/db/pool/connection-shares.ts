import { unavailable } from '../../errors'
import { translatable } from '../../messages/message'
import type { RequestScope } from './scope'

/**
 * A request for a connection. `depth` counts the open transactions of the same work: if it had to wait for their
 * connections, it would wait for itself. `scope` is the scope of the work, whose end also ends the waiting.
 */
type Claim = { holder: string; scope?: RequestScope | undefined; depth?: number; isTransaction?: boolean }
type QueuedUse = { claim: Claim; begin: () => void; refuse: (error: Error) => void; since: number }
type Queue = { holder: string; waiting: QueuedUse[] }

/** Data connections: how many are in use, how many there are, and how many uses are waiting. */
export type ConnectionLoad = { inUse: number; size: number; waiting: number }

/** Enough for a transaction, a transaction inside it, and a statement beside both. */
const maxDepth = 2

const checkIntervalMs = 500
const retryAfterS = 5

/**
 * Divides the data connections fairly among holders. A holder may take one more while it has fewer than are free: alone
 * it gets half of them, the next holder half of the rest, and a new holder finds one free unless many hold theirs. Each
 * holder has its own queue; the holder with the fewest connections goes first. Work done while a transaction of the
 * same work is open has a separate share, and transactions never take the last connection, so anything they wait for
 * eventually gets one. One level deeper there is one more connection, taken from the reserved ones. `createSemaphore`
 * knows neither nested work nor transactions.
 */
export class Shares {
  /** The holder of each connection in use. Not a Map: thousands of insertions and removals a second cost too much. */
  readonly #held: string[] = []
  readonly #queues: Queue[] = []
  #clock: Timer | undefined

  /** How many of them are outermost transactions. */
  #transactionCount = 0
  /** With a single connection, nothing could run beside a transaction. */
  readonly #size: number

  constructor(
    size: number,
    private readonly maxWaitMs: number,
  ) {
    this.#size = Math.max(size, 2)
  }

  /**
   * Does the work once the holder may take a connection.
   * @throws Failure unavailable after a timeout; the reason of a scope that ended; Error when nested too deeply
   */
  use<Result>(claim: Claim, work: () => Promise<Result>): Promise<Result> {
    const { depth = 0 } = claim
    if (depth > maxDepth) return Promise.reject(new Error(tooDeep))
    // Work inside a transaction does not wait for other work of its holder.
    const placed = depth === 0 ? claim : { ...claim, holder: `${claim.holder} ${depth}` }
    if (this.#queues.length === 0 && this.#heldBy(placed.holder) < this.#freeFor(placed)) return this.#during(placed, work)
    return this.#wait(placed).then(() => this.#during(placed, work, true))
  }

  get load(): ConnectionLoad {
    const waiting = this.#queues.reduce((count, queue) => count + queue.waiting.length, 0)
    return { inUse: this.#held.length, size: this.#size, waiting }
  }

  #freeFor({ depth = 0, isTransaction }: Claim): number {
    if (isTransaction && depth === 0 && this.#transactionCount >= this.#size - 1) return 0
    return this.#size + Math.max(depth - 1, 0) - this.#held.length
  }

  #take({ holder, depth = 0, isTransaction }: Claim): void {
    this.#held.push(holder)
    if (isTransaction && depth === 0) this.#transactionCount++
  }

  #during<Result>(claim: Claim, work: () => Promise<Result>, isTaken = false): Promise<Result> {
    if (!isTaken) this.#take(claim)
    const leave = () => this.#leave(claim)
    const result = work()
    result.then(leave, leave)
    return result
  }

  #heldBy(holder: string): number {
    let count = 0
    for (const each of this.#held) if (each === holder) count++
    return count
  }

  #leave({ holder, depth = 0, isTransaction }: Claim): void {
    if (isTransaction && depth === 0) this.#transactionCount--
    const last = this.#held.pop()!
    if (last !== holder) this.#held[this.#held.lastIndexOf(holder)] = last
    this.#admit()
  }

  #wait(claim: Claim): Promise<void> {
    const { holder, scope } = claim
    const queue = this.#queues.find((each) => each.holder === holder) ?? { holder, waiting: [] }
    if (queue.waiting.length === 0) this.#queues.push(queue)
    this.#clock ??= setInterval(() => this.#refuseLate(), checkIntervalMs)
    const turn = new Promise<void>((begin, refuse) => {
      const waiting = { claim, begin, refuse, since: performance.now() }
      queue.waiting.push(waiting)
      scope?.onEnd((reason) => this.#withdraw(queue, waiting, reason))
    })
    // Other holders may be waiting for their own share although this one need not wait.
    this.#admit()
    return turn
  }

  #admit(): void {
    while (this.#queues.length > 0) {
      let next: Queue | undefined
      let fewest = Number.POSITIVE_INFINITY
      for (const queue of this.#queues) {
        const count = this.#heldBy(queue.holder)
        if (count >= fewest || count >= this.#freeFor(queue.waiting[0]!.claim)) continue
        fewest = count
        next = queue
      }
      if (!next) return
      const { claim, begin } = next.waiting.shift()!
      this.#take(claim)
      begin()
      this.#queues.splice(this.#queues.indexOf(next), 1)
      if (next.waiting.length > 0) this.#queues.push(next)
    }
    clearInterval(this.#clock)
    this.#clock = undefined
  }

  #withdraw(queue: Queue, waiting: QueuedUse, reason: Error): void {
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
        queue.waiting.shift()!.refuse(unavailable(translatable('The database is busy with other requests.'), retryAfterS))
    }
    const left = this.#queues.filter(({ waiting }) => waiting.length > 0)
    this.#queues.splice(0, this.#queues.length, ...left)
    this.#admit()
  }
}

const tooDeep =
  'A transaction inside of two others finds no connection: within a transaction, do everything with what it was given, and begin none beside it.'
