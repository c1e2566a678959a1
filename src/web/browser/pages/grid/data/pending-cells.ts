import { setUnsaved } from '../../../session/unsaved-changes'
import type { Values } from './cell-values'
import type { Records, Row } from './record-pages'

/** What was typed into records and has not been answered. It is shown in whatever list stands there, until it is. */
export class PendingCells {
  private readonly cells = new Map<string, Values>()
  private readonly unsent = new Set<string>()
  private records: Records | null = null

  /** @param abandon gives all of it up */
  constructor(readonly abandon: () => void) {}

  use(records: Records) {
    this.records = records
  }

  get isEmpty(): boolean {
    return this.cells.size === 0
  }

  /** What a row that was read shows beside its record. */
  of(key: string | null): Pick<Row, 'pending' | 'isUnsent'> {
    const pending = key === null ? undefined : this.cells.get(key)
    return pending ? { pending, isUnsent: this.unsent.has(key!) } : {}
  }

  show(key: string, values: Values) {
    this.put(key, { ...this.cells.get(key), ...values })
    this.draw(key, ({ problems, ...row }) => ({ ...row, problems: without(problems, Object.keys(values)) }))
  }

  hide(key: string, names: string[]) {
    this.put(key, without(this.cells.get(key), names))
    this.draw(key)
  }

  /** A record as the service has it now. @param written columns that stand in it as they were typed */
  learn(key: string, record: Values, written: string[]) {
    this.put(key, without(this.cells.get(key), written))
    this.draw(key, (row) => ({ ...row, record }))
  }

  blame(key: string, problems: Record<string, string>) {
    this.draw(key, (row) => ({ ...row, problems: { ...row.problems, ...problems } }))
  }

  /** @param isUnsent whether the service cannot be reached */
  mark(keys: string[], isUnsent: boolean) {
    const changed = keys.filter((key) => this.unsent.has(key) !== isUnsent)
    for (const key of changed) {
      isUnsent ? this.unsent.add(key) : this.unsent.delete(key)
      this.draw(key)
    }
    if (changed.length) this.tell()
  }

  clear() {
    this.cells.clear()
    this.unsent.clear()
    this.tell()
  }

  private put(key: string, pending: Values | undefined) {
    pending ? this.cells.set(key, pending) : this.cells.delete(key)
    this.tell()
  }

  private tell() {
    setUnsaved(this, { busy: this.cells.size, unsent: this.unsent.size })
  }

  private draw(key: string, change = (row: Row) => row) {
    this.records?.change(key, (row) => ({ ...change(row), pending: undefined, isUnsent: undefined, ...this.of(key) }))
  }
}

/** @returns nothing instead of an empty object, so that it can be asked whether there is any */
function without<T>(values: Record<string, T> | undefined, names: string[]): Record<string, T> | undefined {
  const left = Object.entries(values ?? {}).filter(([name]) => !names.includes(name))
  return left.length ? Object.fromEntries(left) : undefined
}
