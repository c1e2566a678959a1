import { setUnsaved } from '../../session/unsaved-changes'
import type { RecordValues } from '../values/cell-values'
import type { DisplayedRow, RecordPages } from './record-pages'

/** Texts that a record cannot hold, by column. They stay in their cells until they are corrected or replaced. */
export type RefusedTexts = Record<string, { text: string; reason: string }>

/** Values that were entered but not confirmed by the service. They are displayed in every list of the table. */
export class PendingCells {
  private readonly cells = new Map<string, RecordValues>()
  private readonly unsent = new Set<string>()
  private readonly refused = new Map<string, RefusedTexts>()
  private records: RecordPages | null = null

  /** @param discard drops all pending values */
  constructor(readonly discard: () => void) {}

  use(records: RecordPages) {
    this.records = records
  }

  /** The pending part of a row. */
  pendingOf(key: string | null): Pick<DisplayedRow, 'pending' | 'isUnsent' | 'refused'> {
    if (key === null) return {}
    const [pending, refused] = [this.cells.get(key), this.refused.get(key)]
    return { ...(pending ? { pending, isUnsent: this.unsent.has(key) } : {}), ...(refused ? { refused } : {}) }
  }

  /** Shows texts that are not sent, with the reasons. */
  refuse(key: string, texts: RefusedTexts) {
    this.refused.set(key, { ...this.refused.get(key), ...texts })
    this.notify()
  }

  /** Removes refused texts: the cells show their values again. @param names all columns without it */
  dropRefused(key: string, names?: string[]) {
    const left = names && omitKeys(this.refused.get(key), names)
    left ? this.refused.set(key, left) : this.refused.delete(key)
  }

  show(key: string, values: RecordValues) {
    this.dropRefused(key, Object.keys(values))
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

  /** Moves pending values to the new key of their record. */
  rename(key: string, now: string, record: RecordValues) {
    moveEntry(this.cells, key, now)
    moveEntry(this.refused, key, now)
    this.records?.rename(key, now, record)
  }

  /** @param isUnsent whether the service cannot be reached */
  setUnsent(keys: string[], isUnsent: boolean) {
    const changed = keys.filter((key) => this.unsent.has(key) !== isUnsent)
    for (const key of changed) isUnsent ? this.unsent.add(key) : this.unsent.delete(key)
    if (changed.length) this.notify()
  }

  clear() {
    this.cells.clear()
    this.refused.clear()
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

/** Moves the value of a key, if it has one, to another key. */
export function moveEntry<T>(map: Map<string, T>, key: string, now: string) {
  const value = map.get(key)
  map.delete(key)
  if (value !== undefined) map.set(now, value)
}
