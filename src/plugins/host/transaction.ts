import type { Data } from 'rowhouse/plugin'
import type { Executor, Query } from '../../db/pool/open'
import type { DataAccess } from './data-access'
import { recordAccess } from './records'

type Tx = Pick<Data, 'records'>
/** One operation of a transaction. `isAwaited` is true when the plugin uses the operation's promise. */
type Operation = { isAwaited: boolean }
type Failed = { error: unknown; operation: Operation; isFatal: boolean }

/**
 * One try of a plugin's transaction. It ends when every operation that has begun has ended; afterwards its facade
 * throws.
 * @throws the error of `work`, the reason why the call is over, or the error of an operation that was not awaited
 */
export async function runTransaction<Result>(executor: Executor, access: DataAccess, work: (tx: Tx) => Promise<Result>): Promise<Result> {
  const transaction = new Transaction(executor, access)
  try {
    return await untilEnded(access.ending, transaction.run(work))
  } finally {
    transaction.close()
  }
}

class Transaction {
  readonly #access: DataAccess
  readonly #executor: Executor
  readonly #pending = new Set<Promise<unknown>>()
  readonly #failed: Failed[] = []
  /** No new operation may begin. */
  #isOver = false
  /** No operation may send another statement: the connection may have another user already. */
  #isClosed = false
  /** PostgreSQL has rejected a statement, and rejects all further statements of the transaction. */
  #isAborted = false
  #isLate = false

  constructor(executor: Executor, access: DataAccess) {
    this.#access = access
    const query: Query = (...statement) => {
      access.ending.throwIfAborted()
      if (this.#isClosed) throw transactionOver()
      return executor.query<never>(...statement).catch((error) => {
        this.#isAborted = true
        throw error
      }) as ReturnType<typeof executor.query<never>>
    }
    this.#executor = { ...executor, query }
  }

  async run<Result>(work: (tx: Tx) => Promise<Result>): Promise<Result> {
    const tx = Object.freeze({ records: (table: string) => this.#records(table) }) as unknown as Tx
    const result = await work(tx)
    this.#isOver = true
    await this.#drain()
    const failed = this.#failed.find(({ isFatal, operation }) => isFatal || !operation.isAwaited)
    if (failed) throw failed.error
    if (this.#isLate) throw transactionOver()
    return result
  }

  close() {
    this.#isOver = true
    this.#isClosed = true
  }

  async #drain() {
    if (!this.#pending.size) return
    while (this.#pending.size) await Promise.all(this.#pending)
    // Code that awaits the operation that has just ended runs now, and may begin another operation.
    await new Promise(setImmediate)
  }

  #records(table: string) {
    const methods = Object.entries(recordAccess(this.#executor, this.#access, table))
    const begun = ([name, method]: (typeof methods)[number]) => [name, (...given: never[]) => this.#begin(method as never, given)]
    return Object.freeze(Object.fromEntries(methods.map(begun)))
  }

  #begin<Result>(method: (...given: never[]) => Promise<Result>, given: never[]): Promise<Result> {
    if (this.#isOver) {
      this.#isLate = true
      return Promise.reject(transactionOver())
    }
    const [running, operation] = [method(...given), { isAwaited: false }]
    const ended = running
      .catch((error) => void this.#failed.push({ error, operation, isFatal: this.#isAborted || this.#isOver }))
      .finally(() => this.#pending.delete(ended))
    this.#pending.add(ended)
    return noting(operation, running)
  }
}

/** A promise that sets `isAwaited` when it is used: `await`, `then`, `catch` and `finally` all read a member of it. */
const noting = <Result>(operation: Operation, running: Promise<Result>): Promise<Result> =>
  new Proxy(running, {
    get: (target, name) => {
      operation.isAwaited = true
      const member = Reflect.get(target, name)
      return typeof member === 'function' ? member.bind(target) : member
    },
  })

const transactionOver = () => new Error('The transaction is over: wait for all that it does, with "await", before it ends.')

/**
 * Stops waiting when the call is over, because an open transaction holds locks that others wait for.
 * @throws the reason why the call is over
 */
async function untilEnded<Result>(ending: AbortSignal, work: Promise<Result>): Promise<Result> {
  const over = Promise.withResolvers<never>()
  const end = () => over.reject(ending.reason)
  ending.addEventListener('abort', end, { once: true })
  if (ending.aborted) end()
  try {
    const result = await Promise.race([work, over.promise])
    ending.throwIfAborted()
    return result
  } finally {
    ending.removeEventListener('abort', end)
    Promise.resolve(work).catch(() => {})
  }
}
