import { findTable, type Tables } from '../catalog/catalog'
import { displayColumnOf } from '../display-column'
import type { Table } from '../model'
import { allowsRead } from '../row-rules'
import { type Arrangement, columnIdPattern } from './model'

/** A table, and the tables to which its links lead: `tables` are narrowed for the caller, `all` are not. */
export type ViewedTable = { table: Table; tables: Tables; all: Tables }

/**
 * @param linked the part of the linked records that a condition compares: true for the text that names them, or the id
 * of a column
 */
type Keeps = (columnId: string, linked?: unknown) => boolean

/** The arrangement reduced to columns that exist and that the caller may read. */
export function visibleArrangement(settings: Arrangement, viewed: ViewedTable): Arrangement {
  const readable = new Set(viewed.table.columns.filter(({ isReadable }) => isReadable).map(({ id }) => id))
  return kept(settings, (id, linked) => {
    if (!readable.has(id)) return false
    return !linked || (linkedColumn(viewed, id, linked) !== undefined && readsLinkedColumn(viewed, id, linked))
  }) as Arrangement
}

/** Whether the arrangement uses columns that exist and that the caller may not read. */
export function namesUnreadable(settings: Arrangement, viewed: ViewedTable): boolean {
  const unreadable = new Set(viewed.table.columns.filter(({ isReadable }) => !isReadable).map(({ id }) => id))
  const readable = kept(settings, (id, linked) => !unreadable.has(id) && (!linked || readsLinkedColumn(viewed, id, linked)))
  return !Bun.deepEquals(readable, settings)
}

/** A caller who may not read the column that names the linked records sees another column as their name. */
const readsLinkedColumn = (viewed: ViewedTable, columnId: string, linked: unknown): boolean =>
  linkedColumn(viewed, columnId, linked) === linkedColumn({ ...viewed, tables: viewed.all }, columnId, linked)

/** The id of the compared column of the records to which a column links. */
function linkedColumn({ table, tables }: ViewedTable, columnId: string, linked: unknown): string | undefined {
  const target = findTable(tables, String(table.columns.find(({ id }) => id === columnId)?.options.table))
  if (!target) return undefined
  if (linked === true) return displayColumnOf(target)?.id
  return allowsRead(target) ? target.columns.find(({ id, isReadable }) => isReadable && id === linked)?.id : undefined
}

const columnId = new RegExp(columnIdPattern)
const isColumnId = (text: string): boolean => columnId.test(text)

/** Leaves out ids of columns, and the entries about them. A newer instance may have stored settings of other names. */
function kept(value: unknown, keeps: Keeps): unknown {
  if (Array.isArray(value)) return value.filter((entry) => isKept(entry, keeps)).map((entry) => kept(entry, keeps))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => !isColumnId(name) || keeps(name))
      // Values of a condition may look like ids of columns.
      .map(([name, entry]) => [name, 'column' in value && name === 'values' ? entry : kept(entry, keeps)]),
  )
}

function isKept(entry: unknown, keeps: Keeps): boolean {
  if (typeof entry === 'string') return !isColumnId(entry) || keeps(entry)
  if (typeof entry !== 'object' || entry === null || !('column' in entry)) return true
  return keeps(String(entry.column), 'linked' in entry && entry.linked)
}
