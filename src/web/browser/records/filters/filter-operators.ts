import { type CellKind, cellKind } from '../values/cell-kinds'
import type { GridColumn } from '../values/cell-values'
import { type FilterExpression, type FilterTerm, parseArray, writeArray } from './filter-grammar'

/** How many values an operator takes; `pattern` is one value inside a pattern. */
type OperatorShape = 'none' | 'one' | 'pattern' | 'list' | 'array'

/**
 * An operator as a term of the API. `orEmpty` adds the records without a value, which PostgreSQL leaves out of every
 * comparison: people who choose “is not Oslo” expect to see them.
 */
type OperatorForm = {
  operator: string
  isNegated?: true
  shape: OperatorShape
  /** For the shape `none`: the fixed text after the operator. */
  text?: string
  before?: string
  after?: string
  orEmpty?: true
}

const forms = {
  contains: { operator: 'ilike', shape: 'pattern', before: '*', after: '*' },
  notContains: { operator: 'ilike', isNegated: true, shape: 'pattern', before: '*', after: '*', orEmpty: true },
  startsWith: { operator: 'ilike', shape: 'pattern', after: '*' },
  endsWith: { operator: 'ilike', shape: 'pattern', before: '*' },
  eq: { operator: 'eq', shape: 'one' },
  differs: { operator: 'isdistinct', shape: 'one' },
  neq: { operator: 'neq', shape: 'one' },
  gt: { operator: 'gt', shape: 'one' },
  gte: { operator: 'gte', shape: 'one' },
  lt: { operator: 'lt', shape: 'one' },
  lte: { operator: 'lte', shape: 'one' },
  within: { operator: 'within', shape: 'one' },
  anyOf: { operator: 'in', shape: 'list' },
  noneOf: { operator: 'in', isNegated: true, shape: 'list', orEmpty: true },
  hasAny: { operator: 'ov', shape: 'array' },
  hasAll: { operator: 'cs', shape: 'array' },
  hasNone: { operator: 'ov', isNegated: true, shape: 'array', orEmpty: true },
  isTrue: { operator: 'is', shape: 'none', text: 'true' },
  isFalse: { operator: 'is', shape: 'none', text: 'false' },
  isNull: { operator: 'is', shape: 'none', text: 'null' },
  isNotNull: { operator: 'is', isNegated: true, shape: 'none', text: 'null' },
  isBlank: { operator: 'eq', shape: 'none', text: '', orEmpty: true },
  isNotBlank: { operator: 'neq', shape: 'none', text: '' },
  isEmptyList: { operator: 'eq', shape: 'none', text: '{}', orEmpty: true },
  isNotEmptyList: { operator: 'neq', shape: 'none', text: '{}' },
} as const satisfies Record<string, OperatorForm>

export type RuleOperator = keyof typeof forms

/** Forms that differ for linked records: “is not” and “is empty” find records without a link, too. */
const linkedForms: Partial<Record<RuleOperator, OperatorForm>> = {
  differs: { operator: 'eq', isNegated: true, shape: 'one' },
  isNull: { operator: 'is', isNegated: true, shape: 'none', text: 'not_null' },
  isNotNull: { operator: 'is', shape: 'none', text: 'not_null' },
  isBlank: { operator: 'neq', isNegated: true, shape: 'none', text: '' },
  isEmptyList: { operator: 'neq', isNegated: true, shape: 'none', text: '{}' },
}

/** The operators that compare a link itself with the text that names its records. */
export const linkedOperators: readonly RuleOperator[] = ['contains', 'notContains']

/**
 * A condition on one column, or on the column `linked` of the records that it links to. `values` are as the API takes
 * them; dates may be relative (`relative-dates.ts`).
 */
export type FilterRule = { kind: 'rule'; column: string; linked?: string; operator: RuleOperator; values: string[] }

/** Conditions of which all (`and`) or at least one (`or`) must hold. */
export type FilterGroup = { kind: 'group'; join: 'and' | 'or'; items: FilterItem[] }

export type FilterItem = FilterRule | FilterGroup

const formOf = (operator: RuleOperator, linked?: string): OperatorForm =>
  (linked === undefined ? undefined : linkedForms[operator]) ?? forms[operator]

export const takesValues = (operator: RuleOperator): boolean => formOf(operator).shape !== 'none'
export const takesList = (operator: RuleOperator): boolean => ['list', 'array'].includes(formOf(operator).shape)

/** Operators with a fixed text come before those that accept any text. */
const exactOperatorsFirst = (Object.keys(forms) as RuleOperator[]).sort(
  (one, other) => Number(takesValues(one)) - Number(takesValues(other)),
)

const texts: RuleOperator[] = [
  'contains',
  'notContains',
  'eq',
  'differs',
  'startsWith',
  'endsWith',
  'anyOf',
  'noneOf',
  'isBlank',
  'isNotBlank',
]
const numbers: RuleOperator[] = ['eq', 'differs', 'gt', 'gte', 'lt', 'lte', 'isNull', 'isNotNull']
const dates: RuleOperator[] = ['eq', 'differs', 'lt', 'gt', 'lte', 'gte', 'within', 'isNull', 'isNotNull']
const choiceOperators: RuleOperator[] = ['anyOf', 'noneOf', 'isNull', 'isNotNull']
const listOperators: RuleOperator[] = ['hasAny', 'hasAll', 'hasNone', 'isEmptyList', 'isNotEmptyList']

const byKind: Partial<Record<CellKind, RuleOperator[]>> = {
  number: numbers,
  time: numbers,
  date: dates,
  dateTime: dates,
  boolean: ['isTrue', 'isFalse', 'isNull', 'isNotNull'],
  select: choiceOperators,
  link: choiceOperators,
  person: choiceOperators,
  multiSelect: listOperators,
  manyLinks: listOperators,
  json: ['isNull', 'isNotNull'],
  files: [],
}

/** The operators for a kind of cell, the usual one first. */
export const operatorsFor = (kind: CellKind, type: string): RuleOperator[] =>
  type === 'uuid' ? ['eq', 'differs', 'anyOf', 'noneOf', 'isNull', 'isNotNull'] : (byKind[kind] ?? texts)

/** Turns “is” and “is not” into list operators where only those are offered, as for a person. */
export function asOffered(rule: FilterRule, column: GridColumn): FilterRule {
  const offered = operatorsFor(cellKind(column), column.type)
  if (offered.includes('eq') || !offered.includes('anyOf')) return rule
  if (rule.operator === 'eq') return { ...rule, operator: 'anyOf' }
  return rule.operator === 'differs' ? { ...rule, operator: 'noneOf' } : rule
}

/** `*` is the wildcard of the API and cannot be escaped in a pattern, so it is replaced by “any single character”. */
const escapePattern = (text: string) => text.replace(/[\\%_]/g, '\\$&').replace(/\*/g, '_')

/** @returns null for a pattern that contains other wildcards */
function unescapePattern(text: string): string | null {
  if (/[*%_]/.test(text.replace(/\\[\s\S]/g, ''))) return null
  return text.replace(/\\([\s\S])/g, '$1')
}

/** Converts a rule to a filter of the API. */
function writeRule({ column, linked, operator, values }: FilterRule): FilterExpression {
  const form = formOf(operator, linked)
  const term: FilterTerm = {
    kind: 'term',
    column,
    linked,
    isNegated: form.isNegated === true,
    operator: form.operator,
    value: writeValues(form, values),
  }
  // Records without a link do not have a linked record that matches.
  if (!form.orEmpty || linked !== undefined) return term
  return { kind: 'or', items: [term, { kind: 'term', column, isNegated: false, operator: 'is', value: 'null' }] }
}

function writeValues({ shape, text = '', before = '', after = '' }: OperatorForm, values: string[]): string | string[] {
  if (shape === 'list') return values
  if (shape === 'array') return writeArray(values)
  if (shape === 'none') return text
  return shape === 'one' ? (values[0] ?? '') : `${before}${escapePattern(values[0] ?? '')}${after}`
}

export function writeListItem(item: FilterItem): FilterExpression {
  return item.kind === 'rule' ? writeRule(item) : { kind: item.join, items: item.items.map(writeListItem) }
}

/** @returns null for a filter that matches no operator */
export function parseItem(expression: FilterExpression): FilterItem | null {
  if (expression.kind === 'term') return parseTerm(expression, false)
  const [first, second] = expression.items
  if (
    expression.kind === 'or' &&
    expression.items.length === 2 &&
    first?.kind === 'term' &&
    second?.kind === 'term' &&
    isEmptyOf(second, first.column)
  ) {
    const rule = parseTerm(first, true)
    if (rule) return rule
  }
  const items = expression.items.map(parseItem)
  return items.every((item) => item !== null) ? ({ kind: 'group', join: expression.kind, items } satisfies FilterGroup) : null
}

const isEmptyOf = ({ column, linked, operator, isNegated, value }: FilterTerm, other: string) =>
  column === other && linked === undefined && operator === 'is' && value === 'null' && !isNegated

function parseTerm({ column, linked, operator, isNegated, value }: FilterTerm, orEmpty: boolean): FilterRule | null {
  for (const name of exactOperatorsFirst) {
    const form = formOf(name, linked)
    const isOrEmpty = linked === undefined && form.orEmpty === true
    if (form.operator !== operator || (form.isNegated ?? false) !== isNegated || isOrEmpty !== orEmpty) continue
    const values = parseValues(form, value)
    if (values) return { kind: 'rule', column, linked, operator: name, values }
  }
  return null
}

function parseValues({ shape, text, before = '', after = '' }: OperatorForm, value: string | string[]): string[] | null {
  if (typeof value !== 'string') return shape === 'list' ? value : null
  if (shape === 'none') return value === text ? [] : null
  if (shape === 'one') return [value]
  if (shape === 'array') return /^\{[\s\S]*\}$/.test(value) ? parseArray(value) : null
  if (shape !== 'pattern' || value.length < before.length + after.length || !value.startsWith(before) || !value.endsWith(after)) return null
  const inner = unescapePattern(value.slice(before.length, value.length - after.length))
  return inner === null ? null : [inner]
}
