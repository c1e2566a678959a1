import type { FilterGroup, FilterItem, FilterRule } from '../../records/filters/filter-operators'
import type { GridColumn } from '../../records/values/cell-values'
import { type FilterUse, operatorsOf } from './filter-use'

/** The filter while it is being edited: every item has an identity. Values may be incomplete or wrong. */
export type DraftRule = FilterRule & { id: number }
export type DraftGroup = Omit<FilterGroup, 'items'> & { id: number; items: DraftItem[] }
export type DraftItem = DraftRule | DraftGroup

export const isFilterable = (column: GridColumn) => operatorsOf('page', column).length > 0

let ids = 0

export const toFilterDraft = (group: FilterGroup): DraftGroup => ({
  ...group,
  id: ++ids,
  items: group.items.map((item): DraftItem => (item.kind === 'rule' ? { ...item, id: ++ids } : toFilterDraft(item))),
})

export const fromFilterDraft = ({ join, items }: DraftGroup): FilterGroup => ({
  kind: 'group',
  join,
  items: items.map((item): FilterItem => (item.kind === 'group' ? fromFilterDraft(item) : toRule(item))),
})

const toRule = ({ id: _, ...rule }: DraftRule): FilterRule => rule

export const newRule = (column: GridColumn, use: FilterUse = 'page'): DraftRule => ({
  kind: 'rule',
  id: ++ids,
  column: column.name,
  operator: operatorsOf(use, column)[0]!,
  values: [],
})

export const newGroup = (rule: DraftRule, join: 'and' | 'or'): DraftGroup => ({ kind: 'group', id: ++ids, join, items: [rule] })

/** The group with one item replaced by others, at any depth. A group that becomes empty is removed. */
export function replaceItem(group: DraftGroup, id: number, replace: (item: DraftItem) => DraftItem[]): DraftGroup {
  const items = group.items.flatMap((item) => {
    if (item.id === id) return replace(item)
    if (item.kind === 'rule') return [item]
    const inner = replaceItem(item, id, replace)
    return inner.items.length ? [inner] : []
  })
  return { ...group, items }
}
