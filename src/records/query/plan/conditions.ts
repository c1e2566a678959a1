import { arrayLiteral } from '../../../db/arrays'
import { type Message, translatable } from '../../../messages/message'
import type { Tables } from '../../../tables/catalog/catalog'
import { relationshipOfColumn } from '../../../tables/catalog/links/relationships'
import type { Table } from '../../../tables/model'
import { literalProblem } from '../literals'
import type { QueryDialect } from '../parse/query'
import { displayName, queryFailure } from '../plan-failure'
import type { Filter, FilterCondition, FilterOperator } from '../tree'
import { type Family, familyOf } from '../type-families'
import { relationshipNamed } from './embeddings'
import { fieldType, findColumn, planField } from './fields'
import { planLimits } from './limits'
import type { EmbeddingPlan, PlannedCondition, PlannedField, TextReader } from './types'

const sqlOperators: Partial<Record<FilterOperator, string>> = {
  eq: '=',
  neq: '<>',
  gt: '>',
  gte: '>=',
  lt: '<',
  lte: '<=',
  like: '~~',
  ilike: '~~*',
  match: '~',
  imatch: '~*',
  // The value of a filter is never null. "is distinct from" would find its operator by the search path.
  isdistinct: '=',
  cs: '@>',
  cd: '<@',
  ov: '&&',
  sl: '<<',
  sr: '>>',
  nxl: '&>',
  nxr: '&<',
  adj: '-|-',
}

const textReaders: Partial<Record<FilterOperator, TextReader>> = {
  fts: 'to_tsquery',
  plfts: 'plainto_tsquery',
  phfts: 'phraseto_tsquery',
  wfts: 'websearch_to_tsquery',
}

const patterns: FilterOperator[] = ['like', 'ilike', 'match', 'imatch']
const quantifiableOperators: FilterOperator[] = ['eq', 'neq', 'gt', 'gte', 'lt', 'lte', ...patterns]

/**
 * The type families that an operator works on, if not on all; `other` always goes to PostgreSQL, which supports these
 * types.
 */
const worksOn: Partial<Record<FilterOperator, { families: Family[]; what: Message }>> = Object.fromEntries([
  ...patterns.map((operator) => [operator, { families: ['text'], what: translatable('texts') }]),
  ...Object.keys(textReaders).map((operator) => [
    operator,
    { families: ['text', 'vector', 'json'], what: translatable('texts and tsvector') },
  ]),
  ...['cs', 'cd'].map((operator) => [operator, { families: ['array', 'range', 'json'], what: translatable('arrays, ranges and JSON') }]),
  ['ov', { families: ['array', 'range'], what: translatable('arrays and ranges') }],
  ...['sl', 'sr', 'nxl', 'nxr', 'adj'].map((operator) => [operator, { families: ['range'], what: translatable('ranges') }]),
])

/**
 * All filters of a level as one condition; null if there are none.
 * @throws QueryFailure that names the column, and never the value
 */
export function planConditions(
  tables: Tables,
  table: Table,
  filters: Filter[],
  embeddings: EmbeddingPlan[],
  dialect: QueryDialect,
): PlannedCondition | null {
  const embeddingOf: EmbeddingOf = (filter) => embeddingNamed(table, filter, embeddings, dialect)
  const conditions = filters.map((filter) => planFilter(tables, table, filter, embeddingOf))
  return conditions.length > 1 ? { kind: 'every', conditions } : (conditions[0] ?? null)
}

/** The embedding that a filter of the level tests. */
type EmbeddingOf = (filter: FilterCondition) => EmbeddingPlan | undefined

function planFilter(tables: Tables, table: Table, filter: Filter, embeddingOf: EmbeddingOf): PlannedCondition {
  if (filter.kind === 'linked') {
    const condition = planLinked(tables, table, filter)
    return filter.condition.isNegated ? { kind: 'not', condition } : condition
  }
  const condition =
    filter.kind === 'condition'
      ? planComparison(table, filter, embeddingOf)
      : ({
          kind: filter.kind === 'and' ? 'every' : 'some',
          conditions: filter.filters.map((inner) => planFilter(tables, table, inner, embeddingOf)),
        } as const)
  return filter.isNegated ? { kind: 'not', condition } : condition
}

/** A record linked by a column or, if there is no such link, by a relation as in `select`. */
function planLinked(tables: Tables, table: Table, { relation, condition }: Extract<Filter, { kind: 'linked' }>): PlannedCondition {
  const relationship = relationshipOfColumn(tables, table, relation) ?? relationshipNamed(tables, table, { relation })
  const { to } = relationship
  const level = { table: to, outputs: [], embeddings: [], order: [], isAggregated: false }
  return {
    kind: 'exists',
    embedding: { ...level, name: relation, relationship, isInner: true, condition: planComparison(to, condition, () => undefined) },
  }
}

function planComparison(table: Table, filter: FilterCondition, embeddingOf: EmbeddingOf): PlannedCondition {
  const embedding = embeddingOf(filter)
  if (embedding) return planPresence(embedding, filter)
  const field = planField(table, filter.column)
  const { operator, value } = filter
  if (filter.quantifier && !quantifiableOperators.includes(operator)) {
    throw queryFailure(
      'wrongOperator',
      translatable('The operator "{operator}" of {quotedName} accepts neither "any" nor "all".', {
        operator,
        quotedName: quotedName(field),
      }),
    )
  }
  if (operator === 'is') return planIs(field, comparedValue(field, value))
  requireOperatorForType(field, operator)
  if (operator === 'in') return planIn(field, typeof value === 'string' ? [value] : value)
  const reader = textReaders[operator]
  if (reader) return planMatch(field, reader, filter)
  if (filter.quantifier) return planQuantified(field, filter)
  const comparison: PlannedCondition = {
    kind: 'comparison',
    field,
    operator: sqlOperators[operator]!,
    value: comparedText(field, operator, comparedValue(field, value)),
    type: comparisonType(field, operator),
    filter,
  }
  return operator === 'isdistinct' ? { kind: 'isNotTrue', condition: comparison } : comparison
}

/**
 * The value of a filter as a parameter of the statement.
 * @throws QueryFailure wrongValue that names the column, and never the value
 */
export const comparedText = (field: PlannedField, operator: FilterOperator, text: string): string =>
  requireFitting(field, comparisonType(field, operator), patterns.slice(0, 2).includes(operator) ? text.replaceAll('*', '%') : text)

/**
 * `author=is.null`: a column of that name takes precedence on the native routes. In PostgREST, the embedding does, and
 * its own parameters count.
 */
function embeddingNamed(
  table: Table,
  filter: FilterCondition,
  embeddings: EmbeddingPlan[],
  dialect: QueryDialect,
): EmbeddingPlan | undefined {
  const { name, steps } = filter.column
  if (steps.length > 0) return undefined
  const isColumn = findColumn(table, name) && !(dialect === 'postgrest' && presenceOf(filter))
  return isColumn ? undefined : embeddings.find((embedding) => embedding.name === name)
}

function presenceOf({ operator, value }: FilterCondition): 'null' | 'not_null' | null {
  const state = operator === 'is' && typeof value === 'string' ? value.toLowerCase() : ''
  return state === 'null' || state === 'not_null' ? state : null
}

function planPresence(embedding: EmbeddingPlan, filter: FilterCondition): PlannedCondition {
  const presence = presenceOf(filter)
  if (!presence) {
    throw queryFailure(
      'wrongOperator',
      translatable('The embedded {displayName} can only be tested for null.', { displayName: displayName(embedding.name) }),
      translatable('Write is.null or not.is.null.'),
    )
  }
  const exists: PlannedCondition = { kind: 'exists', embedding }
  return presence === 'null' ? { kind: 'not', condition: exists } : exists
}

const states = { null: 'null', not_null: 'not null', true: 'true', false: 'false', unknown: 'unknown' } as const

function planIs(field: PlannedField, value: string): PlannedCondition {
  const what = new Map(Object.entries(states)).get(value.toLowerCase())
  if (!what)
    throw queryFailure(
      'wrongValue',
      translatable('"is" of {quotedName} accepts null, not_null, true, false or unknown.', { quotedName: quotedName(field) }),
    )
  const isOfTruth = what !== 'null' && what !== 'not null'
  if (isOfTruth && familyOf(fieldType(field)) !== 'boolean') {
    throw queryFailure(
      'wrongOperator',
      translatable('The column {quotedName} is not boolean.', { quotedName: quotedName(field) }),
      translatable('Only "is.null" and "is.not_null" work on every column.'),
    )
  }
  return { kind: 'is', field, what }
}

function requireOperatorForType(field: PlannedField, operator: FilterOperator) {
  const rule = worksOn[operator]
  const family = familyOf(fieldType(field))
  if (!rule || family === 'other' || rule.families.includes(family)) return
  throw queryFailure(
    'wrongOperator',
    translatable('The operator "{operator}" does not work on {quotedName}.', { operator, quotedName: quotedName(field) }),
    translatable('It works on {what}.', { what: rule.what }),
  )
}

function planIn(field: PlannedField, values: string[]): PlannedCondition {
  const type = fieldType(field)
  if (values.length > planLimits.elements)
    throw queryFailure(
      'tooMuch',
      translatable('The list for {quotedName} is too long; at most {elements} values are allowed.', {
        quotedName: quotedName(field),
        elements: planLimits.elements,
      }),
    )
  for (const value of values) requireFitting(field, type, value)
  // To PostgreSQL an array of arrays is a matrix, whose rows must all have the same length.
  if (familyOf(type) === 'array') return { kind: 'oneOf', field, values, type }
  return { kind: 'comparison', field, operator: '=', quantifier: 'any', value: arrayLiteral(values), type }
}

function planMatch(field: PlannedField, reader: TextReader, { language, value }: FilterCondition): PlannedCondition {
  const text = requireFitting(field, 'text', comparedValue(field, value))
  return { kind: 'matches', field, isVector: familyOf(fieldType(field)) === 'vector', reader, language, value: text }
}

/** The value is already an array literal, which PostgreSQL parses. */
function planQuantified(field: PlannedField, { operator, quantifier, value }: FilterCondition): PlannedCondition {
  const type = comparisonType(field, operator)
  if (familyOf(type) === 'array')
    throw queryFailure(
      'wrongOperator',
      translatable('"{quantifier}" does not work on the array {quotedName}.', { quantifier: quantifier!, quotedName: quotedName(field) }),
    )
  const literal = typeof value === 'string' ? value : arrayLiteral(value)
  const text = operator === 'like' || operator === 'ilike' ? literal.replaceAll('*', '%') : literal
  return { kind: 'comparison', field, operator: sqlOperators[operator]!, quantifier, value: requireFitting(field, 'text', text), type }
}

/** Patterns are texts even for a column of an unknown type. */
const comparisonType = (field: PlannedField, operator: FilterOperator) => (patterns.includes(operator) ? 'text' : fieldType(field))

function requireFitting(field: PlannedField, type: string, text: string): string {
  const problem = literalProblem(type, text)
  if (problem)
    throw queryFailure('wrongValue', translatable('The value for {quotedName} {problem}.', { quotedName: quotedName(field), problem }))
  return text
}

function comparedValue(field: PlannedField, value: string | string[]): string {
  if (typeof value !== 'string')
    throw queryFailure('wrongValue', translatable('Only "in" accepts a list, for {quotedName}.', { quotedName: quotedName(field) }))
  return value
}

const quotedName = ({ column }: PlannedField) => `"${column.name}"`
