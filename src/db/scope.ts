import { AsyncLocalStorage } from 'node:async_hooks'
import { isOutcomeUnknown, noteUnsent } from './errors'
import type { WriteOrigin } from './origin'

/**
 * A statement of the driver's. `state` is set once it has been sent, and `active` is true while PostgreSQL works on it.
 */
export type DriverStatement = {
  readonly strings: readonly string[]
  readonly state: unknown
  readonly active: boolean
  reject: (error: unknown) => void
  cancel: () => unknown
  then: (done: () => void, failed: (error: unknown) => void) => unknown
}

/** What is cancelled at the end of its time soon tells what became of it. */
export const graceMs = 2000

/**
 * The statements that are made for one request, or for several that share them. They end together: what waits for a
 * connection is withdrawn, what runs is cancelled, and nothing new begins. All that is done within `run` belongs to it,
 * without being told.
 */
export class RequestScope {
  /**
   * Whose share of the connections its statements take; undefined while nobody is known, as for the look-up of who
   * calls.
   */
  caller: string | undefined
  /** Who writes, for the log of changes; undefined for the service itself. */
  origin: WriteOrigin | undefined
  /** How many open transactions this work runs inside; for shared work, the highest number among its requests. */
  outerDepth = 0
  /** The depths of its open transactions. */
  readonly #open: number[] = []
  /**
   * Whether something may have been written already: a write or a commit was sent, and PostgreSQL did not refuse it.
   */
  hasWritten = false
  /** Whether a connection was lost while such a one was under way, so that nobody knows whether it was done. */
  isOutcomeUnknown = false
  /** How many of its writes are under way in statements that it shares with others. */
  #sharedWrites = 0
  #reason: Error | null = null
  #entries: Entry[] = []
  #listeners: ((reason: Error) => void)[] = []
  #controller: AbortController | null = null
  #onIdle: (() => void)[] = []

  run<Result>(work: () => Result): Result {
    return scopes.run(this, work)
  }

  /**
   * How many of its transactions, one inside of the other, are open: whoever waits for a connection now may keep those
   * waiting.
   */
  get depth(): number {
    let depth = this.outerDepth
    for (const each of this.#open) if (each > depth) depth = each
    return depth
  }

  /** How many of its transactions the present work stands in. Others of it may be open beside. */
  get innerDepth(): number {
    const inside = transactions.getStore()
    return inside?.scope === this ? inside.depth : this.outerDepth
  }

  /** Runs the work of a transaction. */
  async inTransaction<Result>(work: () => Promise<Result>): Promise<Result> {
    const depth = this.innerDepth + 1
    this.#open.push(depth)
    try {
      return await transactions.run({ scope: this, depth }, work)
    } finally {
      this.#open.splice(this.#open.indexOf(depth), 1)
    }
  }

  /** Why it has ended; null while it lasts. */
  get reason(): Error | null {
    return this.#reason
  }

  /** Whether nothing is under way that could still be done. */
  get isIdle(): boolean {
    return this.#entries.length === 0 && this.#sharedWrites === 0
  }

  /** Waits until nothing is under way that could still be done, and no longer than for this time. */
  async idle(longestMs: number): Promise<void> {
    if (this.isIdle) return
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, longestMs)
    this.#onIdle.push(resolve)
    await promise
    clearTimeout(timer)
  }

  /** Takes in a write that is under way in a statement of several scopes. @returns what says how it has ended */
  joinWrite(): (outcome: { hasWritten: boolean; isOutcomeUnknown: boolean }) => void {
    this.#sharedWrites++
    return ({ hasWritten, isOutcomeUnknown }) => {
      this.hasWritten ||= hasWritten || isOutcomeUnknown
      this.isOutcomeUnknown ||= isOutcomeUnknown
      this.#sharedWrites--
      this.#noteIdle()
    }
  }

  #noteIdle(): void {
    if (this.#onIdle.length && this.isIdle) for (const resolve of this.#onIdle.splice(0)) resolve()
  }

  /** Aborted with the reason when this ends. */
  get signal(): AbortSignal {
    if (!this.#controller) {
      this.#controller = new AbortController()
      if (this.#reason) this.#controller.abort(this.#reason)
    }
    return this.#controller.signal
  }

  onEnd(listener: (reason: Error) => void): void {
    if (this.#reason) listener(this.#reason)
    else this.#listeners.push(listener)
  }

  end(reason: Error): void {
    if (this.#reason) return
    this.#reason = reason
    for (const entry of [...this.#entries]) stop(entry, reason)
    for (const listener of this.#listeners) listener(reason)
    this.#controller?.abort(reason)
  }

  /** Cancels what PostgreSQL has worked on for longer than this. Its own limit does not count the work of a commit. */
  cancelOlderThan(limitMs: number, now: number): void {
    for (const entry of this.#entries) {
      if (entry.isLong || !entry.statement.active) continue
      entry.activeSince ||= now
      if (now - entry.activeSince > limitMs) cancel(entry.statement)
    }
  }

  /** Whether PostgreSQL works on a statement of it. */
  get isActive(): boolean {
    return this.#entries.some(({ statement }) => statement.active)
  }

  /**
   * Takes a statement in before it is sent.
   * @param isInside whether it stands in a transaction
   * @param isLong whether nothing limits its time but its transaction
   * @returns false where it must not be sent; it has been rejected then
   */
  admit(statement: DriverStatement, isInside: boolean, isLong: boolean): boolean {
    const text = statement.strings[0] ?? ''
    if (isInside && text.startsWith('rollback')) return true
    // A transaction that got here ends itself, and its end must reach PostgreSQL one way or the other.
    if (this.#reason && !(isInside && text === 'commit')) {
      statement.reject(this.#reason)
      return false
    }
    const entry = { statement, isInside, isLong, activeSince: 0 }
    this.#entries.push(entry)
    const isWrite = isInside ? text === 'commit' : !/^\s*(select|begin)\b/i.test(text)
    const leave = () => {
      this.#entries.splice(this.#entries.indexOf(entry), 1)
      this.#noteIdle()
    }
    statement.then(
      () => {
        this.hasWritten ||= isWrite
        leave()
      },
      (error) => {
        if (!statement.state) noteUnsent(error)
        else if (isWrite && isOutcomeUnknown(error)) this.isOutcomeUnknown = this.hasWritten = true
        leave()
      },
    )
    return true
  }
}

type Entry = {
  statement: DriverStatement
  isInside: boolean
  /** Whether nothing limits its time but its transaction. */
  isLong: boolean
  activeSince: number
}

const scopes = new AsyncLocalStorage<RequestScope | undefined>()

/** The transaction that the present work stands in. */
const transactions = new AsyncLocalStorage<{ scope: RequestScope; depth: number }>()

/** What the present work is done for; undefined for what is nobody's in particular. */
export const currentScope = (): RequestScope | undefined => scopes.getStore()

/** For what several wait for, or nobody: it must not end with the request that happened to begin it. */
export const outsideOfScopes = <Result>(work: () => PromiseLike<Result>): Promise<Result> => scopes.run(undefined, () => begun(work))

/**
 * For what the service notes or clears up beside a request: it takes the caller's share, is no write of theirs, and
 * does not end with the request.
 */
export function besideRequest<Result>(work: () => PromiseLike<Result>): Promise<Result> {
  const scope = new RequestScope()
  scope.caller = currentScope()?.caller
  scope.origin = currentScope()?.origin
  return scope.run(() => begun(work))
}

/** Waited for at once, since the driver sends a statement when it is waited for, and asks then whose it is. */
const begun = <Result>(work: () => PromiseLike<Result>): Promise<Result> => new Promise((done, fail) => work().then(done, fail))

/**
 * For the driver, which asks before it sends or queues a statement.
 * @param admitted is told of each that may be sent
 */
export const admission =
  (isLong: boolean, admitted: (statement: DriverStatement) => void = () => {}) =>
  (statement: DriverStatement, isInside: boolean): boolean => {
    const mayGo = scopes.getStore()?.admit(statement, isInside, isLong) ?? true
    if (mayGo) admitted(statement)
    return mayGo
  }

function stop({ statement, isInside }: Entry, reason: Error): void {
  // What has been sent behind another one of its transaction fails with that one.
  const isBehind = !statement.active && (isInside || Boolean(statement.state))
  if (isBehind) return
  // What waits for a connection is rejected before the driver says of it that it was cancelled.
  if (!statement.active) statement.reject(reason)
  cancel(statement)
}

/** By a connection of its own where it has been sent; that this one fails is nobody's concern. */
const cancel = (statement: DriverStatement): void => void Promise.resolve(statement.cancel()).catch(() => {})
