import type { TableView } from '../../../../tables/model'
import type { FilterTerm } from './filter-grammar'
import { asOffered, type FilterRule, parseItem, writeListItem } from './filter-operators'

/** A condition of a rollup or a count on the linked records (docs/tables.md). `column` is an id. */
export type LinkedCondition = { column: string; operator: string; value: string | string[]; not?: boolean }

/** With `not`, records without a value meet the condition, as they do in the filters of a page. */
export function writeCondition(rule: FilterRule, { columns }: TableView): LinkedCondition[] {
  const column = columns.find(({ name }) => name === rule.column)?.id
  const expression = writeListItem(rule)
  const [term, isOrEmpty] = expression.kind === 'term' ? [expression, false] : [expression.items[0] as FilterTerm, true]
  if (column === undefined) return []
  const { operator, value, isNegated } = term
  if (operator === 'isdistinct') return [{ column, operator: 'eq', value, not: true }]
  if (isOrEmpty && !isNegated) return [{ column, operator: 'neq', value, not: true }]
  if (operator === 'is' && isNegated) return [{ column, operator, value: 'not_null' }]
  return [isNegated ? { column, operator, value, not: true } : { column, operator, value }]
}

/** @returns null for a condition that no operator of the filter builder expresses */
export function parseCondition({ column: id, operator, value, not = false }: LinkedCondition, { columns }: TableView): FilterRule | null {
  const column = columns.find((each) => each.id === id)
  if (!column) return null
  const term = (changes: Partial<FilterTerm>): FilterTerm => ({
    kind: 'term',
    column: column.name,
    isNegated: false,
    operator,
    value,
    ...changes,
  })
  const isNull = term({ operator: 'is', value: 'null' })
  const expression = () => {
    if (operator === 'is') return value === 'not_null' ? term({ value: 'null', isNegated: !not }) : term({ isNegated: not })
    if (!not) return term({})
    if (operator === 'eq') return term({ operator: 'isdistinct' })
    const items = [operator === 'neq' ? term({ operator: 'eq' }) : term({ isNegated: true }), isNull]
    return { kind: 'or' as const, items }
  }
  const rule = parseItem(expression())
  return rule?.kind === 'rule' ? asOffered(rule, column) : null
}
