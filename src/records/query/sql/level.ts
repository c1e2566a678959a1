import { arrayLiteral } from '../../../db/arrays'
import { equal, operator } from '../../../db/search-path'
import { identifier, qualifiedName } from '../../../tables/ddl'
import { operatorSchema } from '../plan/fields'
import type { EmbeddingPlan, LevelPlan, OrderPlan, PlannedCondition, PlannedOutput, Value } from '../plan/types'
import { fieldValue, joinedColumns, shownValue } from './fields'
import { readCondition, ruleText } from './rules'
import { searchText } from './search'
import { type StatementWriter, sizeText } from './statement'
import { countedText, embeddedRows, weighed } from './weight'

/**
 * One level of a plan as SQL. The value of an embedding is a subquery in the select list: so a list with a limit looks
 * up embedded rows only for the rows it outputs, and a write can use it after `returning`.
 */
export function levelSelect(writer: StatementWriter, level: LevelPlan, alias: string, from: string, also: string[] = []): string {
  const { outputs, order, isAggregated } = level
  const groups = outputs.flatMap(({ aggregate }, index) => (aggregate ? [] : [index + 1]))
  return [
    `select ${outputList(writer, alias, outputs, isAggregated)} from ${from}`,
    whereText([...also, ...levelConditions(writer, level, alias)]),
    isAggregated && groups.length ? ` group by ${groups.join(', ')}` : '',
    orderExpression(writer, alias, order),
    pageText(writer, level),
  ].join('')
}

export const whereText = (conditions: string[]): string => (conditions.length ? ` where ${conditions.join(' and ')}` : '')

/**
 * The conditions that the caller may read the rows, the level's own condition, and that its inner embeddings have rows.
 */
export const levelConditions = (writer: StatementWriter, { table, condition, embeddings }: LevelPlan, alias: string): string[] => [
  ...readCondition(writer, table, alias),
  ...(condition ? [conditionText(writer, alias, condition)] : []),
  ...embeddings.filter(({ isInner }) => isInner).map((embedding) => existsText(writer, alias, embedding)),
]

export const orderExpression = (writer: StatementWriter, alias: string, order: OrderPlan[]): string =>
  order.length ? ` order by ${order.map((term) => orderTerm(columnValueText(writer, alias, term.value), term)).join(', ')}` : ''

/** Omits `nulls …` if PostgreSQL's default is the same: an index is made with the default. */
function orderTerm(value: string, { direction, nulls, isNullable }: OrderPlan): string {
  const isUsual = !isNullable || (nulls === 'last') === (direction === 'asc')
  return `${value}${direction === 'desc' ? ' desc' : ''}${isUsual ? '' : ` nulls ${nulls}`}`
}

const pageText = (writer: StatementWriter, { limit, offset }: Pick<LevelPlan, 'limit' | 'offset'>): string =>
  (limit === undefined ? '' : ` limit ${sizeText(writer, limit)}`) + (offset ? ` offset ${writer.parameter(String(offset), 'bigint')}` : '')

/** @param isGrouped whether values need an equality operator, which `json` lacks */
export const outputList = (writer: StatementWriter, alias: string, outputs: PlannedOutput[], isGrouped = false): string =>
  outputs.map((output) => `${outputExpression(writer, alias, output, isGrouped)} as ${identifier(output.name)}`).join(', ')

function outputExpression(writer: StatementWriter, alias: string, { value, aggregate }: PlannedOutput, isGrouped: boolean): string {
  if (!aggregate) return columnValueText(writer, alias, value!, isGrouped)
  const call = `${aggregateSchema(aggregate.name, value)}.${aggregate.name}(${value ? columnValueText(writer, alias, value) : '*'})`
  return aggregate.cast === undefined ? call : `${call}::${aggregate.cast}`
}

/** Extensions define aggregates for their own types, such as `max(citext)`, except `count`, which takes any type. */
const aggregateSchema = (name: string, value: Value | undefined): string =>
  (name !== 'count' && value?.kind === 'field' && value.cast === undefined && operatorSchema(value.field)) || 'pg_catalog'

export function columnValueText(writer: StatementWriter, alias: string, value: Value, isGrouped = false): string {
  if (value.kind === 'field') {
    return value.cast === undefined ? shownValue(writer, alias, value.field) : `(${fieldValue(writer, alias, value.field)})::${value.cast}`
  }
  if (value.kind === 'output') return String(value.place)
  return value.kind === 'embedded'
    ? embeddedText(writer, alias, value.embedding, isGrouped)
    : spreadText(writer, alias, value.embedding, value.value, isGrouped)
}

/** The rows of an embedding: their source, and the join with the row of the alias `parent`. */
function source(
  writer: StatementWriter,
  parent: string,
  { table, relationship }: EmbeddingPlan,
): { alias: string; from: string; joined: string[] } {
  const alias = writer.alias()
  const from = `${qualifiedName(table)} ${alias}`
  const { columns, through, narrowed = [] } = relationship
  const own = { table: relationship.from, alias: parent }
  if (!through) {
    const seen = seenLinks(writer, narrowed, { from: parent, to: alias, through: '' })
    return { alias, from, joined: [...joinedColumns(own, { table, alias }, columns), ...seen] }
  }
  const between = { table: through.table, alias: writer.alias() }
  const on = joinedColumns(between, { table, alias }, through.targetColumns).join(' and ')
  return {
    alias,
    from: `${from} join ${qualifiedName(through.table)} ${between.alias} on ${on}`,
    joined: [
      ...joinedColumns(own, between, through.columns),
      ...readCondition(writer, through.table, between.alias),
      ...seenLinks(writer, narrowed, { from: parent, to: alias, through: between.alias }),
    ],
  }
}

/** A link counts only in rows in which the caller may see it. */
const seenLinks = (
  writer: StatementWriter,
  narrowed: NonNullable<EmbeddingPlan['relationship']['narrowed']>,
  aliases: Record<'from' | 'to' | 'through', string>,
): string[] =>
  narrowed.flatMap(({ side, column }) => (column.access?.visibleIn && ruleText(writer, column.access.visibleIn, aliases[side])) ?? [])

function embeddedText(writer: StatementWriter, parent: string, embedding: EmbeddingPlan, isGrouped: boolean): string {
  const { alias, from, joined } = source(writer, parent, embedding)
  const suffix = isGrouped ? 'jsonb' : 'json'
  const rowText = (row: string) => `pg_catalog.${isGrouped ? 'to_jsonb' : 'row_to_json'}(${row}.*)`
  if (embedding.relationship.cardinality === 'toOne') {
    const row = writer.alias()
    return `(select ${rowText(row)} from (${levelSelect(writer, embedding, alias, from, joined)}) ${row})`
  }
  const size = embeddedRows(writer, embedding.limit)
  const rows = levelSelect(writer, { ...embedding, limit: size.limit }, alias, from, joined)
  const weighedRows = weighed(writer, rows, rowText('p'), size.most)
  return `(select ${countedText(`coalesce(pg_catalog.${suffix}_agg(${weighedRows.value}), '[]')`, size)} from ${weighedRows.from})`
}

function spreadText(writer: StatementWriter, parent: string, embedding: EmbeddingPlan, value: Value, isGrouped: boolean): string {
  const { alias, from, joined } = source(writer, parent, embedding)
  const { cardinality } = embedding.relationship
  const isOne = cardinality === 'toOne'
  const inner = `select ${columnValueText(writer, alias, value, isGrouped)} as v from ${from}${whereText([...joined, ...levelConditions(writer, embedding, alias)])}`
  if (isOne) return `(${inner})`
  const suffix = isGrouped ? 'jsonb' : 'json'
  const size = embeddedRows(writer, embedding.limit)
  const ordered = `${inner}${orderExpression(writer, alias, embedding.order)}${pageText(writer, { ...embedding, limit: size.limit })}`
  const values = weighed(writer, ordered, `pg_catalog.to_${suffix}(p.v)`, size.most)
  return `(select ${countedText(`coalesce(pg_catalog.${suffix}_agg(${values.value}), '[]')`, size)} from ${values.from})`
}

function existsText(writer: StatementWriter, parent: string, embedding: EmbeddingPlan): string {
  const { alias, from, joined } = source(writer, parent, embedding)
  return `exists (select from ${from}${whereText([...joined, ...levelConditions(writer, embedding, alias)])})`
}

export function conditionText(writer: StatementWriter, alias: string, condition: PlannedCondition): string {
  switch (condition.kind) {
    case 'every':
    case 'some':
      return joinedText(writer, alias, condition.kind, condition.conditions)
    case 'not':
      return `not (${conditionText(writer, alias, condition.condition)})`
    case 'isNotTrue':
      return `(${conditionText(writer, alias, condition.condition)}) is not true`
    case 'exists':
      return existsText(writer, alias, condition.embedding)
    case 'is':
      return `${fieldValue(writer, alias, condition.field)} is ${condition.what}`
    case 'search':
      return searchText(writer, alias, condition)
    default:
      return comparisonText(writer, alias, condition)
  }
}

function joinedText(writer: StatementWriter, alias: string, kind: 'every' | 'some', conditions: PlannedCondition[]): string {
  if (conditions.length === 0) return kind === 'every' ? 'true' : 'false'
  const texts = conditions.map((condition) => conditionText(writer, alias, condition))
  return `(${texts.join(kind === 'every' ? ' and ' : ' or ')})`
}

function comparisonText(
  writer: StatementWriter,
  alias: string,
  condition: Extract<PlannedCondition, { kind: 'comparison' | 'oneOf' | 'matches' }>,
): string {
  const left = fieldValue(writer, alias, condition.field)
  if (condition.kind === 'matches') {
    const language = condition.language === undefined ? '' : `${writer.parameter(condition.language, 'regconfig')}, `
    const vector = condition.isVector ? left : `pg_catalog.to_tsvector(${language}${left})`
    return `${vector} ${operator('@@')} pg_catalog.${condition.reader}(${language}${writer.parameter(condition.value, 'text')})`
  }
  if (condition.kind === 'oneOf') {
    const row = writer.alias()
    const list = writer.parameter(arrayLiteral(condition.values), 'text[]')
    const found = `exists (select from pg_catalog.unnest(${list}) ${row} (v) where ${row}.v::${condition.type} ${equal} ${left})`
    // Null for an empty value, as with `=`, so that the negation does not find it either.
    return `case when ${left} is not null then ${found} end`
  }
  const { quantifier, value, type, filter } = condition
  const compared = operator(condition.operator, operatorSchema(condition.field))
  if (!quantifier) return `${left} ${compared} ${writer.parameter(value, type, filter)}`
  return `${left} ${compared} ${quantifier}(${writer.parameter(value, `${type}[]`)})`
}
