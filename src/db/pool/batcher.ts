import { currentScope, outsideOfScopes, RequestScope } from './scope'

/**
 * A call in flight makes the next one wait, but no longer than this. Items that arrive meanwhile join the next call, so
 * a busier database gets larger batches. A call that hangs does not block others.
 */
const maxBatchDelayMs = 2

/** A call never starts early with fewer items than this. */
const minEarlyBatch = 4
const maxInFlight = 2

/**
 * Decides when a call may begin: in the next turn of the event loop at the earliest, so that it holds all items of this
 * turn. Clients that are answered together send their next requests together. With one call for all of them, the
 * service is idle while the database works, and the database while the service answers. So a call may begin early with
 * half of the usual number of items.
 */
function createScheduler() {
  let underWay = 0
  let asking = 0
  let usual = 0
  let waiting: (() => void)[] = []
  const wake = () => {
    const woken = waiting
    waiting = []
    for (const each of woken) each()
  }
  const next = () =>
    new Promise<void>((done) => {
      if (underWay === 0) return void setImmediate(done)
      const timer = setTimeout(done, maxBatchDelayMs)
      waiting.push(() => {
        clearTimeout(timer)
        done()
      })
    })
  const canStartEarly = (count: number) => underWay < maxInFlight && count >= minEarlyBatch && count >= usual / 2
  const during = <Value>(count: number, call: Promise<Value>) => {
    underWay++
    asking += count
    usual += (asking - usual) / 8
    return call.finally(() => {
      underWay--
      asking -= count
      wake()
    })
  }
  return { next, canStartEarly, during }
}

/** The items of one call. */
class PendingBatch<Result> {
  readonly loaded: Promise<Result>
  #begin!: (result: Promise<Result>) => void
  #hasBegun = false

  constructor(
    next: Promise<void>,
    private readonly load: () => Promise<Result>,
  ) {
    this.loaded = new Promise((done) => {
      this.#begin = done
    })
    next.then(() => this.begin())
  }

  begin(): void {
    if (this.#hasBegun) return
    this.#hasBegun = true
    this.#begin(outsideOfScopes(() => Promise.try(this.load)))
  }
}

type BatchOptions = {
  /** The maximum number of items of one call. */
  maxItems?: number
  /** Whether a call may start early, once half of the usual number of items is waiting. */
  isEarly?: boolean
  /** Whether calls count towards the connection share of the callers whose items they hold. */
  isForCallers?: boolean
}

/** The caller whose connection share a call takes: the one caller of all its items; undefined if there are several. */
class BatchCaller {
  #caller: string | undefined
  #isOne = true
  #depth = 0

  /** @param known the item's caller, for items whose scope may not name it */
  add(known: string | undefined, isFirst: boolean): void {
    const scope = currentScope()
    const caller = known ?? scope?.caller
    if (isFirst) this.#caller = caller
    else if (caller !== this.#caller) this.#isOne = false
    if (scope && scope.depth > this.#depth) this.#depth = scope.depth
  }

  run<Result>(work: () => Result): Result {
    if (!this.#isOne || this.#caller === undefined) return work()
    const scope = new RequestScope()
    scope.caller = this.#caller
    scope.outerDepth = this.#depth
    return scope.run(work)
  }
}

/**
 * Collects the items of one turn of the event loop and handles them in one call, so that requests that arrive together
 * share a query. Nothing is cached between calls: every result is as fresh as that of a separate query.
 * @param call returns one result per item, in order; items may be equal. A slower result is a promise, so that it does
 * not delay the others.
 */
export function createBatcher<Item, Result>(
  call: (items: Item[]) => Promise<(Result | Promise<Result>)[]>,
  { maxItems = Number.POSITIVE_INFINITY, isEarly = true, isForCallers = false }: BatchOptions = {},
): (item: Item, caller?: string) => Promise<Result> {
  const { next, canStartEarly, during } = createScheduler()
  type Waiting = { items: Item[]; caller: BatchCaller | null; batch: PendingBatch<(Result | Promise<Result>)[]> }
  let waiting: Waiting | null = null
  const collect = (): Waiting => {
    const items: Item[] = []
    const caller = isForCallers ? new BatchCaller() : null
    const batch = new PendingBatch(next(), () => {
      if (waiting?.items === items) waiting = null
      return during(items.length, caller ? caller.run(() => call(items)) : call(items))
    })
    return { items, caller, batch }
  }
  // No Map or Set here: adding and removing thousands of items took longer than everything else.
  return (item, knownCaller) => {
    if (!waiting || waiting.items.length === maxItems) waiting = collect()
    const { items, caller, batch } = waiting
    const place = items.push(item) - 1
    caller?.add(knownCaller, place === 0)
    if (isEarly && canStartEarly(items.length)) batch.begin()
    return batch.loaded.then((results) => results[place]!)
  }
}
