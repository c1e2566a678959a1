import type { RuleOperator } from './filter-operators'

/** A condition on one column. `values` are as the API takes them; dates may be relative (`relative-dates.ts`). */
export type FilterRule = { kind: 'rule'; column: string; operator: RuleOperator; values: string[] }

/** Conditions that must all hold, or of which one must. */
export type FilterGroup = { kind: 'group'; join: 'and' | 'or'; items: FilterItem[] }

export type FilterItem = FilterRule | FilterGroup

export const noFilter: FilterGroup = { kind: 'group', join: 'and', items: [] }

export const filterRules = (item: FilterItem): FilterRule[] => (item.kind === 'rule' ? [item] : item.items.flatMap(filterRules))

/**
 * The group with each rule changed. A rule for which `change` returns null goes, and with it a group that is empty
 * then.
 */
export function mapRules(group: FilterGroup, change: (rule: FilterRule) => FilterRule | null): FilterGroup {
  const items = group.items.flatMap((item): FilterItem[] => {
    if (item.kind === 'rule') return [change(item) ?? []].flat()
    const kept = mapRules(item, change)
    return kept.items.length ? [kept] : []
  })
  return { ...group, items }
}
