import { quoteName } from '../../record/data/record-key'

/**
 * The search parameters of the page's URL. They are the API's query parameters, so the URL can be shared and used in
 * scripts.
 */
export type UrlSearch = Record<string, string | string[]>

export type Condition = { column: string; operator: Operator; value: string }
export type Sort = { column: string; isDescending: boolean }

/** `rest` holds parameters that the filter builder cannot represent, such as `or=(…)`. */
export type ListQuery = { q: string; sort: Sort[]; conditions: Condition[]; rest: [name: string, value: string][] }

const operators = ['eq', 'neq', 'ilike', 'not.ilike', 'gt', 'gte', 'lt', 'lte', 'in', 'cs', 'is.null', 'not.is.null'] as const
export type Operator = (typeof operators)[number]

export const needsValue = (operator: Operator): boolean => !operator.endsWith('null')

/** Reserved parameter names. A column with such a name is quoted. */
const reserved = 'select order limit offset and or not columns on_conflict token cursor count q maxAffected dryRun'.split(' ')

const toColumnName = (name: string): string => (/^[\p{L}\p{N}_$ -]+$/u.test(name) && !reserved.includes(name) ? name : quoteName(name))

const unquoted = (name: string): string => (/^".*"$/.test(name) ? name.slice(1, -1).replace(/\\([\\"])/g, '$1') : name)

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
  const query: ListQuery = { q: '', sort: [], conditions: [], rest: [] }
  const pairs = Object.entries(search).flatMap(([name, value]) => [value].flat().map((each) => [name, each] as const))
  for (const [name, value] of pairs) {
    const condition = parseCondition(name, value)
    if (name === 'q') query.q = value
    else if (name === 'order') query.sort = parseSort(value)
    else if (condition) query.conditions.push(condition)
    // The page sets these parameters itself.
    else if (!['limit', 'offset', 'cursor', 'count', 'select', 'token', 'dryRun'].includes(name)) query.rest.push([name, value])
  }
  return query
}

function parseCondition(name: string, value: string): Condition | null {
  if (reserved.includes(name) || /[.>]/.test(name.replace(/^".*"$/, ''))) return null
  const column = unquoted(name)
  const bare = operators.find((operator) => !needsValue(operator) && operator === value)
  if (bare) return { column, operator: bare, value: '' }
  const operator = operators.filter(needsValue).find((each) => value.startsWith(`${each}.`))
  if (!operator) return null
  const text = value.slice(operator.length + 1)
  if (operator.endsWith('ilike')) return /^\*[^*%_\\]*\*$/.test(text) ? { column, operator, value: text.slice(1, -1) } : null
  if (operator === 'in' || operator === 'cs') return { column, operator, value: parseList(text) }
  return { column, operator, value: text }
}

const parseList = (text: string): string =>
  [...text.slice(1, -1).matchAll(/"((?:[^"\\]|\\.)*)"|([^,]+)/g)]
    .map(([, inside, bare]) => inside?.replace(/\\(.)/g, '$1') ?? bare)
    .join(', ')

const writeList = (text: string): string =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean)
    .map(quoteName)
    .join(',')

function writeValue({ operator, value }: Condition): string {
  if (!needsValue(operator)) return operator
  // Wildcards cannot be escaped in a pattern, so they match any single character.
  if (operator.endsWith('ilike')) return `${operator}.*${value.replace(/[*%\\]/g, '_')}*`
  if (operator === 'in') return `in.(${writeList(value)})`
  if (operator === 'cs') return `cs.{${writeList(value)}}`
  return `${operator}.${value}`
}

const parseSort = (text: string): Sort[] =>
  (text.match(/(?:"(?:[^"\\]|\\.)*"|[^,"])+/g) ?? []).map((part) => {
    const [, name = '', direction] = /^("(?:[^"\\]|\\.)*"|[^.]+)(?:\.(asc|desc))?/.exec(part.trim()) ?? []
    return { column: unquoted(name), isDescending: direction === 'desc' }
  })

const writeSort = (sort: Sort[]): string =>
  sort.map(({ column, isDescending }) => `${toColumnName(column)}${isDescending ? '.desc' : ''}`).join(',')

/** The parameters that select records, also for writes by filter. */
export const filterParameters = ({ conditions, rest }: ListQuery): [string, string][] => [
  ...conditions.map((condition): [string, string] => [toColumnName(condition.column), writeValue(condition)]),
  ...rest,
]

export function toUrlSearch(query: ListQuery): UrlSearch {
  // A Map, because a column may have the name of an `Object.prototype` property.
  const search = new Map<string, string | string[]>()
  for (const [name, value] of filterParameters(query)) {
    const before = search.get(name)
    search.set(name, before === undefined ? value : [before, value].flat())
  }
  if (query.sort.length) search.set('order', writeSort(query.sort))
  if (query.q) search.set('q', query.q)
  return Object.fromEntries(search)
}

/** The query string without sort columns that no longer exist. */
export const queryStringFor = (query: ListQuery, { columns }: { columns: { name: string }[] }): string =>
  toQueryString({ ...query, sort: query.sort.filter(({ column }) => columns.some(({ name }) => name === column)) })

/** The query string of a request. */
export const toQueryString = (query: ListQuery): string =>
  Object.entries(toUrlSearch(query))
    .flatMap(([name, value]) => [value].flat().map((each) => `${encodeURIComponent(name)}=${encodeURIComponent(each)}`))
    .join('&')
