import { createContext, useContext } from 'react'
import { operatorsFor, type RuleOperator } from '../../records/filters/filter-operators'
import type { RuleVariable } from '../../records/filters/rule-variables'
import type { CellKind } from '../../records/values/cell-kinds'

/**
 * Whether the filter is a rule of access: it compares with who asks and when, too, and knows no days by name, which
 * mean a day of the request that is made.
 */
const RuleContext = createContext(false)

export const RuleProvider = RuleContext.Provider
export const useIsRule = (): boolean => useContext(RuleContext)

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
