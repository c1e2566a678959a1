import { canariesIn } from './canary'
import type { Row } from './document'
import { type Answer, type Builder, type Pick, pick, problem, type Request, rowsEqual, tableRequest } from './requests'
import { linkedTo, type Sight } from './sight'
import { referenceOf, tableNamed, type World, type WorldColumn, type WorldTable } from './world'

/** Requests that read, with the responses that the model predicts. */

type Condition = { text: string; holds: (row: Row) => boolean; names: string[] }

const always: Condition = { text: '', holds: () => true, names: [] }

/** A filter on a column, mostly with a value that occurs in it, hidden or not. */
function condition({ table, sight, a, b }: Pick): Condition {
  const column = pick(table.columns, a)
  const { name, kind } = column
  const value = pick(sight.state[table.name]!, b)?.[name]
  if (a % 5 === 0) return always
  if (['text', 'number', 'formula', 'owner', 'key', 'link'].includes(kind) && value !== undefined && value !== null) {
    if (b % 3 === 1 && kind !== 'text' && kind !== 'owner' && kind !== 'key')
      return { text: `${name}=gte.${value}`, names: [name], holds: (row) => row[name] !== null && Number(row[name]) >= Number(value) }
    return { text: `${name}=eq.${value}`, names: [name], holds: (row) => row[name] === value }
  }
  if (kind === 'flag') return { text: `${name}=is.true`, names: [name], holds: (row) => row[name] === true }
  if (kind === 'count' || kind === 'rollup') return { text: `${name}=not.is.null`, names: [name], holds: (row) => row[name] !== null }
  return { text: `${name}=is.null`, names: [name], holds: (row) => row[name] === null }
}

type Order = { text: string; names: string[]; compare: (one: Row, other: Row) => number }

const rank = (value: unknown) => (value === null ? Number.POSITIVE_INFINITY : Number(value))

/** Orders by a number or a key, since the order of texts depends on the database. */
function order({ table, c }: Pick): Order {
  const columns = table.columns.filter(({ kind, name }) => ['number', 'formula', 'count', 'link'].includes(kind) && name !== 'base')
  const byKey = (one: Row, other: Row) => (table.key === 'id' ? Number(one.id) - Number(other.id) : 0)
  const { name } = pick(columns, c)
  if (c % 3 === 0 || table.key !== 'id') return { text: '', names: [], compare: byKey }
  return {
    text: `order=${name}.asc.nullslast`,
    names: [name],
    compare: (one, other) => (rank(one[name]) === rank(other[name]) ? byKey(one, other) : rank(one[name]) - rank(other[name])),
  }
}

const isThere = ({ table, sight }: Pick, names: readonly string[]) =>
  names.every((name) => sight.hasColumn(table, table.columns.find((column) => column.name === name)!))

/** The outcome of a request according to the columns that it names: rejected, or these rows. */
function expected(asked: Pick, names: readonly string[], rows: () => Row[]): Row[] | 'refused' {
  const { table, sight } = asked
  if (!sight.isOpen(table) || !isThere(asked, names)) return 'refused'
  return table.columns.some((column) => sight.hasColumn(table, column)) ? rows() : 'refused'
}

const compared = (wanted: Row[] | 'refused', answer: Answer, read: (answer: Answer) => Row[], isOrdered = false): string | null => {
  if (wanted === 'refused') return answer.status >= 400 && answer.status < 500 ? null : problem('refused', answer)
  if (answer.status >= 300) return problem('answered', answer)
  return rowsEqual(wanted, read(answer), isOrdered)
}

const nativeRows = ({ json }: Answer) => (json as { records: Row[] }).records
const restRows = ({ json }: Answer) => json as Row[]

const query = (...parts: string[]) => {
  const said = parts.filter(Boolean).join('&')
  return said ? `?${said}` : ''
}

export const list: Builder = (asked) => {
  const [where, sorted] = [condition(asked), order(asked)]
  const rows = () => asked.sight.rows(asked.table).filter(where.holds).sort(sorted.compare)
  const isOrdered = asked.table.key === 'id'
  return tableRequest(asked, `/records${query(where.text, sorted.text, 'count=exact')}`, (answer) => {
    const wanted = expected(asked, [...where.names, ...sorted.names], rows)
    const total = (answer.json as { totalCount?: number } | undefined)?.totalCount
    if (wanted !== 'refused' && answer.status === 200 && total !== wanted.length) return `The count is ${total}, not ${wanted.length}.`
    return compared(wanted, answer, nativeRows, isOrdered)
  })
}

export const restList: Builder = (asked) => {
  const where = condition(asked)
  const counted = pick(['exact', 'planned', 'estimated'], asked.c)
  return rest(asked, query(where.text), { prefer: `count=${counted}` }, (answer) => {
    const wanted = expected(asked, where.names, () => asked.sight.rows(asked.table).filter(where.holds))
    const total = /\/(\d+)$/.exec(answer.headers['content-range'] ?? '')?.[1]
    const isSure = counted !== 'planned' || isNarrowed(asked)
    if (wanted !== 'refused' && answer.status < 300 && isSure && total !== String(wanted.length))
      return `The count is ${total}, not ${wanted.length}.`
    return compared(wanted, answer, restRows)
  })
}

/** Whether a row or a cell of the table is hidden from the caller. */
const isNarrowed = ({ table, sight }: Pick) => sight.rows(table).length < sight.state[table.name]!.length

export function rest(asked: Pick, search: string, headers: Record<string, string>, check?: Request['check'], method = 'GET'): Request {
  const { table } = asked
  const profile =
    table.schema === 'data' ? {} : { [method === 'GET' || method === 'HEAD' ? 'accept-profile' : 'content-profile']: table.schema }
  return { method, path: `/rest/v1/${table.name}${search}`, headers: { ...profile, ...headers }, check }
}

export const restHead: Builder = (asked) => ({ ...rest(asked, query(condition(asked).text), { prefer: 'count=exact' }, undefined, 'HEAD') })
export const restCsv: Builder = (asked) => rest(asked, query(condition(asked).text), { accept: 'text/csv' })
export const restObject: Builder = (asked) =>
  rest(asked, query(condition(asked).text, 'limit=1'), { accept: 'application/vnd.pgrst.object+json' })

export const aggregates: Builder = (asked) => {
  const { table, sight, a } = asked
  const numbers = table.columns.filter(({ kind }) => kind === 'number' || kind === 'formula')
  const { name } = pick(numbers, a)
  const isNative = asked.b % 2 === 0
  const select = `select=n:count(),s:${name}.sum(),m:${name}.max(),f:flag.count()`
  const wanted = () => {
    const rows = sight.rows(table)
    const values = rows.map((row) => row[name]).filter((value) => value !== null) as number[]
    const flags = rows.filter(({ flag }) => flag !== null && flag !== undefined).length
    return [
      {
        n: rows.length,
        s: values.length ? values.reduce((sum, value) => sum + value, 0) : null,
        m: values.length ? Math.max(...values) : null,
        f: flags,
      },
    ]
  }
  const check = (answer: Answer) => compared(expected(asked, [name, 'flag'], wanted), answer, isNative ? nativeRows : restRows)
  return isNative ? tableRequest(asked, `/records?${select}`, check) : rest(asked, `?${select}`, {}, check)
}

/** Rows grouped by a column. */
export const groups: Builder = (asked) => {
  const { table, sight } = asked
  const { name } = pick(
    table.columns.filter(({ kind }) => ['text', 'flag', 'owner'].includes(kind)),
    asked.a,
  )
  const wanted = () =>
    [...Map.groupBy(sight.rows(table), (row) => row[name]).entries()].map(([value, rows]) => ({ [name]: value, n: rows.length }))
  return tableRequest(asked, `/records?select=${name},n:count()`, (answer) => compared(expected(asked, [name], wanted), answer, nativeRows))
}

/** A search never finds a hidden canary; it may find another one in the record or in linked records. */
export const search: Builder = (asked) => {
  const { table, sight, a, b, visible } = asked
  const texts = table.columns.filter(({ kind, name }) => ['text', 'number'].includes(kind) && name !== 'team')
  const value = pick(sight.state[table.name]!, b)?.[pick(texts, a).name]
  const sought = String(value ?? 'nothing')
  return tableRequest(asked, `/records?q=${sought}&count=exact`, ({ status, json }) => {
    if (status >= 300 || visible.has(sought) || canariesIn(value).length === 0) return null
    const { records, totalCount } = json as { records: Row[]; totalCount: number }
    return records.length + totalCount === 0 ? null : `The search for a hidden value finds ${records.length}.`
  })
}

const known = ({ table, sight, a }: Pick) => pick(sight.state[table.name]!, a)
export const keyOf = (asked: Pick): string => encodeURIComponent(String(known(asked)?.[asked.table.key] ?? 1))

export const byKey: Builder = (asked) => {
  const { table, sight } = asked
  return tableRequest(asked, `/records/${keyOf(asked)}`, (answer) => {
    if (table.key === '') return answer.status === 404 || answer.status === 403 ? null : problem('missing', answer)
    const wanted = sight.rows(table).find((row) => row[table.key] === known(asked)?.[table.key])
    if (!wanted) return answer.status === 404 || answer.status === 403 ? null : problem('missing', answer)
    return answer.status === 200 ? rowsEqual([wanted], [answer.json as Row], false) : problem('answered', answer)
  })
}

export const ifNoneMatch: Builder = (asked) => ({ ...byKey(asked), check: undefined, repeats: 'if-none-match' })

/** Along links, two levels deep. */
export const embedding: Builder = (asked) => {
  const { world, table, a, b } = asked
  const ways = table.columns.filter(({ kind }) => ['link', 'links', 'back', 'backs'].includes(kind))
  if (ways.length === 0) return list(asked)
  const way = pick(ways, a)
  const inner = tableNamed(world, way.target!)
  const further = inner.columns.filter(({ kind }) => ['link', 'links', 'back', 'backs'].includes(kind))
  const next = b % 2 && further.length ? pick(further, b) : undefined
  const names = (of: WorldTable) => [of.key, 'name']
  const isInner = b % 5 === 4
  const select = `select=${names(table)},e:${way.name}${isInner ? '!inner' : ''}(${names(inner)}${next ? `,f:${next.name}(${names(tableNamed(world, next.target!))})` : ''})`
  const read = asked.c % 2 ? restRows : nativeRows
  const check = (answer: Answer) => {
    const needs = isReachable(asked, table, way) && (!next || isReachable(asked, inner, next)) && isThere(asked, ['name'])
    const rows = () =>
      rowsOf(asked, table, [way, ...(next ? [next] : [])]).filter((row) => !isInner || (row.e !== null && (row.e as Row[]).length !== 0))
    return compared(needs ? expected(asked, [], rows) : 'refused', answer, read)
  }
  return asked.c % 2 ? rest(asked, `?${select}`, {}, check) : tableRequest(asked, `/records?${select}`, check)
}

function isReachable({ world, sight }: Pick, table: WorldTable, way: WorldColumn): boolean {
  const target = tableNamed(world, way.target!)
  const holder = way.column ? target.columns.find(({ name }) => name === way.column)! : way
  const isLinkSeen = sight.hasColumn(way.column ? target : table, holder) && sight.hasColumn(table, way)
  const canRead = target.columns.some((column) => sight.hasColumn(target, column))
  return canRead && isLinkSeen && sight.hasColumn(target, target.columns.find(({ name }) => name === 'name')!)
}

function rowsOf(asked: Pick, table: WorldTable, [way, ...next]: WorldColumn[]): Row[] {
  const { world, sight } = asked
  const readable = sight.state[table.name]!.filter((row) => sight.canRead(table, row))
  return readable.map((row) => embeddedRow(world, sight, table, row, way, next, 'e'))
}

function embeddedRow(
  world: World,
  sight: Sight,
  table: WorldTable,
  row: Row,
  way: WorldColumn | undefined,
  next: WorldColumn[],
  as: string,
): Row {
  const shown: Row = Object.fromEntries(
    table.columns
      .filter(({ name }) => name === table.key || name === 'name')
      .map((column) => [column.name, sight.cell(table, row, column)]),
  )
  if (!way) return shown
  const target = tableNamed(world, way.target!)
  const linked = (sight.shows(table, row, way) ? linkedTo(world, sight, table, row, way) : []).map((other) =>
    embeddedRow(world, sight, target, other, next[0], [], 'f'),
  )
  return { ...shown, [as]: way.kind === 'link' ? (linked[0] ?? null) : linked }
}

/** Uses the name of a table instead of that of a column. */
export const embeddingByTable: Builder = (asked) => rest(asked, `?select=*,${pick(asked.world.tables, asked.b).name}(*)`, {})

/** The header is followed by as many lines as there are readable rows. */
export const exportCsv: Builder = (asked) => {
  const where = condition(asked)
  return tableRequest(asked, `/export.csv${query(where.text)}`, (answer) => {
    const wanted = expected(asked, where.names, () => asked.sight.rows(asked.table).filter(where.holds))
    if (wanted === 'refused' || answer.status >= 300) return compared(wanted, answer, () => [])
    const lines = answer.text.trimEnd().split('\n').length - 1
    return lines === wanted.length ? null : problem(`a file of ${wanted.length} lines`, answer)
  })
}
export const exportPeople: Builder = (asked) => tableRequest(asked, '/export.csv?for=people')
export const exportXlsx: Builder = (asked) => tableRequest(asked, '/export.xlsx')

/** Reads page by page to the end; the pages together are the whole list. */
export const pages: Builder = (asked) => {
  const [where, sorted] = [condition(asked), order(asked)]
  const path = `/api/v1/tables/${referenceOf(asked.table)}/records${query(where.text, sorted.text, 'limit=2')}`
  const checkAll = (answers: readonly Answer[]) => {
    const rows = () => asked.sight.rows(asked.table).filter(where.holds).sort(sorted.compare)
    const wanted = expected(asked, [...where.names, ...sorted.names], rows)
    // Without a key there is no cursor.
    if (asked.table.key === '' && wanted !== 'refused') return null
    return compared(wanted, answers[0]!, () => answers.flatMap(nativeRows), asked.table.key === 'id')
  }
  return { method: 'GET', path, repeats: 'pages', checkAll }
}

/** A description names neither closed tables nor hidden columns. */
function namesNoneHidden({ world, sight }: Pick, answer: Answer, columnsOf: (table: WorldTable) => string[]): string | null {
  if (answer.status !== 200) return problem('answered', answer)
  const closed = world.tables.find((table) => !sight.isOpen(table) && answer.text.includes(table.name))
  if (closed) return `The description names ${closed.name}.`
  const hidden = world.tables.flatMap((table) =>
    columnsOf(table).filter((name) => !sight.hasColumn(table, table.columns.find((column) => column.name === name)!)),
  )
  return hidden.length === 0 ? null : `The description names ${hidden}.`
}

type Operations = { get?: { parameters: { name?: string }[] } }

export const description: Builder = (asked) => ({
  method: 'GET',
  path: '/swagger/json',
  check: (answer) =>
    namesNoneHidden(asked, answer, (table) => {
      const paths = (answer.json as { paths: Record<string, Operations> }).paths
      return (paths[`/api/v1/tables/${referenceOf(table)}/records`]?.get?.parameters ?? []).flatMap(({ name }) => name ?? [])
    }),
})

export const restDescription: Builder = (asked) => ({
  method: 'GET',
  path: '/rest/v1/',
  check: (answer) =>
    namesNoneHidden(asked, answer, (table) => {
      const { definitions } = answer.json as { definitions: Record<string, { required: string[]; properties: object }> }
      const definition = definitions[table.name]
      return definition ? [...definition.required, ...Object.keys(definition.properties)] : []
    }),
})
