import { AsyncLocalStorage } from 'node:async_hooks'
import { isOutcomeUnknown, noteUnsent } from '../errors'
import type { WriteOrigin } from './origin'

/**
 * A statement of the driver. `state` is set once it has been sent, and `active` is true while PostgreSQL executes it.
 */
export type DriverStatement = {
  readonly strings: readonly string[]
  readonly state: unknown
  readonly active: boolean
  reject: (error: unknown) => void
  cancel: () => unknown
  then: (done: () => void, failed: (error: unknown) => void) => unknown
}

/** A statement that is cancelled at the end of its time limit reports its outcome within this time. */
export const graceMs = 2000

/**
 * The statements of one request, or of several requests that share them. They end together: statements that wait for a
 * connection are withdrawn, running ones are cancelled, and no new one begins. All work within `run` belongs to the
 * scope implicitly.
 */
export class RequestScope {
  /**
   * Whose share of the connections its statements use; undefined while the caller is unknown, as during authentication.
   */
  caller: string | undefined
  /** The author of its writes, for the change log; undefined for the service itself. */
  origin: WriteOrigin | undefined
  /** How many open transactions this work runs inside; for shared work, the highest number among its requests. */
  outerDepth = 0
  /** The depths of its open transactions. */
  readonly #open: number[] = []
  /** Whether something may have been written: a write or a commit was sent, and PostgreSQL did not reject it. */
  hasWritten = false
  /** Whether a connection was lost during a write or commit, so that its outcome is unknown. */
  isOutcomeUnknown = false
  /** How many of its writes run in statements that it shares with others. */
  #sharedWrites = 0
  #reason: Error | null = null
  #entries: Entry[] = []
  #listeners: ((reason: Error) => void)[] = []
  #controller: AbortController | null = null
  #onIdle: (() => void)[] = []

  run<Result>(work: () => Result): Result {
    return scopes.run(this, work)
  }

  /** How many of its nested transactions are open: work that waits for a connection now may be what they wait for. */
  get depth(): number {
    let depth = this.outerDepth
    for (const each of this.#open) if (each > depth) depth = each
    return depth
  }

  /** How many of its transactions enclose the current work. Others may be open at the same time. */
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

  /** Why it has ended; null while it is active. */
  get reason(): Error | null {
    return this.#reason
  }

  /** Whether no statement is running that could still take effect. */
  get isIdle(): boolean {
    return this.#entries.length === 0 && this.#sharedWrites === 0
  }

  /** Waits until no statement is running that could still take effect, at most for this time. */
  async idle(longestMs: number): Promise<void> {
    if (this.isIdle) return
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, longestMs)
    this.#onIdle.push(resolve)
    await promise
    clearTimeout(timer)
  }

  /** Registers a write that runs in a statement of several scopes. @returns a function that reports its outcome */
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

  /** Aborted with the reason when the scope ends. */
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

  /**
   * Cancels statements that PostgreSQL has executed for longer than this. PostgreSQL's own limit does not cover the
   * work of a commit.
   */
  cancelOlderThan(limitMs: number, now: number): void {
    for (const entry of this.#entries) {
      if (entry.isLong || !entry.statement.active) continue
      entry.activeSince ||= now
      if (now - entry.activeSince > limitMs) cancel(entry.statement)
    }
  }

  /** Whether PostgreSQL is executing one of its statements. */
  get isActive(): boolean {
    return this.#entries.some(({ statement }) => statement.active)
  }

  /**
   * Registers a statement before it is sent.
   * @param isInside whether it is part of a transaction
   * @param isLong whether only its transaction limits its time
   * @returns false if it must not be sent; it has then been rejected
   */
  admit(statement: DriverStatement, isInside: boolean, isLong: boolean): boolean {
    const text = statement.strings[0] ?? ''
    if (isInside && text.startsWith('rollback')) return true
    // A transaction that has got this far ends itself, and its commit or rollback must reach PostgreSQL.
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
  /** Whether only its transaction limits its time. */
  isLong: boolean
  activeSince: number
}

const scopes = new AsyncLocalStorage<RequestScope | undefined>()

/** The transaction that encloses the current work. */
const transactions = new AsyncLocalStorage<{ scope: RequestScope; depth: number }>()

/** The scope of the current work; undefined for work that belongs to no caller. */
export const currentScope = (): RequestScope | undefined => scopes.getStore()

/** For work that several requests or none wait for: it must not end with the request that happened to begin it. */
export const outsideOfScopes = <Result>(work: () => PromiseLike<Result>): Promise<Result> => scopes.run(undefined, () => begun(work))

/**
 * For notes and clean-up of the service beside a request: this work uses the caller's share, does not count as a write
 * of theirs, and does not end with the request.
 */
export function besideRequest<Result>(work: () => PromiseLike<Result>): Promise<Result> {
  const scope = new RequestScope()
  scope.caller = currentScope()?.caller
  scope.origin = currentScope()?.origin
  return scope.run(() => begun(work))
}

/** Awaited at once: the driver sends a statement only when it is awaited, and reads its scope then. */
const begun = <Result>(work: () => PromiseLike<Result>): Promise<Result> => new Promise((done, fail) => work().then(done, fail))

/**
 * For the driver, which calls it before it sends or queues a statement.
 * @param admitted called for each statement that may be sent
 */
export const admission =
  (isLong: boolean, admitted: (statement: DriverStatement) => void = () => {}) =>
  (statement: DriverStatement, isInside: boolean): boolean => {
    const mayGo = scopes.getStore()?.admit(statement, isInside, isLong) ?? true
    if (mayGo) admitted(statement)
    return mayGo
  }

function stop({ statement, isInside }: Entry, reason: Error): void {
  // A statement that was sent after another one of its transaction fails with that one.
  const isBehind = !statement.active && (isInside || Boolean(statement.state))
  if (isBehind) return
  // A statement that waits for a connection is rejected before the driver reports it as cancelled.
  if (!statement.active) statement.reject(reason)
  cancel(statement)
}

/** Cancelling a sent statement takes a separate connection, whose errors do not matter. */
const cancel = (statement: DriverStatement): void => void Promise.resolve(statement.cancel()).catch(() => {})
