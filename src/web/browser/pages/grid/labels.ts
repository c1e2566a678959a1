import type { TableView } from '../../../../tables/model'
import { send } from '../../api'
import { queryClient, tablesQuery } from '../../queries'
import { titleColumn } from '../record/column'
import { answerOf, plainText, type Values } from './values'

/** So many keys fit into an address. */
const mostAtOnce = 100

/** What records of other tables are called, by table and key. Asked for together, kept as long as the page. */
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
    const table = (await queryClient.ensureQueryData(tablesQuery)).find(({ id }) => id === tableId)
    const [key] = table?.primaryKey ?? []
    if (!table || !key) return
    for (let at = 0; at < keys.length; at += mostAtOnce) {
      const list = keys.slice(at, at + mostAtOnce).map((part) => `"${part.replace(/[\\"]/g, '\\$&')}"`)
      for (const [found, label] of await readLabels(
        table,
        `${encodeURIComponent(inGrammar(key))}=in.${encodeURIComponent(`(${list.join(',')})`)}`,
      ))
        this.known.set(`${tableId} ${found}`, label)
      this.tell()
    }
  }

  private tell() {
    for (const listener of this.listeners) listener()
  }
}

const inGrammar = (name: string) => `"${name.replace(/[\\"]/g, '\\$&')}"`

/** Keys and labels of the records that a query finds. */
export async function readLabels(table: TableView, query: string, signal?: AbortSignal): Promise<[key: string, label: string][]> {
  const [[key = ''], label] = [table.primaryKey, titleColumn(table)]
  const select = encodeURIComponent([...new Set([key, label])].map(inGrammar).join(','))
  const address = `/api/v1/tables/${encodeURIComponent(table.id)}/records?select=${select}&limit=${mostAtOnce}&${query}`
  const { records } = await answerOf<{ records: Values[] }>(await send(address, { signal }))
  return records.map((record) => [plainText(record[key]), plainText(record[label]) || plainText(record[key])])
}
