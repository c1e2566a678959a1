import type { TableView } from '../../../../tables/model'
import { send } from '../../api/client'
import { recordsUrl } from '../../api/urls'
import { countExactly } from '../list/exact-count'
import { type ListPage, pageSize } from '../list/first-page'
import { type RecordValues, readJson, recordKey } from '../values/cell-values'
import { keysFilter, maxKeysInUrl } from '../values/record-key'
import type { RecordPages } from './record-pages'

/** The visible part of a list as the service has it now. */
export type ListRefresh = {
  /** The keys of visible records that no longer exist. */
  deleted: readonly string[]
  /** Whether the row of a record changes. */
  moves: (key: string) => boolean
  /** Whether the rows after the last record change. */
  movesEnd: boolean
  /** Displays the new state. */
  apply: () => void
}

/** Counting more records takes long, so only a refresh by the user does it. */
const maxCountedRecords = 100_000
/**
 * Fetches the visible pages again, regardless of the cache, and looks up the records that are no longer on them.
 * @param isAsked whether the user has requested the refresh, which then counts the records of a list of any length
 * @returns null if the list has been cleared meanwhile
 * @throws errors of the requests
 */
export async function refreshList(
  { primaryKey }: Pick<TableView, 'primaryKey'>,
  list: RecordPages,
  isAsked: boolean,
): Promise<ListRefresh | null> {
  const { generation, renames, written, created } = list
  const before = list.shown.pages
  const mayCount = isAsked || list.recordCount <= maxCountedRecords
  const [pages, counted] = await Promise.all([fetchPages(list, [...before.keys()]), mayCount ? countRecords(list, created) : null])
  const isBehindEnd = [...pages].some(([page, { records }]) => page > 0 && records.length === 0)
  const count = counted ?? (isBehindEnd ? await countRecords(list, created) : null)

  const keyOf = (record: RecordValues) => recordKey(primaryKey, record)
  const places = new Map<string, number>()
  for (const [page, { records }] of pages)
    for (const [at, record] of records.entries()) places.set(keyOf(record) ?? '', page * pageSize + at)
  const left = [...before.values()].flatMap(({ records }) => records.flatMap((record) => keyOf(record) ?? []))
  const missing = [...new Set([...left, ...created])].filter((key) => !places.has(key))
  const found = await fetchByKeys(list.source.tableId, primaryKey, missing)
  const existing = new Map(found.map((record) => [keyOf(record)!, record]))
  const deleted = missing.filter((key) => !existing.has(key))
  if (list.generation !== generation) return null
  if (list.renames !== renames) return refreshList({ primaryKey }, list, isAsked)
  return {
    deleted,
    moves: (key) => !created.includes(key) && (places.has(key) ? places.get(key) !== list.indexOf(key) : deleted.includes(key)),
    movesEnd: deleted.length > 0 || (count !== null && count.total + count.unlisted !== list.recordCount),
    apply: () => {
      list.adopt(pages, written, count)
      const appended = list.created
      for (const key of appended) if (existing.has(key)) list.replace(key, existing.get(key)!)
      const gone = appended.filter((key) => deleted.includes(key))
      if (gone.length) list.removeRows(gone)
    },
  }
}

/** Counting may exceed the service's time limit. */
const countRecords = ({ source }: RecordPages, created: readonly string[]) => countExactly(source, created).catch(() => null)

/** Fetches pages by cursor; the first one by offset, since records may have been added or deleted before it. */
async function fetchPages(list: RecordPages, numbers: number[]): Promise<Map<number, ListPage>> {
  const pages = new Map<number, ListPage>()
  for (const page of numbers.sort((one, other) => one - other))
    pages.set(page, await list.requestPage(page, pages.get(page - 1)?.nextCursor))
  return pages
}

async function fetchByKeys(tableId: string, primaryKey: readonly string[], keys: readonly string[]): Promise<RecordValues[]> {
  const found: RecordValues[] = []
  for (let at = 0; at < keys.length; at += maxKeysInUrl) {
    const [name, value] = keysFilter(primaryKey, keys.slice(at, at + maxKeysInUrl))
    const query = `${encodeURIComponent(name)}=${encodeURIComponent(value)}&limit=${maxKeysInUrl}`
    found.push(...(await readJson<ListPage>(await send(recordsUrl(tableId, query)))).records)
  }
  return found
}
