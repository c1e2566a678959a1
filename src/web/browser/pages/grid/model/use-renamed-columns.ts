import { useEffect, useRef } from 'react'
import type { TableView } from '../../../../../tables/model'
import { filterRules } from '../../../records/filters/filter-tree'
import { type ListQuery, withColumnNames } from '../../../records/list/list-query'

/** Filters and order follow columns that are renamed, and drop columns that are deleted. */
export function useRenamedColumns(table: TableView, query: ListQuery, setQuery: (query: ListQuery) => void) {
  const before = useRef(table)
  useEffect(() => {
    const names = renamedColumns(before.current, table)
    before.current = table
    const isUsed = [...filterRules(query.filter), ...query.sort].some(({ column }) => names.has(column))
    if (!isUsed) return
    setQuery(withColumnNames(query, (name) => (names.has(name) ? names.get(name) : name)))
  }, [table, query, setQuery])
}

/** By the old name the new one; undefined for a deleted column. */
function renamedColumns(before: TableView, { columns }: TableView): Map<string, string | undefined> {
  const names = before.columns.map(({ id, name }) => [name, columns.find((column) => column.id === id)?.name] as const)
  return new Map(names.filter(([name, now]) => name !== now))
}
