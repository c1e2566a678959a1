import type { TableView } from '../../../../tables/model'
import { type FilterExpression, type FilterTerm, parseFilterParameter, writeParameter } from '../../records/filters/filter-grammar'
import type { FilterGroup, FilterItem, FilterRule } from '../../records/filters/filter-operators'
import { asOffered, parseItem, writeListItem } from '../../records/filters/filter-operators'
import { mapRules } from '../../records/filters/filter-tree'
import { filterRuleProblem } from '../../records/filters/rule-problems'
import { isRuleVariable } from '../../records/filters/rule-variables'

type RuleTable = Pick<TableView, 'columns'>

/**
 * The conditions of an access rule, for the filter builder.
 * @returns null if the builder cannot show them: conditions on linked records or on missing columns
 */
export function parseRule(text: string, table: RuleTable): FilterGroup | null {
  const items: FilterItem[] = []
  for (const part of text.split('&')) {
    const at = part.indexOf('=')
    const expression = at < 0 ? null : parseFilterParameter(decode(part.slice(0, at)), toLists(decode(part.slice(at + 1))))
    const item = expression && parseItem(expression)
    if (!item) return null
    items.push(item)
  }
  const [only] = items
  const group: FilterGroup = items.length === 1 && only?.kind === 'group' ? only : { kind: 'group', join: 'and', items }
  let isKnown = true
  const found = mapRules(group, (rule) => {
    const column = table.columns.find(({ name }) => name === rule.column)
    if (!column || rule.linked !== undefined) isKnown = false
    return column ? asOffered(rule, column) : null
  })
  return isKnown ? found : null
}

/** The text of a rule, without incomplete conditions. Empty if all are incomplete. */
export function writeRule(group: FilterGroup, { columns }: RuleTable): string {
  const { join, items } = mapRules(group, (rule) => (filterRuleProblem(rule, columns) ? null : withVariable(rule)))
  const parameters = join === 'or' && items.length > 1 ? [writeListItem({ kind: 'group', join, items })] : items.map(writeListItem)
  return parameters
    .map((expression) => writeParameter(withoutLists(expression)))
    .map(([name, value]) => `${encode(name).replaceAll('=', '%3D')}=${encode(value)}`)
    .join('&')
}

/** Decodes text as in a URL, where `+` means a space. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' ').replace(/%(?![0-9A-Fa-f]{2})/g, '%25'))
  } catch {
    return text
  }
}

const encode = (text: string) => text.replace(/[%&+#]/g, encodeURIComponent)

/** Writes `in.@me.groups` as a list and `ov.@me.groups` as an array. */
const toLists = (value: string) =>
  value.replace(/(^|\.)in\.@me\.groups(?=$|[,)])/g, '$1in.(@me.groups)').replace(/(^|\.)ov\.@me\.groups(?=$|[,)])/g, '$1ov.{@me.groups}')

function withoutLists(expression: FilterExpression): FilterExpression {
  if (expression.kind !== 'term') return { ...expression, items: expression.items.map(withoutLists) }
  return { ...expression, value: withoutList(expression) }
}

function withoutList({ value }: FilterTerm): string | string[] {
  if (typeof value !== 'string') return value.length === 1 && value[0] === '@me.groups' ? value[0] : value
  return value === '{"@me.groups"}' ? '@me.groups' : value
}

/** A list cannot contain a variable with a single value. */
function withVariable(rule: FilterRule): FilterRule {
  const [value] = rule.values
  if (rule.values.length !== 1 || !isRuleVariable(value!) || value === '@me.groups') return rule
  if (rule.operator === 'anyOf') return { ...rule, operator: 'eq' }
  return rule.operator === 'noneOf' ? { ...rule, operator: 'differs' } : rule
}
