import { currentScope, outsideOfScopes, Scope } from './scope'

/**
 * A call that is under way makes the next one wait for it, but no longer than this: what comes meanwhile goes along, so the busier the database is, the more
 * share a call. A call that hangs holds nobody up.
 */
const longestWaitMs = 2

/** So few are not worth a call before its time. */
const fewest = 4
const mostUnderWay = 2

/**
 * Says when a call may begin: in the next turn of the event loop at the earliest, so that all of this turn have come. But callers who are answered together come back
 * together; while all of them wait for one call, this process has nothing to do, and while it makes their answers, the database has nothing. So a call may begin at once for half
 * of those who usually ask at a time.
 */
function turns() {
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
      const timer = setTimeout(done, longestWaitMs)
      waiting.push(() => {
        clearTimeout(timer)
        done()
      })
    })
  const isHalf = (count: number) => underWay < mostUnderWay && count >= fewest && count >= usual / 2
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
  return { next, isHalf, during }
}

/** What is collected for one call. */
class Collection<Result> {
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

type Options = {
  /** What one call may hold. */
  most?: number
  /** Whether a call may begin for half of those who usually ask. */
  inHalves?: boolean
}

/**
 * Collects what is asked for in one turn of the event loop and does it with one call: requests that arrive together share a query.
 * Nothing is kept from one call to the next, so every answer is as fresh as a query of its own.
 * @param call answers in the order of its items, of which some may be alike; for what takes longer than the rest, with a promise
 */
export function together<Item, Result>(
  call: (items: Item[]) => Promise<(Result | Promise<Result>)[]>,
  { most = Number.POSITIVE_INFINITY, inHalves = true }: Options = {},
): (item: Item) => Promise<Result> {
  const { next, isHalf, during } = turns()
  let waiting: { items: Item[]; collection: Collection<(Result | Promise<Result>)[]> } | null = null
  const collect = () => {
    const items: Item[] = []
    const collection = new Collection(next(), () => {
      if (waiting?.items === items) waiting = null
      return during(items.length, call(items))
    })
    return { items, collection }
  }
  // No map and no set in here: with items that come and go by thousands they took longer than all else.
  return (item) => {
    if (!waiting || waiting.items.length === most) waiting = collect()
    const { items, collection } = waiting
    const place = items.push(item) - 1
    if (inHalves && isHalf(items.length)) collection.begin()
    return collection.loaded.then((results) => results[place]!)
  }
}

type Shared<Value, Brought> = {
  brought: Brought[]
  askers: (Scope | undefined)[]
  /** What the load itself belongs to. */
  scope: Scope
  loaded: Promise<Value>
}

/** For keys that are each loaded with a call of their own: whoever asks for the same in one turn shares it. It ends when nobody waits for it any more. */
export function shared<Key, Value, Brought = never>(
  load: (key: Key, brought: Brought[]) => Promise<Value>,
): (key: Key, brings?: Brought) => Promise<Value> {
  const waiting = new Map<Key, Shared<Value, Brought>>()
  const begin = (key: Key): Shared<Value, Brought> => {
    const brought: Brought[] = []
    const scope = new Scope()
    scope.caller = currentScope()?.caller
    const loaded = new Promise<void>((done) => setImmediate(done)).then(() => {
      waiting.delete(key)
      return scope.run(() => load(key, brought))
    })
    return { brought, askers: [], scope, loaded }
  }
  return (key, brings) => {
    const asked = waiting.get(key) ?? begin(key)
    waiting.set(key, asked)
    if (brings !== undefined) asked.brought.push(brings)
    const asker = currentScope()
    asked.askers.push(asker)
    asked.scope.outerDepth = Math.max(asked.scope.outerDepth, asker?.depth ?? 0)
    asker?.onEnd((reason) => {
      if (asked.askers.every((each) => each?.reason)) asked.scope.end(reason)
    })
    return asked.loaded
  }
}
