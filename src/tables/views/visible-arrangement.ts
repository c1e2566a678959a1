import type { Table } from '../model'
import type { Arrangement } from './model'

/** The ids of the columns that the caller may not read. @param table as it is for the caller */
const unreadableColumns = ({ columns }: Table): Set<string> =>
  new Set(columns.filter(({ access, isReadable }) => access?.isHidden || !isReadable).map(({ id }) => id))

/** Whether the arrangement names columns that the caller may not read. */
export const namesUnreadable = (settings: Arrangement, table: Table): boolean =>
  [...unreadableColumns(table)].some((id) => JSON.stringify(settings).includes(id))

/** The arrangement without the columns that the caller may not read, and without the conditions on them. */
export function visibleArrangement(settings: Arrangement, table: Table): Arrangement {
  const hidden = unreadableColumns(table)
  return hidden.size > 0 ? (without(settings, hidden) as Arrangement) : settings
}

/** In an array, an entry that is or names one of the ids goes. */
function without(value: unknown, ids: ReadonlySet<string>): unknown {
  const isNamed = (entry: unknown) =>
    typeof entry === 'string'
      ? ids.has(entry)
      : typeof entry === 'object' && entry !== null && 'column' in entry && ids.has(String(entry.column))
  if (Array.isArray(value)) return value.filter((entry) => !isNamed(entry)).map((entry) => without(entry, ids))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => !ids.has(name))
      .map(([name, entry]) => [name, without(entry, ids)]),
  )
}
