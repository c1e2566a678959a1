import { setUnsaved } from '../../../session/unsaved-changes'
import type { RecordValues } from './cell-values'
import type { DisplayedRow, RecordPages } from './record-pages'

/** Values that were entered but not confirmed by the service. They are displayed in every list of the table. */
export class PendingCells {
  private readonly cells = new Map<string, RecordValues>()
  private readonly unsent = new Set<string>()
  private records: RecordPages | null = null

  /** @param discard drops all pending values */
  constructor(readonly discard: () => void) {}

  use(records: RecordPages) {
    this.records = records
  }

  get isEmpty(): boolean {
    return this.cells.size === 0
  }

  /** The pending part of a row. */
  pendingOf(key: string | null): Pick<DisplayedRow, 'pending' | 'isUnsent'> {
    const pending = key === null ? undefined : this.cells.get(key)
    return pending ? { pending, isUnsent: this.unsent.has(key!) } : {}
  }

  show(key: string, values: RecordValues) {
    this.put(key, { ...this.cells.get(key), ...values })
    this.records?.setErrors(key, Object.fromEntries(Object.keys(values).map((name) => [name, undefined])))
  }

  hide(key: string, names: string[]) {
    this.put(key, omitKeys(this.cells.get(key), names))
  }

  /** Updates a record. @param written columns that have been stored */
  update(key: string, record: RecordValues, written: string[]) {
    this.put(key, omitKeys(this.cells.get(key), written))
    this.records?.replace(key, record)
  }

  /** @param isUnsent whether the service cannot be reached */
  setUnsent(keys: string[], isUnsent: boolean) {
    const changed = keys.filter((key) => this.unsent.has(key) !== isUnsent)
    for (const key of changed) isUnsent ? this.unsent.add(key) : this.unsent.delete(key)
    if (changed.length) this.notify()
  }

  clear() {
    this.cells.clear()
    this.unsent.clear()
    this.notify()
  }

  private put(key: string, pending: RecordValues | undefined) {
    pending ? this.cells.set(key, pending) : this.cells.delete(key)
    this.notify()
  }

  private notify() {
    setUnsaved(this, { busy: this.cells.size, unsent: this.unsent.size })
    this.records?.notify()
  }
}

/** @returns undefined instead of an empty object */
function omitKeys<T>(values: Record<string, T> | undefined, names: string[]): Record<string, T> | undefined {
  const left = Object.entries(values ?? {}).filter(([name]) => !names.includes(name))
  return left.length ? Object.fromEntries(left) : undefined
}
