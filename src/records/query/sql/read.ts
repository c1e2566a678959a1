import { identifier, qualifiedName } from '../../../tables/ddl'
import { longestCursorValue } from '../cursor'
import type { LevelPlan, OrderPlan, ReadPlan } from '../plan/types'
import { familyOf } from '../type-families'
import { computedBy, isComputedOutput, outputsWithComputed } from './computed-outputs'
import { columnText } from './fields'
import { keysetParts, partConditions } from './keyset'
import { columnValueText, levelConditions, levelSelect, orderExpression, outputList, whereText } from './level'
import { finish, type Statement, type StatementWriter, sizeText, startStatement } from './statement'
import { weighed, weighedPage } from './weight'

/**
 * Separates the records of a page. No JSON contains a raw control character, not even JSON that was stored as it was
 * sent.
 */
export const recordSeparator = '\x1e'

/**
 * The maximum number of statements for a page. The second and later ones read only the rest of a page that earlier ones
 * did not fill: after a cursor a list is a sequence of ranges, and most pages are within one.
 */
export const pageParts = ({ order, after }: ReadPlan): number => (after ? keysetParts(order, after).length : 1)

/**
 * One row: `body` (the records' JSON, separated by `recordSeparator`; null for none) and `length` (how many). With
 * `isAhead`, there is one more record than the limit if one exists, and the values of the order's terms in the last
 * record within the limit are `k0`, `k1` ….
 * @param part which of the `pageParts`, from 0
 */
export function pageStatement(plan: ReadPlan, { isAhead = false, part = 0, limit = plan.limit, isQuick = false } = {}): Statement {
  const writer = startStatement({ isQuick })
  const keys = isAhead && limit !== undefined && plan.table.primaryKey.length > 0 && !plan.isAggregated ? plan.order : []
  const alias = writer.alias()
  const shape = pageShape(writer, alias, plan, keys)
  const rows = [
    `select ${shape.columns} from ${qualifiedName(plan.table)} ${alias}`,
    whereText([...behind(writer, alias, plan, part), ...levelConditions(writer, plan, alias)]),
    groupText(plan),
    orderExpression(writer, alias, plan.order),
    limit === undefined ? '' : ` limit ${sizeText(writer, limit, isAhead ? 1 : 0)}`,
    plan.offset ? ` offset ${writer.parameter(String(plan.offset), 'bigint')}` : '',
  ].join('')
  const most = limit === undefined ? 1 : limit + (isAhead ? 1 : 0)
  const names = keys.map((_, index) => `k${index}`)
  const kept = shape.keys.map((key, index) => `${key} as ${names[index]}`)
  const page = weighed(writer, rows, `${shape.record}::text`, most, kept)
  const last = names.map(
    (name) =>
      `, pg_catalog.left((pg_catalog.array_agg(w.${name}))[${sizeText(writer, limit!)}]::text, ${longestCursorValue + 1}) as ${name}`,
  )
  const text = `select pg_catalog.string_agg(${page.value}, E'\\x1e') as body, count(*)::int as length${last.join('')} from ${page.from}`
  return finish(writer, weighedPage(text, most, ['length', ...names]))
}

const behind = (writer: StatementWriter, alias: string, { order, after }: ReadPlan, part: number): string[] =>
  after ? partConditions(writer, alias, order, after, keysetParts(order, after)[part]!) : []

function groupText({ isAggregated, outputs }: LevelPlan): string {
  const groups = outputs.flatMap(({ aggregate }, index) => (aggregate ? [] : [index + 1]))
  return isAggregated && groups.length ? ` group by ${groups.join(', ')}` : ''
}

type Shape = { columns: string; record: string; keys: string[] }

/** `row_to_json` is applied after sorting and limiting, so it runs only for the rows of the page. */
function pageShape(writer: StatementWriter, alias: string, plan: ReadPlan, keys: OrderPlan[]): Shape {
  if (!plan.isAggregated && plan.outputs.some(isComputedOutput)) return computedShape(writer, alias, plan, keys)
  const outputs = outputList(writer, alias, plan.outputs, plan.isAggregated)
  const shown = keys.map((term) => shownAs(plan, term))
  if (shown.every((name) => name !== null))
    return { columns: outputs, record: 'pg_catalog.row_to_json(p.*)', keys: shown.map((name) => `p.${identifier(name)}`) }
  const free = freeNames(plan, keys.length)
  const extra = keys.map((term, index) => `${keyText(writer, alias, term)} as ${identifier(free[index]!)}`)
  const names = plan.outputs.map(({ name }) => `p.${identifier(name)}`).join(', ')
  return {
    columns: [outputs, ...extra].filter(Boolean).join(', '),
    record: `(select pg_catalog.row_to_json(r.*) from (select ${names}) r)`,
    keys: free.map((name) => `p.${identifier(name)}`),
  }
}

/** Computed values are also read only for the rows of the page, through columns in addition to the outputs. */
function computedShape(writer: StatementWriter, alias: string, plan: ReadPlan, keys: OrderPlan[]): Shape {
  const owns = computedBy(plan.outputs)
  const free = freeNames(plan, keys.length + owns.length)
  const values = [...keys.map((term) => keyText(writer, alias, term)), ...owns.map((name) => columnText(alias, name))]
  const stored = plan.outputs.filter((output) => !isComputedOutput(output))
  const own = (name: string) => `p.${identifier(free[keys.length + owns.indexOf(name)]!)}`
  const shown = outputsWithComputed(writer, own, plan.outputs, ({ name }) => `p.${identifier(name)}`)
  return {
    columns: [outputList(writer, alias, stored), ...values.map((value, index) => `${value} as ${identifier(free[index]!)}`)]
      .filter(Boolean)
      .join(', '),
    record: `(select pg_catalog.row_to_json(r.*) from (select ${shown.columns}${shown.from}) r)`,
    keys: keys.map((_, index) => `p.${identifier(free[index]!)}`),
  }
}

/** The name under which the record itself outputs a term's value, if it does. */
function shownAs({ outputs }: ReadPlan, { value, type }: OrderPlan): string | null {
  if (value.kind !== 'field' || value.field.steps.length || !isScalar(type)) return null
  const output = outputs.find(
    (candidate) =>
      candidate.value?.kind === 'field' && candidate.value.cast === undefined && isSameColumn(candidate.value.field, value.field),
  )
  return output?.name ?? null
}

const isSameColumn = (one: { column: object; steps: unknown[] }, other: { column: object }) =>
  one.column === other.column && one.steps.length === 0

/** An array of arrays is a matrix, whose rows must all have the same length. */
const isScalar = (type: string) => !['array', 'other'].includes(familyOf(type))

const keyText = (writer: StatementWriter, alias: string, { value, type }: OrderPlan) => {
  const text = columnValueText(writer, alias, value)
  return isScalar(type) ? text : `(${text})::text`
}

/** Names that no output column has. */
function freeNames({ outputs }: ReadPlan, count: number): string[] {
  const taken = new Set(outputs.map(({ name }) => name))
  let number = 0
  return Array.from({ length: count }, () => {
    while (taken.has(`k${number}`)) number++
    return `k${number++}`
  })
}

/**
 * The rows themselves, column by column, in the order and with the limit of the plan: for `copy (…) to stdout`.
 * Embeddings are JSON.
 */
export function rowsStatement(plan: LevelPlan): Statement {
  const writer = startStatement()
  const alias = writer.alias()
  return finish(writer, levelSelect(writer, plan, alias, `${qualifiedName(plan.table)} ${alias}`))
}

/** One row: `total`, of the whole list without limit, offset and cursor; counted up to `most` if it is given. */
export function countStatement(plan: LevelPlan, most?: number): Statement {
  const writer = startStatement()
  const rows = everyRow(writer, plan)
  if (most === undefined && !plan.isAggregated) return finish(writer, rows.replace(/^select/, 'select count(*)::text as total'))
  return finish(writer, `select count(*)::text as total from (${rows}${most === undefined ? '' : ` limit ${sizeText(writer, most, 1)}`}) c`)
}

/** One row with one column: PostgreSQL's plan as JSON. */
export function estimateStatement(plan: LevelPlan): Statement {
  const writer = startStatement()
  return finish(writer, `explain (format json) ${everyRow(writer, plan)}`)
}

/** `select from …`: the rows of a list, without pagination. */
function everyRow(writer: StatementWriter, plan: LevelPlan): string {
  const alias = writer.alias()
  const from = `${qualifiedName(plan.table)} ${alias}`
  if (plan.isAggregated) return levelSelect(writer, { ...plan, order: [], limit: undefined, offset: undefined }, alias, from)
  return `select from ${from}${whereText(levelConditions(writer, plan, alias))}`
}
