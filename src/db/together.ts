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
