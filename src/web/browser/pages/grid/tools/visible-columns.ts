import { useQuery } from '@tanstack/react-query'
import type { TableView } from '../../../../../tables/model'
import { layOutColumns } from '../../../records/list/column-layout'
import { viewQuery } from '../../../records/list/table-queries'

/** The columns of the current view, in its order. */
export function useVisibleColumns(table: TableView): string[] {
  const { data: view = {} } = useQuery(viewQuery(table.id))
  return layOutColumns(table, view).map(({ column }) => column.name)
}
