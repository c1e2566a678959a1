import { createContext, useContext } from 'react'
import { operatorsFor, type RuleOperator } from '../../records/filters/filter-operators'
import type { RuleVariable } from '../../records/filters/rule-variables'
import { type CellKind, cellKind } from '../../records/values/cell-kinds'
import type { GridColumn } from '../../records/values/cell-values'

/**
 * The use of a filter: for records on a page, a column of the records that they link to (`path`), an access rule, or
 * the linked records that a rollup counts. An access rule can also compare with the requesting user and the time. Only
 * a page offers named days, which it replaces with a range when it sends the request. On linked records, one record
 * could meet the lower bound of that range and another the upper one.
 */
export type FilterUse = 'page' | 'path' | 'access' | 'linked'

const UseContext = createContext<FilterUse>('page')

export const FilterUseProvider = UseContext.Provider
export const useFilterUse = (): FilterUse => useContext(UseContext)

/** The operators that are not available for a use. */
const missingOperators: Record<FilterUse, readonly RuleOperator[]> = {
  page: [],
  path: ['within'],
  access: ['within'],
  linked: ['within', 'hasAny', 'hasAll', 'hasNone', 'isEmptyList', 'isNotEmptyList'],
}

/** Whether a condition on a timestamp takes an instant instead of a day. */
export const comparesMoments = (use: FilterUse): boolean => use === 'linked' || use === 'path'

/** The database compares linked records itself: timestamps as instants, and in a rollup unknown types by value. */
export function operatorsOf(use: FilterUse, column: GridColumn): RuleOperator[] {
  const kind = cellKind(column)
  if (use === 'linked' && column.type === 'other') return ['eq', 'differs', 'isNull', 'isNotNull']
  const missing = kind === 'dateTime' && comparesMoments(use) ? [...missingOperators[use], 'eq', 'differs'] : missingOperators[use]
  return operatorsFor(kind, column.type).filter((operator) => !missing.includes(operator))
}

const equality: RuleOperator[] = ['eq', 'differs']
const membership: RuleOperator[] = ['anyOf', 'noneOf']

/** The variables that a column can be compared with by an operator. */
export function variablesFor(kind: CellKind, type: string, operator: RuleOperator): RuleVariable[] {
  const isOne = equality.includes(operator)
  const isList = membership.includes(operator)
  if (kind === 'person' || type === 'uuid') return isOne || isList ? ['@me'] : []
  if (kind === 'date' || kind === 'dateTime') return ['@now']
  if (kind === 'select') return isList ? ['@me.groups'] : []
  if (kind === 'multiSelect') return ['hasAny', 'hasNone'].includes(operator) ? ['@me.groups'] : []
  if (!operatorsFor(kind, type).includes('contains')) return []
  if (isList) return ['@me.groups']
  return isOne ? ['@me.email'] : []
}
