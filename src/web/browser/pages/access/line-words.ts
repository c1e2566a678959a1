import type { Action } from '../../../../access/model'
import type { User } from '../../../../auth/model'
import type { TableView } from '../../../../tables/model'
import { userTitle } from '../../api/users-query'
import { operatorLabel } from '../../fields/filter/filter-rule-line'
import type { FilterItem } from '../../records/filters/filter-operators'
import { isRuleVariable } from '../../records/filters/rule-variables'
import type { Strings } from '../../strings/en'
import { accessActions, allTables, extentOfAll, type Line } from './lines'
import { parseRule } from './rule-text'

export const groupLabel = (group: string, { access }: Strings): string => access.groups[group] ?? group

/** The name of a table by its id, or the text of the line if the table does not exist. */
export const tableLabel = (table: string, tables: readonly TableView[], { access }: Strings): string =>
  table === allTables ? access.allTables : (tables.find(({ id }) => id === table)?.name ?? table)

/** "See: some, Add: all …", for the lines of a cell. */
export const marksText = (lines: readonly Line[], { access }: Strings): string =>
  lines.length === 0
    ? access.noLine
    : accessActions.map((action) => `${access.actions[action]}: ${access.extents[extentOfAll(lines, action)]}`).join(', ')

/** Returns the name of a user; rules identify users by id. */
type NameOf = (userId: string) => string

const anyId = /[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}/gi

export const userNames =
  (users: readonly User[] | undefined): NameOf =>
  (id) => {
    const user = users?.find((each) => each.id === id.toLowerCase())
    return user ? userTitle(user) : id
  }

/** "owner is the person who is signed in"; the text itself if the filter builder cannot show it. */
export function ruleWords(text: string, table: TableView | undefined, nameOf: NameOf, strings: Strings): string {
  if (text === 'all' || text === 'none') return strings.access.extents[text]
  const group = table && parseRule(text, table)
  return (group ? itemWords(group, table, strings) : text).replace(anyId, nameOf)
}

function itemWords(item: FilterItem, table: TableView, strings: Strings): string {
  const { filter } = strings
  if (item.kind === 'group') return item.items.map((each) => itemWords(each, table, strings)).join(` ${filter.joins[item.join]} `)
  const isSingle = item.values.length === 1
  const operator = isSingle && item.operator === 'anyOf' ? 'eq' : isSingle && item.operator === 'noneOf' ? 'differs' : item.operator
  const column = table.columns.find(({ name }) => name === item.column)
  const values = item.values.map((value) => (isRuleVariable(value) ? filter.variables[value] : value)).join(', ')
  return [item.column, operatorLabel(filter, operator, column), values].filter(Boolean).join(' ')
}

type Rules = Record<Action, string> & { columns?: { read?: string[]; write?: string[] } }

/** The rights of a line, action by action. */
export function lineWords(line: Rules, table: TableView | undefined, nameOf: NameOf, strings: Strings): string {
  const { access } = strings
  const actions = accessActions.map((action) => `${access.actions[action]}: ${ruleWords(line[action], table, nameOf, strings)}`)
  const { read, write } = line.columns ?? {}
  const columns = [read ? `${access.sees}: ${read.join(', ')}` : [], write ? `${access.mayWrite}: ${write.join(', ')}` : []].flat()
  return [...actions, ...columns].join(' · ')
}
