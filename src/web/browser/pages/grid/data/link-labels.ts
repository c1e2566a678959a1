import { queryClient, tablesQuery } from '../../../api/queries'
import { readLabels } from '../../record/data/linked-records'
import { peopleQuery } from '../../record/data/people'
import { everybody } from './cell-kinds'

/** What records of other tables, and people, are called, by table and key. Asked for together, kept as long as the page. */
export class Labels {
  private readonly known = new Map<string, string | null>()
  private readonly wanted = new Map<string, Set<string>>()
  private readonly listeners = new Set<() => void>()
  private timer: ReturnType<typeof setTimeout> | undefined

  readonly subscribe = (listener: () => void) => {
    this.listeners.add(listener)
    return () => void this.listeners.delete(listener)
  }

  /** The label, or null while it is not known; then it is asked for. */
  labelOf(tableId: string, key: string): string | null {
    const label = this.known.get(`${tableId} ${key}`)
    if (label !== undefined) return label
    this.known.set(`${tableId} ${key}`, null)
    this.wanted.set(tableId, (this.wanted.get(tableId) ?? new Set()).add(key))
    this.timer ??= setTimeout(() => void this.fetchWanted(), 10)
    return null
  }

  learn(tableId: string, key: string, label: string) {
    this.known.set(`${tableId} ${key}`, label)
    this.tell()
  }

  private async fetchWanted() {
    this.timer = undefined
    const all = [...this.wanted]
    this.wanted.clear()
    // A record that cannot be read is shown by its key.
    await Promise.allSettled(all.map(([tableId, keys]) => this.fetchFrom(tableId, [...keys])))
  }

  private async fetchFrom(tableId: string, keys: string[]) {
    if (tableId === everybody) return this.fetchPeople()
    const table = (await queryClient.ensureQueryData(tablesQuery)).find(({ id }) => id === tableId)
    if (!table?.primaryKey.length) return
    for (const { value, label } of await readLabels(table, keys)) this.known.set(`${tableId} ${value}`, label)
    this.tell()
  }

  private async fetchPeople() {
    for (const { id, name } of await queryClient.ensureQueryData(peopleQuery)) this.known.set(`${everybody} ${id}`, name)
    this.tell()
  }

  private tell() {
    for (const listener of this.listeners) listener()
  }
}
