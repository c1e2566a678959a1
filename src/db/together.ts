/**
 * Collects what is asked for in one turn of the event loop and loads it with one call: requests that arrive together share a query.
 * Nothing is kept from one call to the next, so every answer is as fresh as a query of its own.
 * @param load gets each key once, and answers by key; what it leaves out was not found
 */
export function together<Key, Value>(load: (keys: Key[]) => Promise<Map<Key, Value>>): (key: Key) => Promise<Value | undefined> {
  let waiting: { keys: Set<Key>; loaded: Promise<Map<Key, Value>> } | null = null
  const begin = () => {
    const keys = new Set<Key>()
    const loaded = new Promise<void>((done) => setImmediate(done)).then(() => {
      waiting = null
      return load([...keys])
    })
    return { keys, loaded }
  }
  return async (key) => {
    waiting ??= begin()
    waiting.keys.add(key)
    return (await waiting.loaded).get(key)
  }
}

/** As `together`, for keys that are each loaded with a call of their own: whoever asks for the same in one turn shares it. */
export function shared<Key, Value>(load: (key: Key) => Promise<Value>): (key: Key) => Promise<Value> {
  const waiting = new Map<Key, Promise<Value>>()
  return (key) => {
    const known = waiting.get(key)
    if (known) return known
    const loaded = new Promise<void>((done) => setImmediate(done)).then(() => {
      waiting.delete(key)
      return load(key)
    })
    waiting.set(key, loaded)
    return loaded
  }
}

/** As `together`, for what is written: every item counts, also one that is like another. @param load answers in the order of its items */
export function gathered<Item, Result>(load: (items: Item[]) => Promise<Result[]>, most: number): (item: Item) => Promise<Result> {
  let waiting: { items: Item[]; loaded: Promise<Result[]> } | null = null
  const begin = () => {
    const items: Item[] = []
    const loaded = new Promise<void>((done) => setImmediate(done)).then(() => {
      if (waiting?.items === items) waiting = null
      return load(items)
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
