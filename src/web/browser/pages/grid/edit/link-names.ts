import { valueType } from '../../../../../tables/column-types/descriptors'
import type { TableView } from '../../../../../tables/model'
import { send } from '../../../api/client'
import { cachedUser, queryClient, tablesQuery } from '../../../api/queries'
import { jsonHeaders, recordsUrl } from '../../../api/urls'
import { usersQuery } from '../../../api/users-query'
import { isRefusal } from '../../../records/list/refused-conditions'
import { cellKind, linkSource, usersSource } from '../../../records/values/cell-kinds'
import { type GridColumn, isStoredAlike, readJson } from '../../../records/values/cell-values'
import { titleColumn } from '../../../records/values/column'
import { peopleQuery } from '../../../records/values/people'
import { quoteName, type TableRecord } from '../../../records/values/record-key'
import { fetchRecords, invalidateRecords } from '../../../records/values/record-queries'
import { toText } from '../../../values/exact-json'
import { UnreadableInput } from '../../../values/unreadable-input'

/** The keys of linked records by name, for each source of links; null for a name that several records have. */
type KeysByName = Map<string, Map<string, string | null>>

/** Names that no record of a table has. */
export type MissingNames = { table: TableView; names: string[] }

const linkKinds = ['link', 'manyLinks', 'person']
export const isLinkColumn = (column: GridColumn): boolean => linkKinds.includes(cellKind(column))

/** Used instead of a key for a name that is left out. */
const leftOut = ''

const maxNamesInUrl = 100
const maxUrlLength = 6000
/** The maximum number of records in a response. If a response is full, it may lack records with these names. */
const maxFound = 1000

/** A name may contain a comma, so the whole text counts as a name, too. */
const namesIn = (text: string, column: GridColumn): string[] => {
  const whole = text.trim()
  const parts = cellKind(column) === 'manyLinks' ? whole.split(',').map((part) => part.trim()) : []
  return [...new Set([whole, ...parts])].filter(Boolean)
}

/** Converts names in pasted text into the keys of the records that have them. */
export class LinkNames {
  private readonly keys: KeysByName = new Map()
  private readonly tables: readonly TableView[]
  private readonly cells: readonly { text: string; column: GridColumn }[]

  private constructor(tables: readonly TableView[], cells: readonly { text: string; column: GridColumn }[]) {
    this.tables = tables
    this.cells = cells.filter(({ column }) => isLinkColumn(column))
  }

  /** Looks up the names in the cells of link columns. @throws ApiError */
  static async find(cells: readonly { text: string; column: GridColumn }[]): Promise<LinkNames> {
    const names = new LinkNames(await queryClient.ensureQueryData(tablesQuery), cells)
    const bySource = Map.groupBy(names.cells, ({ column }) => linkSource(column))
    for (const [source, its] of bySource) {
      const wanted = [...new Set(its.flatMap(({ text, column }) => namesIn(text, column)))]
      names.keys.set(source, await names.findKeys(source, wanted))
    }
    return names
  }

  private async findKeys(source: string, names: string[]): Promise<Map<string, string | null>> {
    if (source === usersSource) return fetchUsers(names)
    const table = this.tables.find(({ id }) => id === source)
    return table?.can.read ? fetchKeys(table, names) : new Map()
  }

  /** The key or keys; null for a name that is left out; undefined if the text is not a name, and may itself be keys. */
  toValue(text: string, column: GridColumn): string | string[] | UnreadableInput | null | undefined {
    if (!isLinkColumn(column)) return undefined
    const keys = this.keys.get(linkSource(column))
    const whole = keys?.get(text.trim())
    if (cellKind(column) === 'person' && text.trim() !== '')
      return whole ?? new UnreadableInput(text, isAddress(text) && !isAdmin() ? 'address' : 'person')
    if (cellKind(column) !== 'manyLinks') return whole === leftOut ? null : (whole ?? this.refused([text.trim()], text, column))
    if (whole) return [whole].filter((key) => key !== leftOut)
    const parts = text.split(',').map((part) => part.trim())
    const unknown = parts.filter((part) => (keys?.get(part) ?? null) === null)
    return this.refused(unknown, text, column) ?? parts.map((part) => keys?.get(part) ?? part).filter((key) => key !== leftOut)
  }

  /**
   * A name that several records have is not a key, even if it looks like one. If a text is neither a name nor a key,
   * the service would reject the changes of all other cells, too.
   */
  private refused(unknown: string[], text: string, column: GridColumn): UnreadableInput | undefined {
    const source = linkSource(column)
    const table = this.tables.find(({ id }) => id === source)
    const isShared = (name: string) => this.keys.get(source)?.get(name) === null
    const isKey = (part: string) => part === '' || /^-?\d+$/.test(part)
    const isRefused = isShared(text.trim()) || unknown.some(isShared) || (table && hasCountedKey(table) && !unknown.every(isKey))
    return isRefused ? new UnreadableInput(text, 'record') : undefined
  }

  /** Names for which records could be created: no record has them, and they are not keys. */
  missing(): MissingNames[] {
    const found: MissingNames[] = []
    for (const [source, cells] of Map.groupBy(this.cells, ({ column }) => linkSource(column))) {
      const table = this.tables.find(({ id }) => id === source)
      const keys = this.keys.get(source)
      if (
        !table ||
        !keys ||
        !table.can.create ||
        !table.can.columns.write.includes(titleColumn(table)) ||
        titleColumn(table) === table.primaryKey[0] ||
        !hasCountedKey(table)
      )
        continue
      const unknown = cells.flatMap(({ text, column }) => {
        if (keys.has(text.trim())) return []
        return cellKind(column) === 'manyLinks' ? text.split(',').map((part) => part.trim()) : [text.trim()]
      })
      const names = canBeNames(table, [...new Set(unknown)]).filter((name) => name !== '' && !keys.has(name) && !/^\d+$/.test(name))
      if (names.length) found.push({ table, names })
    }
    return found
  }

  /** Leaves these names out of the paste. */
  leaveOut(missing: readonly MissingNames[]): void {
    for (const { table, names } of missing) for (const name of names) this.keys.get(table.id)!.set(name, leftOut)
  }

  /** Creates records with these names. @throws ApiError if a table needs more than a name */
  async create(missing: readonly MissingNames[]): Promise<void> {
    for (const { table, names } of missing) {
      const body = JSON.stringify(names.map((name) => ({ [titleColumn(table)]: name })))
      const created = await readJson<TableRecord[]>(await send(recordsUrl(table.id), { method: 'POST', headers: jsonHeaders, body }))
      const keys = this.keys.get(table.id)!
      // A record that its creator may not see has no key: its text then stays in the cell.
      for (const [place, name] of names.entries()) keys.set(name, toText(created[place]![table.primaryKey[0]!]) || null)
      await invalidateRecords(table)
    }
  }
}

/** Whether the keys are numbers; other keys look like names. */
const hasCountedKey = ({ columns, primaryKey }: TableView): boolean =>
  primaryKey.length === 1 && columns.some(({ name, type }) => name === primaryKey[0] && ['integer', 'bigint', 'autoNumber'].includes(type))

function uniqueKeys(pairs: [name: string, key: string][]): Map<string, string | null> {
  const keys = new Map<string, string | null>()
  for (const [name, key] of pairs) keys.set(name, keys.has(name) && keys.get(name) !== key ? null : key)
  return keys
}

/**
 * Finds the ids of users by id, by e-mail address (which only administrators may read), and by name. Names come last,
 * since users choose their own names.
 */
async function fetchUsers(names: string[]): Promise<Map<string, string | null>> {
  const people = await queryClient.fetchQuery({ ...peopleQuery, staleTime: 0 })
  const users = isAdmin() && names.some(isAddress) ? await queryClient.fetchQuery(usersQuery) : []
  const unique = new Map([...people.map(({ id }) => [id, id] as const), ...users.map(({ id, email }) => [email, id] as const)])
  const byName = uniqueKeys(people.map(({ id, name }) => [name, id]))
  return new Map(names.map((name) => [name, unique.get(name.toLowerCase()) ?? byName.get(name) ?? null]))
}

const isAddress = (name: string) => name.includes('@')
const isAdmin = () => cachedUser()?.role === 'admin'

const titleColumnOf = (table: TableView) => table.columns.find(({ name }) => name === titleColumn(table))

/** The texts that the naming column can hold: a search for a word in a column of numbers would be refused. */
function canBeNames(table: TableView, texts: string[]): string[] {
  const column = titleColumnOf(table)
  return column && cellKind(column) === 'number' ? texts.filter((text) => /^-?\d+(\.\d+)?$/.test(text)) : texts
}

async function fetchKeys(table: TableView, names: string[]): Promise<Map<string, string | null>> {
  const [key = '', title] = [table.primaryKey[0], titleColumn(table)]
  const select = [...new Set([key, title])].map(quoteName).join(',')
  const find = async (some: string[]): Promise<TableRecord[]> => {
    const query = { select, [quoteName(title)]: `in.(${some.map(quoteName).join(',')})`, limit: String(maxFound) }
    const records = await fetchRecords(table, query).catch((error) => {
      // Texts that the column cannot hold, such as words in a column of dates, are not names.
      if (isRefusal(error)) return []
      throw error
    })
    if (records.length < maxFound || some.length === 1) return records
    const half = some.length >> 1
    return [...(await find(some.slice(0, half))), ...(await find(some.slice(half)))]
  }
  const labelOf = (record: TableRecord) => toText(record[title])
  const pairs: [string, string][] = []
  for (const some of inUrls(canBeNames(table, names))) {
    const found = await find(some)
    for (const record of found) pairs.push([labelOf(record), toText(record[key])])
    const labels = new Set(found.map(labelOf))
    const others = found.length ? some.filter((name) => !labels.has(name)) : []
    // If the column distinguishes case, this request finds no record.
    for (const record of others.length ? await find(others) : [])
      for (const name of others) if (isAlike(titleColumnOf(table), name, labelOf(record))) pairs.push([name, toText(record[key])])
  }
  return uniqueKeys(pairs)
}

/** Whether PostgreSQL finds the label by the name: 5.00 by 5, and, in a column of type citext, Acme by acme. */
function isAlike(column: GridColumn | undefined, name: string, label: string): boolean {
  const isNumber = column && cellKind(column) === 'number'
  const plain = (text: string) => (isNumber ? text.replace(/^(-?)0+(?=\d)/, '$1') : text.trimEnd().toLowerCase())
  return isStoredAlike(plain(name), plain(label), column && valueType(column))
}

/** Splits names into lists that each fit into a URL. */
function inUrls(names: string[]): string[][] {
  const lists: string[][] = []
  let length = maxUrlLength
  for (const name of names) {
    const size = encodeURIComponent(quoteName(name)).length + 3
    if (length + size > maxUrlLength || lists.at(-1)!.length >= maxNamesInUrl) {
      lists.push([])
      length = 0
    }
    lists.at(-1)!.push(name)
    length += size
  }
  return lists
}
