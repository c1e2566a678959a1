import { findTable, type Tables } from '../catalog/catalog'
import { displayColumnOf } from '../display-column'
import type { Table } from '../model'
import { type Arrangement, columnIdPattern } from './model'

/** A table and those that its links lead to: `tables` as they are for the caller, `all` as they are. */
export type ViewedTable = { table: Table; tables: Tables; all: Tables }

/** @param isLinked whether it is about the text that names the records to which the column links */
type Keeps = (columnId: string, isLinked: boolean) => boolean

/** What the arrangement says about columns that exist and that the caller may read. */
export function visibleArrangement(settings: Arrangement, viewed: ViewedTable): Arrangement {
  const readable = new Set(viewed.table.columns.filter(({ isReadable }) => isReadable).map(({ id }) => id))
  return kept(settings, (id, isLinked) => {
    if (!readable.has(id)) return false
    return !isLinked || (linkedName(viewed, id) !== undefined && readsLinkedName(viewed, id))
  }) as Arrangement
}

/** Whether the arrangement uses columns that exist and that the caller may not read. */
export function namesUnreadable(settings: Arrangement, viewed: ViewedTable): boolean {
  const unreadable = new Set(viewed.table.columns.filter(({ isReadable }) => !isReadable).map(({ id }) => id))
  const readable = kept(settings, (id, isLinked) => !unreadable.has(id) && (!isLinked || readsLinkedName(viewed, id)))
  return !Bun.deepEquals(readable, settings)
}

/** Another column names the records for a caller who may not read the one that names them for everybody else. */
const readsLinkedName = (viewed: ViewedTable, columnId: string): boolean =>
  linkedName(viewed, columnId) === linkedName({ ...viewed, tables: viewed.all }, columnId)

/** The id of the column that names the records to which a column links. */
function linkedName({ table, tables }: ViewedTable, columnId: string): string | undefined {
  const target = findTable(tables, String(table.columns.find(({ id }) => id === columnId)?.options.table))
  return target && displayColumnOf(target)?.id
}

const columnId = new RegExp(columnIdPattern)
const isColumnId = (text: string): boolean => columnId.test(text)

/** Leaves out ids of columns, and the entries about them. A newer instance may have stored settings of other names. */
function kept(value: unknown, keeps: Keeps): unknown {
  if (Array.isArray(value)) return value.filter((entry) => isKept(entry, keeps)).map((entry) => kept(entry, keeps))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => !isColumnId(name) || keeps(name, false))
      // Values of a condition may look like ids of columns.
      .map(([name, entry]) => [name, 'column' in value && name === 'values' ? entry : kept(entry, keeps)]),
  )
}

function isKept(entry: unknown, keeps: Keeps): boolean {
  if (typeof entry === 'string') return !isColumnId(entry) || keeps(entry, false)
  if (typeof entry !== 'object' || entry === null || !('column' in entry)) return true
  return keeps(String(entry.column), 'linked' in entry && entry.linked === true)
}
