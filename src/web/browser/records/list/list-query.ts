import { locale } from '../../language'
import { type FilterExpression, fromColumnName, parseFilterParameter, toColumnName, writeParameter } from '../filters/filter-grammar'
import type { FilterGroup, FilterItem, FilterRule } from '../filters/filter-operators'
import { parseItem, writeListItem } from '../filters/filter-operators'
import { mapRules, noFilter } from '../filters/filter-tree'
import { firstWeekdayOf, resolveDates } from '../filters/relative-dates'
import { filterRuleProblem } from '../filters/rule-problems'
import { cellKind } from '../values/cell-kinds'
import type { GridColumn } from '../values/cell-values'

/**
 * The search parameters of the page's URL. They are the API's query parameters, so the URL can be shared and used in
 * scripts; only relative dates (`since=within.last_7_days`) are specific to the page.
 */
export type UrlSearch = Record<string, string | string[]>

/**
 * The id of the named view in the page's URL. A filter on a column named `view` contains a period, so it is not an id.
 */
export const viewIdOf = ({ view }: UrlSearch): string | undefined =>
  typeof view === 'string' && view !== '' && !view.includes('.') ? view : undefined

/** Whether the URL has no query, so that the view determines the list. */
export const isBareSearch = (search: UrlSearch): boolean => Object.keys(search).length === (viewIdOf(search) ? 1 : 0)

/** The maximum number of sort columns of the service. */
export const maxSortColumns = 16

export type Sort = { column: string; isDescending: boolean }

/** `rest` holds parameters that the filter builder cannot represent, such as `author.name=eq.x`. */
export type ListQuery = { q: string; sort: Sort[]; filter: FilterGroup; rest: [name: string, value: string][] }

type QueryColumns = { columns: readonly GridColumn[] }

export const isFiltered = ({ filter, rest }: ListQuery): boolean => filter.items.length + rest.length > 0

/** Validates the search that the router parsed, and converts its values back to strings. */
export function validateSearch(search: Record<string, unknown>): UrlSearch {
  const text = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))
  return Object.fromEntries(
    Object.entries(search)
      .filter(([, value]) => value !== undefined && value !== null)
      .map(([name, value]) => [name, Array.isArray(value) ? value.map(text) : text(value)]),
  )
}

export function parseListQuery(search: UrlSearch): ListQuery {
  const query: ListQuery = { q: '', sort: [], filter: noFilter, rest: [] }
  const items: FilterItem[] = []
  const viewId = viewIdOf(search)
  for (const [name, value] of Object.entries(search).flatMap(([name, value]) => [value].flat().map((each) => [name, each] as const))) {
    if (name === 'view' && viewId) continue
    if (name === 'q') query.q = value
    else if (name === 'order') query.sort = parseSort(value)
    // The page sets these parameters itself.
    else if (!['limit', 'offset', 'cursor', 'count', 'select', 'token', 'dryRun'].includes(name)) {
      const expression = parseFilterParameter(name, value)
      const item = expression && parseItem(expression)
      if (item) items.push(item)
      else query.rest.push([name, value])
    }
  }
  const [only] = items
  return { ...query, filter: items.length === 1 && only?.kind === 'group' ? only : { kind: 'group', join: 'and', items } }
}

const parseSort = (text: string): Sort[] =>
  (text.match(/(?:"(?:[^"\\]|\\.)*"|[^,"])+/g) ?? []).map((part) => {
    const [, name = '', direction] = /^("(?:[^"\\]|\\.)*"|[^.]+)(?:\.(asc|desc))?/.exec(part.trim()) ?? []
    return { column: fromColumnName(name), isDescending: direction === 'desc' }
  })

const writeSort = (sort: Sort[], descending: string): string =>
  sort.map(({ column, isDescending }) => toColumnName(column) + (isDescending ? descending : '')).join(',')

/** One parameter for each condition of an `and` group, or a single parameter for an `or` group. */
const filterExpressions = ({ join, items }: FilterGroup): FilterExpression[] =>
  join === 'or' && items.length > 1 ? [writeListItem({ kind: 'group', join, items })] : items.map(writeListItem)

/** The query without conditions that cannot be sent, and without sort columns that no longer exist. */
export const validQuery = (query: ListQuery, { columns }: QueryColumns): ListQuery => ({
  ...query,
  sort: query.sort.filter(({ column }) => columns.some(({ name }) => name === column)),
  filter: mapRules(query.filter, (rule) => (filterRuleProblem(rule, columns) ? null : rule)),
})

/** Identifies a parameter of `rest`; it is displayed, too. */
export const restKey = ([name, value]: [string, string]): string => `${name}=${value}`

/** Identifies a condition by its content. */
export const ruleKey = (rule: FilterRule): string => restKey(writeParameter(writeListItem(rule)))

/** The query without conditions that the service refuses. @param refused by `ruleKey` and `restKey` */
export const withoutRefused = (query: ListQuery, refused: ReadonlyMap<string, unknown>): ListQuery => ({
  ...query,
  filter: mapRules(query.filter, (rule) => (refused.has(ruleKey(rule)) ? null : rule)),
  rest: query.rest.filter((parameter) => !refused.has(restKey(parameter))),
})

/** The parameters that select records, also for writes by filter. Relative dates are resolved now. */
export const filterParameters = (query: ListQuery, table: QueryColumns): [string, string][] => [
  ...filterExpressions(validQuery(query, table).filter).map((expression) => writeParameter(resolve(expression, table))),
  ...query.rest,
]

function resolve(expression: FilterExpression, table: QueryColumns): FilterExpression {
  if (expression.kind !== 'term') return { ...expression, items: expression.items.map((item) => resolve(item, table)) }
  const column = table.columns.find(({ name }) => name === expression.column)
  const kind = column && cellKind(column)
  if (kind !== 'date' && kind !== 'dateTime') return expression
  return resolveDates(expression, { isTimestamp: kind === 'dateTime', now: new Date(), firstWeekday: () => firstWeekdayOf(locale()) })
}

const toSearch = (query: ListQuery, filters: readonly [string, string][], descending: string): UrlSearch => {
  // A Map, because a column may have the name of an `Object.prototype` property.
  const search = new Map<string, string | string[]>()
  for (const [name, value] of filters) {
    const before = search.get(name)
    search.set(name, before === undefined ? value : [before, value].flat())
  }
  if (query.sort.length) search.set('order', writeSort(query.sort, descending))
  if (query.q) search.set('q', query.q)
  return Object.fromEntries(search)
}

/** The search of the page's URL. @param view the id of the named view */
export const toUrlSearch = (query: ListQuery, view?: string): UrlSearch => ({
  ...(view && { view }),
  ...toSearch(query, [...filterExpressions(query.filter).map(writeParameter), ...query.rest], '.desc'),
})

/** The query with its columns renamed, without conditions and sort columns for which `nameOf` has no name. */
export function withColumnNames(query: ListQuery, nameOf: (column: string) => string | undefined): ListQuery {
  const renamed = <Part extends { column: string }>(part: Part): Part | null => {
    const column = nameOf(part.column)
    return column === undefined ? null : { ...part, column }
  }
  return { ...query, filter: mapRules(query.filter, renamed), sort: query.sort.flatMap((term) => renamed(term) ?? []) }
}

/** The query string of a request for the records of a table. In every order, records without a value are last. */
export const queryStringFor = (query: ListQuery, table: QueryColumns): string =>
  Object.entries(toSearch(validQuery(query, table), filterParameters(query, table), '.desc.nullslast'))
    .flatMap(([name, value]) => [value].flat().map((each) => `${encodeURIComponent(name)}=${encodeURIComponent(each)}`))
    .join('&')
