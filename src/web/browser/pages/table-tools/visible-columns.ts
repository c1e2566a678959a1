import { useQuery } from '@tanstack/react-query'
import type { TableView } from '../../../../tables/model'
import { viewQuery } from '../grid/data/table-queries'
import { layOutColumns } from '../grid/view/column-layout'

/** The columns of the current view, in its order. */
export function useVisibleColumns(table: TableView): string[] {
  const { data: view = {} } = useQuery(viewQuery(table.id))
  return layOutColumns(table, view).map(({ column }) => column.name)
}
