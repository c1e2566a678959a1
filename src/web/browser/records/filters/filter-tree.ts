import type { FilterGroup, FilterItem, FilterRule } from './filter-operators'

export const noFilter: FilterGroup = { kind: 'group', join: 'and', items: [] }

export const filterRules = (item: FilterItem): FilterRule[] => (item.kind === 'rule' ? [item] : item.items.flatMap(filterRules))

/** The group with each rule changed. Removes rules for which `change` returns null, and groups that become empty. */
export function mapRules(group: FilterGroup, change: (rule: FilterRule) => FilterRule | null): FilterGroup {
  const items = group.items.flatMap((item): FilterItem[] => {
    if (item.kind === 'rule') return [change(item) ?? []].flat()
    const kept = mapRules(item, change)
    return kept.items.length ? [kept] : []
  })
  return { ...group, items }
}
