import type { TableView } from '../../../../tables/model'
import type { Arrangement } from '../../../../tables/views/model'
import { mapRules } from '../filters/filter-tree'
import { tableByName } from '../values/column'
import { type ListQuery, parseListQuery, toUrlSearch, withColumnNames } from './list-query'
import type { SavedView } from './table-queries'

const layoutNames = ['widths', 'order', 'hidden', 'pinned', 'summaries', 'rowSize', 'wraps', 'isGridOnPhone'] as const

/**
 * The view with the query of the page, without the search and without conditions that only a URL can have.
 * @param tables the tables that links lead to
 */
export function toArrangement(view: SavedView, query: ListQuery, { columns }: TableView, tables: readonly TableView[]): Arrangement {
  const { sort, filter } = withColumnNames(parseListQuery(toUrlSearch(query)), (name) => columns.find((column) => column.name === name)?.id)
  const layout = Object.fromEntries(layoutNames.flatMap((name) => (view[name] === undefined ? [] : [[name, view[name]]])))
  const conditions = mapRules(filter, (rule) => {
    if (rule.linked === undefined) return rule
    const target = tableByName(tables, String(columns.find(({ id }) => id === rule.column)?.options.table))
    const linked = target?.displayColumn === rule.linked || target?.columns.find(({ name }) => name === rule.linked)?.id
    return linked ? { ...rule, linked: linked as never } : null
  })
  return { ...layout, sort, filter: conditions as Arrangement['filter'] }
}

/** For comparisons. It names columns by id, so a renamed column makes no difference. */
export const arrangementText = (...shown: Parameters<typeof toArrangement>): string => JSON.stringify(toArrangement(...shown))

/** Whether saving would change the named view. */
export const isViewChanged = (view: SavedView, ...rest: [ListQuery, TableView, readonly TableView[]]): boolean =>
  view.named !== undefined && arrangementText(view, ...rest) !== view.named.saved
