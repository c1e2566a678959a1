import { NativeSelect } from '@mantine/core'
import { findColumnType } from '../../../../tables/column-types/descriptors'
import type { TableView } from '../../../../tables/model'
import { useStrings } from '../../language'

/** The name of a column for each column of the file by its place, or an empty text for what is left out. */
export type Assignment = string[]

/** By name, exactly or whatever its case; each column once. Without a header in the order of the table. */
export function guessAssignment(table: TableView, headers: readonly string[]): Assignment {
  const names = namesOf(table)
  const taken = new Set<string>()
  return headers.map((header, place) => {
    const trimmed = header.trim()
    const found =
      header === ''
        ? names[place]
        : (names.find((name) => name === trimmed) ?? names.find((name) => name.toLowerCase() === trimmed.toLowerCase()))
    if (found === undefined || taken.has(found)) return ''
    taken.add(found)
    return found
  })
}

/** Columns that only the service fills are passed over by it, so they are not offered. */
const namesOf = ({ columns }: TableView) =>
  columns.filter(({ type }) => findColumnType(type)?.filledBy === undefined).map(({ name }) => name)

/** As the route reads it (docs/csv.md): by the header's names where there are any, else by place. */
export function mappingParameters(headers: readonly string[], assignment: Assignment): Record<string, string> {
  if (headers.every((header) => header === '')) return { columns: assignment.join(',') }
  const changed = headers.flatMap((header, place) => (header === assignment[place] ? [] : [[header.trim(), assignment[place]]]))
  return changed.length ? { mapping: JSON.stringify(Object.fromEntries(changed)) } : {}
}

type Props = { table: TableView; headers: string[]; assignment: Assignment; change: (assignment: Assignment) => void }

export function MappingList({ table, headers, assignment, change }: Props) {
  const { transfer } = useStrings()
  const names = namesOf(table)
  return (
    <ul className="plan" aria-label={transfer.columns}>
      {headers.map((header, place) => {
        const shown = header || transfer.columnAt(place + 1)
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: a column of a file is its place
          <li key={place}>
            <b>{shown}</b>
            <NativeSelect
              size="xs"
              aria-label={transfer.columnFor(shown)}
              value={assignment[place]}
              onChange={(event) => change(assignment.with(place, event.currentTarget.value))}
              data={[{ value: '', label: transfer.skip }, ...names]}
            />
          </li>
        )
      })}
    </ul>
  )
}
