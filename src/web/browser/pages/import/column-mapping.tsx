import { NativeSelect } from '@mantine/core'
import { createColumnFinder } from '../../../../csv/column-names'
import { csvLine } from '../../../../csv/line'
import { findColumnType } from '../../../../tables/column-types/descriptors'
import type { TableView } from '../../../../tables/model'
import { useStrings } from '../../language'

/** The column for each column of the file, by position; an empty string for a skipped column. */
export type ColumnMapping = string[]

/** Matches headers with column names as the service does, each column once; without any headers, by position. */
export function guessMapping(table: TableView, headers: readonly string[]): ColumnMapping {
  const names = fillableNames(table)
  // The mode, which is chosen later, determines whether generated keys are imported.
  const keys = table.columns.filter(({ unique }) => unique).map(({ name }) => name)
  const find = createColumnFinder(fillableNames(table, [...table.primaryKey, ...keys]).map((name) => ({ name })))
  const used = new Set<string>()
  const areNamed = headers.some((header) => header !== '')
  return headers.map((header, index) => {
    // An export puts an apostrophe before a name that looks like a formula.
    const found = !areNamed ? names[index] : (find(header) ?? find(header.trim()) ?? find(header.replace(/^'/, '')))?.name
    if (found === undefined || used.has(found)) return ''
    used.add(found)
    return found
  })
}

/** Generated columns are imported only as `keys` of an upsert; those that the user may not write never are. */
export const fillableNames = ({ columns }: TableView, keys: readonly string[] = []) =>
  columns
    .filter(({ name, type, readOnly }) => keys.includes(name) || (!readOnly && findColumnType(type)?.filledBy === undefined))
    .map(({ name }) => name)

/** The parameters of the import route (docs/csv.md): by header name if the headers are unique, else by position. */
export function mappingParameters(headers: readonly string[], assignment: ColumnMapping): Record<string, string> {
  const names = headers.map((header) => header.trim()).filter(Boolean)
  const isNamelessFilled = headers.some((header, index) => !header.trim() && assignment[index])
  if (!names.length || new Set(names).size < names.length || isNamelessFilled) return { columns: csvLine(assignment, ',') }
  const changed = headers.flatMap((header, index) => (header === assignment[index] ? [] : [[header.trim(), assignment[index]]]))
  return changed.length ? { mapping: JSON.stringify(Object.fromEntries(changed)) } : {}
}

type MappingListProps = { names: string[]; headers: string[]; assignment: ColumnMapping; change: (assignment: ColumnMapping) => void }

export function MappingList({ names, headers, assignment, change }: MappingListProps) {
  const { transfer } = useStrings()
  return (
    <ul className="plan" aria-label={transfer.columns}>
      {headers.map((header, index) => {
        const label = header || transfer.columnAt(index + 1)
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: a column of a file is identified by its position
          <li key={index}>
            <b>{label}</b>
            <NativeSelect
              size="xs"
              aria-label={transfer.columnFor(label)}
              value={names.includes(assignment[index]!) ? assignment[index] : ''}
              onChange={(event) => change(assignment.with(index, event.currentTarget.value))}
              data={[{ value: '', label: transfer.skip }, ...names]}
            />
          </li>
        )
      })}
    </ul>
  )
}
