import { cellKind } from '../values/cell-kinds'
import type { GridColumn } from '../values/cell-values'
import type { FilterRule } from './filter-operators'
import { takesValues } from './filter-operators'
import { isRelativeDay, isRelativePeriod } from './relative-dates'
import { isRuleVariable } from './rule-variables'

/** Why a condition cannot be sent; `incomplete` is one that the user has not finished. */
export type RuleProblem = 'incomplete' | 'unknownColumn' | 'number' | 'wholeNumber' | 'date' | 'time' | 'uuid'

const valuePatterns = {
  number: /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d{1,3})?$/i,
  wholeNumber: /^[+-]?\d{1,30}$/,
  date: /^\d{4,6}-\d\d-\d\d/,
  time: /^\d\d:\d\d/,
  uuid: /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/i,
} as const

const wholeTypes = ['integer', 'bigint', 'autoNumber', 'rating']

/** The format that a value needs so that the service accepts it. The service itself checks ranges. */
function valueForm(column: GridColumn): keyof typeof valuePatterns | null {
  const type = column.type === 'formula' ? String(column.options.valueType) : column.type
  if (type === 'uuid') return 'uuid'
  switch (cellKind(column)) {
    case 'number':
      return wholeTypes.includes(type) ? 'wholeNumber' : 'number'
    case 'date':
    case 'dateTime':
      return 'date'
    case 'time':
      return 'time'
    default:
      return null
  }
}

/** Does not check the column of a condition on linked records, which only the service knows. */
export function filterRuleProblem(rule: FilterRule, columns: readonly GridColumn[]): RuleProblem | null {
  const { linked, operator, values } = rule
  const column = linked === undefined ? columns.find(({ name }) => name === rule.column) : null
  if (column === undefined) return 'unknownColumn'
  if (!takesValues(operator)) return null
  if (values.length === 0 || values.every((value) => value.trim() === '')) return 'incomplete'
  if (operator === 'within') return isRelativePeriod(values[0]!) ? null : 'date'
  const form = column && valueForm(column)
  const isWrong = (value: string) => form !== null && !valuePatterns[form].test(value.trim())
  return values.some((value) => isWrong(value) && !isRuleVariable(value) && !(form === 'date' && isRelativeDay(value))) ? form : null
}
