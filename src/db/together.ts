/**
 * A call that is under way makes the next one wait for it, but no longer than this: what comes meanwhile goes along, so the busier the database is, the more
 * share a call. A call that hangs holds nobody up.
 */
const longestWaitMs = 2

/** Says when a call may begin: in the next turn of the event loop at the earliest, so that all of this turn have come. */
function turns(): { next: () => Promise<void>; during: <Value>(call: Promise<Value>) => Promise<Value> } {
  let underWay = 0
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
  const during = <Value>(call: Promise<Value>) => {
    underWay++
    return call.finally(() => {
      underWay--
      wake()
    })
  }
  return { next, during }
}

type Loaded<Key, Value> = Map<Key, Value | Promise<Value | undefined>>

/**
 * Collects what is asked for in one turn of the event loop and loads it with one call: requests that arrive together share a query.
 * Nothing is kept from one call to the next, so every answer is as fresh as a query of its own.
 * @param load gets each key once, with what each of those who ask brought along, and answers by key; what it leaves out was not found. For what
 *   takes longer than the rest, with a promise
 */
export function together<Key, Value, Brought = never>(
  load: (keys: Key[], brought: Brought[]) => Promise<Loaded<Key, Value>>,
): (key: Key, brings?: Brought) => Promise<Value | undefined> {
  const { next, during } = turns()
  let waiting: { keys: Set<Key>; brought: Brought[]; loaded: Promise<Loaded<Key, Value>> } | null = null
  const begin = () => {
    const keys = new Set<Key>()
    const brought: Brought[] = []
    const loaded = next().then(() => {
      waiting = null
      return during(load([...keys], brought))
    })
    return { keys, brought, loaded }
  }
  return async (key, brings) => {
    waiting ??= begin()
    waiting.keys.add(key)
    if (brings !== undefined) waiting.brought.push(brings)
    return (await waiting.loaded).get(key)
  }
}

/** As `together`, for keys that are each loaded with a call of their own: whoever asks for the same in one turn shares it. */
export function shared<Key, Value, Brought = never>(
  load: (key: Key, brought: Brought[]) => Promise<Value>,
): (key: Key, brings?: Brought) => Promise<Value> {
  const waiting = new Map<Key, { brought: Brought[]; loaded: Promise<Value> }>()
  const begin = (key: Key) => {
    const brought: Brought[] = []
    const loaded = new Promise<void>((done) => setImmediate(done)).then(() => {
      waiting.delete(key)
      return load(key, brought)
    })
    return { brought, loaded }
  }
  return (key, brings) => {
    const asked = waiting.get(key) ?? begin(key)
    waiting.set(key, asked)
    if (brings !== undefined) asked.brought.push(brings)
    return asked.loaded
  }
}

/**
 * As `together`, for what is written: every item counts, also one that is like another.
 * @param load answers in the order of its items; for what takes longer than the rest, with a promise
 */
export function gathered<Item, Result>(
  load: (items: Item[]) => Promise<(Result | Promise<Result>)[]>,
  most: number,
): (item: Item) => Promise<Result> {
  const { next, during } = turns()
  let waiting: { items: Item[]; loaded: Promise<(Result | Promise<Result>)[]> } | null = null
  const begin = () => {
    const items: Item[] = []
    const loaded = next().then(() => {
      if (waiting?.items === items) waiting = null
      return during(load(items))
    })
    return { items, loaded }
  }
  return async (item) => {
    if (!waiting || waiting.items.length === most) waiting = begin()
    const { items, loaded } = waiting
    const place = items.push(item) - 1
    return (await loaded)[place]!
  }
}
