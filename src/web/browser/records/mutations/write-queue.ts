import { moveEntry } from '../pages/pending-cells'
import type { CellChange } from './undo-stack'

/** Runs the writes to one record one after the other. */
export class WriteQueue {
  private readonly last = new Map<string, Promise<unknown>>()
  private readonly open = new Set<CellChange>()

  add<T>(changes: readonly CellChange[], work: () => Promise<T>): Promise<T> {
    const keys = [...new Set(changes.map(({ key }) => key))]
    for (const change of changes) this.open.add(change)
    const result = Promise.allSettled(keys.map((key) => this.last.get(key)))
      .then(work)
      .finally(() => {
        for (const change of changes) this.open.delete(change)
      })
    for (const key of keys) this.last.set(key, result)
    return result
  }

  /** Moves the waiting changes of a record to its new key. */
  rename(key: string, now: string) {
    for (const change of this.open) if (change.key === key) change.key = now
    moveEntry(this.last, key, now)
  }
}
