import type { TableView } from '../../../../tables/model'
import type { Arrangement, NamedView } from '../../../../tables/views/model'
import { ApiError } from '../../api/api-error'
import { api, unwrap } from '../../api/client'
import { queryClient, tablesQuery } from '../../api/queries'
import type { FilterGroup } from '../filters/filter-operators'
import { mapRules, noFilter } from '../filters/filter-tree'
import { tableByName } from '../values/column'
import { type ListQuery, parseListQuery, toUrlSearch, withColumnNames } from './list-query'
import { type SavedView, tableQuery } from './table-queries'

const layoutNames = ['widths', 'order', 'hidden', 'pinned', 'summaries', 'rowSize', 'wraps', 'isGridOnPhone'] as const

export const namedViewsApi = (tableId: string) => api.tables({ tableId: encodeURIComponent(tableId) }).views

/** A copy to edit. `named` is null if the view does not exist for this user. @throws ApiError, TypeError */
export async function fetchNamedView(tableId: string, viewId: string): Promise<SavedView> {
  try {
    const [view, table, tables] = await Promise.all([
      unwrap(namedViewsApi(tableId)({ viewId: encodeURIComponent(viewId) }).get()),
      queryClient.fetchQuery(tableQuery(tableId)),
      queryClient.ensureQueryData(tablesQuery),
    ])
    return toSavedView(view, table, tables)
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return { named: null }
    throw error
  }
}

function toSavedView({ settings, ...entry }: NamedView, { columns }: TableView, tables: readonly TableView[]): SavedView {
  const { q = '', sort = [], filter = noFilter, ...layout } = settings
  const columnOf = (id: string) => columns.find((column) => column.id === id)
  const linkedText = (id: string) => tableByName(tables, String(columnOf(id)?.options.table))?.displayColumn
  const withLinks = mapRules(filter as FilterGroup, (rule) => {
    if (!rule.linked) return rule
    const linked = linkedText(rule.column)
    return linked ? { ...rule, linked } : null
  })
  const query = withColumnNames({ q, sort, filter: withLinks, rest: [] }, (id) => columnOf(id)?.name)
  const view: SavedView = { ...layout, search: toUrlSearch(query) }
  return { ...view, named: { ...entry, saved: JSON.stringify(view) } }
}

/** The view with the query of the page. Conditions that only an address can have are left out. */
export function toArrangement(view: SavedView, query: ListQuery, { columns }: TableView): Arrangement {
  const { q, sort, filter } = withColumnNames(
    parseListQuery(toUrlSearch(query)),
    (name) => columns.find((column) => column.name === name)?.id,
  )
  const layout = Object.fromEntries(layoutNames.flatMap((name) => (view[name] === undefined ? [] : [[name, view[name]]])))
  const conditions = mapRules(filter, ({ linked, ...rule }) => ({ ...rule, ...(linked === undefined ? {} : { linked: true as never }) }))
  return { ...layout, q, sort, filter: conditions as Arrangement['filter'] }
}
