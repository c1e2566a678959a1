import { arrayLiteral } from '../../../db/arrays'
import type { Table } from '../../../tables/model'
import { refused, shown } from '../failure'
import { containing, literalProblem } from '../literals'
import type { ColumnPath, Filter, Operator } from '../tree'
import { type Family, familyOf } from '../type-families'
import { fieldType, findColumn, planField } from './fields'
import { planLimits } from './limits'
import type { Condition, EmbeddingPlan, Field, TextReader } from './types'

type Compared = Extract<Filter, { kind: 'condition' }>

const sqlOperators: Partial<Record<Operator, string>> = {
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
  // Of values that are not null, which those of a filter are: "is distinct from" would take its operator from the
  // search path.
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

const textReaders: Partial<Record<Operator, TextReader>> = {
  fts: 'to_tsquery',
  plfts: 'plainto_tsquery',
  phfts: 'phraseto_tsquery',
  wfts: 'websearch_to_tsquery',
}

const patterns: Operator[] = ['like', 'ilike', 'match', 'imatch']
const quantified: Operator[] = ['eq', 'neq', 'gt', 'gte', 'lt', 'lte', ...patterns]

/**
 * Which families an operator works on, where not on all; `other` always goes to PostgreSQL, which knows what we do not.
 */
const worksOn: Partial<Record<Operator, { families: Family[]; what: string }>> = Object.fromEntries([
  ...patterns.map((operator) => [operator, { families: ['text'], what: 'texts' }]),
  ...Object.keys(textReaders).map((operator) => [operator, { families: ['text', 'vector', 'json'], what: 'texts and tsvector' }]),
  ...['cs', 'cd'].map((operator) => [operator, { families: ['array', 'range', 'json'], what: 'arrays, ranges and JSON' }]),
  ['ov', { families: ['array', 'range'], what: 'arrays and ranges' }],
  ...['sl', 'sr', 'nxl', 'nxr', 'adj'].map((operator) => [operator, { families: ['range'], what: 'ranges' }]),
])

/**
 * All filters of a level as one condition; null for none.
 * @throws QueryFailure that names the column, and never the value
 */
export function planConditions(table: Table, filters: Filter[], embeddings: EmbeddingPlan[]): Condition | null {
  const conditions = filters.map((filter) => planFilter(table, filter, embeddings))
  return conditions.length > 1 ? { kind: 'every', conditions } : (conditions[0] ?? null)
}

function planFilter(table: Table, filter: Filter, embeddings: EmbeddingPlan[]): Condition {
  const condition =
    filter.kind === 'condition'
      ? planComparison(table, filter, embeddings)
      : ({
          kind: filter.kind === 'and' ? 'every' : 'some',
          conditions: filter.filters.map((inner) => planFilter(table, inner, embeddings)),
        } as const)
  return filter.isNegated ? { kind: 'not', condition } : condition
}

function planComparison(table: Table, filter: Compared, embeddings: EmbeddingPlan[]): Condition {
  const embedding = embeddingNamed(table, filter.column, embeddings)
  if (embedding) return planPresence(embedding, filter)
  const field = planField(table, filter.column)
  const { operator, value } = filter
  if (filter.quantifier && !quantified.includes(operator)) {
    throw refused('wrongOperator', `The operator "${operator}" of ${nameOf(field)} takes neither "any" nor "all".`)
  }
  if (operator === 'is') return planIs(field, textOf(field, value))
  holdToFamily(field, operator)
  if (operator === 'in') return planIn(field, typeof value === 'string' ? [value] : value)
  const reader = textReaders[operator]
  if (reader) return planMatch(field, reader, filter)
  if (filter.quantifier) return planQuantified(field, filter)
  const comparison: Condition = {
    kind: 'comparison',
    field,
    operator: sqlOperators[operator]!,
    value: comparedText(field, operator, textOf(field, value)),
    type: comparisonType(field, operator),
    filter,
  }
  return operator === 'isdistinct' ? { kind: 'isNotTrue', condition: comparison } : comparison
}

/**
 * The value of a filter as the statement takes it.
 * @throws QueryFailure wrongValue that names the column, and never the value
 */
export const comparedText = (field: Field, operator: Operator, text: string): string =>
  checked(field, comparisonType(field, operator), patterns.slice(0, 2).includes(operator) ? text.replaceAll('*', '%') : text)

/** `author=is.null`: a column of that name comes first. */
const embeddingNamed = (table: Table, { name, steps }: ColumnPath, embeddings: EmbeddingPlan[]): EmbeddingPlan | undefined =>
  steps.length || findColumn(table, name) ? undefined : embeddings.find((embedding) => embedding.name === name)

function planPresence(embedding: EmbeddingPlan, { operator, value }: Compared): Condition {
  const asked = operator === 'is' && typeof value === 'string' ? value.toLowerCase() : ''
  if (asked !== 'null' && asked !== 'not_null') {
    throw refused(
      'wrongOperator',
      `The embedded ${shown(embedding.name)} can only be asked whether it is null.`,
      'Write is.null or not.is.null.',
    )
  }
  const exists: Condition = { kind: 'exists', embedding }
  return asked === 'null' ? { kind: 'not', condition: exists } : exists
}

const states = { null: 'null', not_null: 'not null', true: 'true', false: 'false', unknown: 'unknown' } as const

function planIs(field: Field, value: string): Condition {
  const what = new Map(Object.entries(states)).get(value.toLowerCase())
  if (!what) throw refused('wrongValue', `"is" of ${nameOf(field)} takes null, not_null, true, false or unknown.`)
  const isOfTruth = what !== 'null' && what !== 'not null'
  if (isOfTruth && familyOf(fieldType(field)) !== 'boolean') {
    throw refused(
      'wrongOperator',
      `The column ${nameOf(field)} is neither true nor false.`,
      'Only a boolean column is; "is.null" works on all.',
    )
  }
  return { kind: 'is', field, what }
}

function holdToFamily(field: Field, operator: Operator) {
  const rule = worksOn[operator]
  const family = familyOf(fieldType(field))
  if (!rule || family === 'other' || rule.families.includes(family)) return
  throw refused('wrongOperator', `The operator "${operator}" does not work on ${nameOf(field)}.`, `It works on ${rule.what}.`)
}

function planIn(field: Field, values: string[]): Condition {
  const type = fieldType(field)
  if (values.length > planLimits.elements)
    throw refused('tooMuch', `The list for ${nameOf(field)} is too long; at most ${planLimits.elements} values are allowed.`)
  for (const value of values) checked(field, type, value)
  // An array of arrays is a matrix to PostgreSQL, and its rows would all have to be of one length.
  if (familyOf(type) === 'array') return { kind: 'oneOf', field, values, type }
  return { kind: 'comparison', field, operator: '=', quantifier: 'any', value: arrayLiteral(values), type }
}

function planMatch(field: Field, reader: TextReader, { language, value }: Compared): Condition {
  const text = checked(field, 'text', textOf(field, value))
  return { kind: 'matches', field, isVector: familyOf(fieldType(field)) === 'vector', reader, language, value: text }
}

/** The value is an array literal already, and PostgreSQL reads it. */
function planQuantified(field: Field, { operator, quantifier, value }: Compared): Condition {
  const type = comparisonType(field, operator)
  if (familyOf(type) === 'array') throw refused('wrongOperator', `"${quantifier}" does not work on the array ${nameOf(field)}.`)
  const literal = typeof value === 'string' ? value : arrayLiteral(value)
  const text = operator === 'like' || operator === 'ilike' ? literal.replaceAll('*', '%') : literal
  return { kind: 'comparison', field, operator: sqlOperators[operator]!, quantifier, value: checked(field, 'text', text), type }
}

/** Patterns are texts even where the column is none that we know. */
const comparisonType = (field: Field, operator: Operator) => (patterns.includes(operator) ? 'text' : fieldType(field))

function checked(field: Field, type: string, text: string): string {
  const problem = literalProblem(type, text)
  if (problem) throw refused('wrongValue', `The value for ${nameOf(field)} ${problem}.`)
  return text
}

function textOf(field: Field, value: string | string[]): string {
  if (typeof value !== 'string') throw refused('wrongValue', `Only "in" takes a list, for ${nameOf(field)}.`)
  return value
}

const nameOf = ({ column }: Field) => `"${column.name}"`

/** `q=`: rows in which a text column holds the text, in any case. */
export function planSearch(table: Table, search: string): Condition {
  if (search.includes('\0')) throw refused('wrongValue', 'The value of "q" holds a NUL, which no text may.')
  const columns = table.columns.filter((column) => column.isReadable && !column.joinTable && familyOf(column.comparedAs) === 'text')
  return { kind: 'search', columns, pattern: containing(search) }
}
