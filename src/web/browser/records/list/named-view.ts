import type { TableView } from '../../../../tables/model'
import type { NamedView } from '../../../../tables/views/model'
import { api, unwrap } from '../../api/client'
import { queryClient, tablesQuery } from '../../api/queries'
import type { FilterGroup } from '../filters/filter-operators'
import { filterRules, mapRules, noFilter } from '../filters/filter-tree'
import { tableByName } from '../values/column'
import { arrangementText } from './arrangement'
import { toUrlSearch, withColumnNames } from './list-query'
import { type SavedView, tableQuery } from './table-queries'

export const namedViewsApi = (tableId: string) => api.tables({ tableId: encodeURIComponent(tableId) }).views

/** A named view as a copy to edit. @throws ApiError, TypeError */
export async function fetchNamedView(tableId: string, viewId: string): Promise<SavedView> {
  const [view, table] = await Promise.all([
    unwrap(namedViewsApi(tableId)({ viewId: encodeURIComponent(viewId) }).get()),
    queryClient.fetchQuery(tableQuery(tableId)),
  ])
  // The cached tables may be older than a linked column of the view; the condition on that column would then be lost.
  const isLinked = filterRules((view.settings.filter ?? noFilter) as FilterGroup).some(({ linked }) => linked)
  const tables = await queryClient.fetchQuery({ ...tablesQuery, staleTime: isLinked ? 0 : Number.POSITIVE_INFINITY })
  return toSavedView(view, table, tables)
}

export function toSavedView({ settings, ...entry }: NamedView, table: TableView, tables: readonly TableView[]): SavedView {
  const { sort = [], filter = noFilter, ...layout } = settings
  const columnOf = (id: string) => table.columns.find((column) => column.id === id)
  const withLinks = mapRules(filter as FilterGroup, (rule) => {
    if (!rule.linked) return rule
    const target = tableByName(tables, String(columnOf(rule.column)?.options.table))
    const isName = (rule.linked as unknown) === true
    const linked = isName ? target?.displayColumn : target?.columns.find(({ id }) => id === rule.linked)?.name
    return linked ? { ...rule, linked } : null
  })
  const query = withColumnNames({ q: '', sort, filter: withLinks, rest: [] }, (id) => columnOf(id)?.name)
  const view: SavedView = { ...layout, search: toUrlSearch(query) }
  return { ...view, named: { ...entry, saved: arrangementText(view, query, table, tables) } }
}
