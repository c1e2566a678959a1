import type { TableView } from '../../../../tables/model'
import type { Arrangement } from '../../../../tables/views/model'
import { mapRules } from '../filters/filter-tree'
import { type ListQuery, parseListQuery, toUrlSearch, withColumnNames } from './list-query'
import type { SavedView } from './table-queries'

const layoutNames = ['widths', 'order', 'hidden', 'pinned', 'summaries', 'rowSize', 'wraps', 'isGridOnPhone'] as const

/** The view with the query of the page. The search, and conditions that only an address can have, are left out. */
export function toArrangement(view: SavedView, query: ListQuery, { columns }: TableView): Arrangement {
  const { sort, filter } = withColumnNames(parseListQuery(toUrlSearch(query)), (name) => columns.find((column) => column.name === name)?.id)
  const layout = Object.fromEntries(layoutNames.flatMap((name) => (view[name] === undefined ? [] : [[name, view[name]]])))
  const conditions = mapRules(filter, ({ linked, ...rule }) => ({ ...rule, ...(linked === undefined ? {} : { linked: true as never }) }))
  return { ...layout, sort, filter: conditions as Arrangement['filter'] }
}

/** For comparing. It names columns by id, so a renamed one makes no difference. */
export const arrangementText = (...shown: Parameters<typeof toArrangement>): string => JSON.stringify(toArrangement(...shown))

/** Whether saving would change the named view. */
export const isViewChanged = (view: SavedView, query: ListQuery, table: TableView): boolean =>
  view.named !== undefined && arrangementText(view, query, table) !== view.named.saved
