/** A map of at most `max` entries: a new one beyond that replaces the least recently used one. */
export class Lru<Key, Value> {
  readonly #entries = new Map<Key, Value>()
  #latest: Key | undefined

  constructor(private readonly max: number) {}

  get(key: Key): Value | undefined {
    const value = this.#entries.get(key)
    // The entry in steady use is the last one already.
    if (value !== undefined && key !== this.#latest) this.set(key, value)
    return value
  }

  set(key: Key, value: Value): void {
    // A key that is set again would keep its position.
    this.#entries.delete(key)
    this.#entries.set(key, value)
    this.#latest = key
    if (this.#entries.size > this.max) this.#entries.delete(this.#entries.keys().next().value!)
  }

  delete(key: Key): void {
    this.#entries.delete(key)
  }
}
