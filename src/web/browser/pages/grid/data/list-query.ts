import { quoted } from '../../record/data/record-key'

/** What is looked for: the page's address says it in the words of the API, so that it can be shared and used in a script. */
export type Search = Record<string, string | string[]>

export type Condition = { column: string; operator: Operator; value: string }
export type Sort = { column: string; isDescending: boolean }

/** `rest` is what the filter builder has no form for, such as `or=(…)`: it is kept as it is. */
export type Query = { q: string; sort: Sort[]; conditions: Condition[]; rest: [name: string, value: string][] }

const operators = ['eq', 'neq', 'ilike', 'not.ilike', 'gt', 'gte', 'lt', 'lte', 'in', 'cs', 'is.null', 'not.is.null'] as const
export type Operator = (typeof operators)[number]

export const needsValue = (operator: Operator): boolean => !operator.endsWith('null')

/** The grammar's own words, and what is no matter of this page: a column of such a name is quoted. */
const reserved = 'select order limit offset and or not columns on_conflict token cursor count q maxAffected dryRun'.split(' ')

const asName = (name: string): string => (/^[\p{L}\p{N}_$ -]+$/u.test(name) && !reserved.includes(name) ? name : quoted(name))

const unquoted = (name: string): string => (/^".*"$/.test(name) ? name.slice(1, -1).replace(/\\([\\"])/g, '$1') : name)

/** The search of the page's address as the router parsed it; numbers and the like become text again. */
export function validSearch(search: Record<string, unknown>): Search {
  const text = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))
  return Object.fromEntries(
    Object.entries(search)
      .filter(([, value]) => value !== undefined && value !== null)
      .map(([name, value]) => [name, Array.isArray(value) ? value.map(text) : text(value)]),
  )
}

export function readQuery(search: Search): Query {
  const query: Query = { q: '', sort: [], conditions: [], rest: [] }
  const pairs = Object.entries(search).flatMap(([name, value]) => [value].flat().map((each) => [name, each] as const))
  for (const [name, value] of pairs) {
    const condition = readCondition(name, value)
    if (name === 'q') query.q = value
    else if (name === 'order') query.sort = readSort(value)
    else if (condition) query.conditions.push(condition)
    // How many, and which columns, is this page's own business.
    else if (!['limit', 'offset', 'cursor', 'count', 'select', 'token', 'dryRun'].includes(name)) query.rest.push([name, value])
  }
  return query
}

function readCondition(name: string, value: string): Condition | null {
  if (reserved.includes(name) || /[.>]/.test(name.replace(/^".*"$/, ''))) return null
  const column = unquoted(name)
  const bare = operators.find((operator) => !needsValue(operator) && operator === value)
  if (bare) return { column, operator: bare, value: '' }
  const operator = operators.filter(needsValue).find((each) => value.startsWith(`${each}.`))
  if (!operator) return null
  const text = value.slice(operator.length + 1)
  if (operator.endsWith('ilike')) return /^\*[^*%_\\]*\*$/.test(text) ? { column, operator, value: text.slice(1, -1) } : null
  if (operator === 'in' || operator === 'cs') return { column, operator, value: readList(text) }
  return { column, operator, value: text }
}

const readList = (text: string): string =>
  [...text.slice(1, -1).matchAll(/"((?:[^"\\]|\\.)*)"|([^,]+)/g)]
    .map(([, inside, bare]) => inside?.replace(/\\(.)/g, '$1') ?? bare)
    .join(', ')

const writeList = (text: string): string =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean)
    .map(quoted)
    .join(',')

function writeValue({ operator, value }: Condition): string {
  if (!needsValue(operator)) return operator
  // What stands for any text in a pattern cannot be asked for itself; one character of it can be any.
  if (operator.endsWith('ilike')) return `${operator}.*${value.replace(/[*%\\]/g, '_')}*`
  if (operator === 'in') return `in.(${writeList(value)})`
  if (operator === 'cs') return `cs.{${writeList(value)}}`
  return `${operator}.${value}`
}

const readSort = (text: string): Sort[] =>
  (text.match(/(?:"(?:[^"\\]|\\.)*"|[^,"])+/g) ?? []).map((part) => {
    const [, name = '', direction] = /^("(?:[^"\\]|\\.)*"|[^.]+)(?:\.(asc|desc))?/.exec(part.trim()) ?? []
    return { column: unquoted(name), isDescending: direction === 'desc' }
  })

const writeSort = (sort: Sort[]): string =>
  sort.map(({ column, isDescending }) => `${asName(column)}${isDescending ? '.desc' : ''}`).join(',')

/** What of the query chooses records, as parameters: also what a write by filter takes. */
export const filterPairs = ({ conditions, rest }: Query): [string, string][] => [
  ...conditions.map((condition): [string, string] => [asName(condition.column), writeValue(condition)]),
  ...rest,
]

export function toSearch(query: Query): Search {
  // A map, since a column may be called as a property that every object has.
  const search = new Map<string, string | string[]>()
  for (const [name, value] of filterPairs(query)) {
    const before = search.get(name)
    search.set(name, before === undefined ? value : [before, value].flat())
  }
  if (query.sort.length) search.set('order', writeSort(query.sort))
  if (query.q) search.set('q', query.q)
  return Object.fromEntries(search)
}

/** The same without an order by columns that are no more. */
export const parametersFor = (query: Query, { columns }: { columns: { name: string }[] }): string =>
  toParameters({ ...query, sort: query.sort.filter(({ column }) => columns.some(({ name }) => name === column)) })

/** As the query of a request. */
export const toParameters = (query: Query): string =>
  Object.entries(toSearch(query))
    .flatMap(([name, value]) => [value].flat().map((each) => `${encodeURIComponent(name)}=${encodeURIComponent(each)}`))
    .join('&')
