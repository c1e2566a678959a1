import { useEffect, useRef } from 'react'
import type { TableView } from '../../../../../tables/model'
import { filterRules, mapRules } from '../../../records/filters/filter-tree'
import type { ListQuery } from '../../../records/list/list-query'

/** Filters and order follow columns that are renamed, and drop columns that are deleted. */
export function useRenamedColumns(table: TableView, query: ListQuery, setQuery: (query: ListQuery) => void) {
  const before = useRef(table)
  useEffect(() => {
    const names = renamedColumns(before.current, table)
    before.current = table
    const isUsed = [...filterRules(query.filter), ...query.sort].some(({ column }) => names.has(column))
    if (!isUsed) return
    const filter = mapRules(query.filter, (rule) => renamed(rule, names))
    setQuery({ ...query, filter, sort: query.sort.flatMap((term) => renamed(term, names) ?? []) })
  }, [table, query, setQuery])
}

/** By the old name the new one; undefined for a deleted column. */
function renamedColumns(before: TableView, { columns }: TableView): Map<string, string | undefined> {
  const names = before.columns.map(({ id, name }) => [name, columns.find((column) => column.id === id)?.name] as const)
  return new Map(names.filter(([name, now]) => name !== now))
}

function renamed<Part extends { column: string }>(part: Part, names: Map<string, string | undefined>): Part | null {
  const name = names.has(part.column) ? names.get(part.column) : part.column
  return name === undefined ? null : { ...part, column: name }
}
