import type { AccessDocument, Action, Extent, NewAccessRule } from '../../../../access/model'
import type { TableView } from '../../../../tables/model'
import type { ApiError } from '../../api/api-error'
import { tableByName } from '../../records/values/column'

export const accessActions = ['read', 'create', 'update', 'delete'] as const satisfies readonly Action[]

/** The groups that every service has, as named in the document. */
export const roleGroups = ['everyone', 'role:editor', 'role:viewer'] as const

export const allTables = '*'

type LineColumns = { read?: string[]; write?: string[] }

/**
 * A line of the edited document. `table` is an id, `*`, or the name of a table that does not exist; `columns` are
 * names. `problems` are the service's messages by part of the line; messages about the whole line are under `''`.
 */
export type Line = Record<Action, string> & {
  id: number
  group: string
  table: string
  columns?: LineColumns
  problems: Record<string, string>
}

let ids = 0

export const newLine = (part: Pick<Line, 'group' | 'table'> & Partial<Line>): Line => ({
  read: 'none',
  create: 'none',
  update: 'none',
  delete: 'none',
  problems: {},
  ...part,
  id: ++ids,
})

export const toRuleLines = ({ rules, problems }: AccessDocument, tables: readonly TableView[]): Line[] =>
  rules.map((rule, index) => {
    const messages = problems.filter((problem) => problem.rule === index).map(({ message }) => message)
    const table = rule.table === allTables ? allTables : (tableByName(tables, rule.table)?.id ?? rule.table)
    return newLine({ ...rule, table, problems: messages.length > 0 ? { '': messages.join(' ') } : {} })
  })

export const toRules = (lines: readonly Line[]): NewAccessRule[] =>
  lines.map(({ id: _id, problems: _problems, ...rule }) => (rule.columns ? rule : { ...rule, columns: undefined }))

/** Adds the messages about a rejected document to the lines that they concern. */
export function withProblems(lines: readonly Line[], { body }: ApiError): Line[] {
  const named = (body.errors ?? []).map(({ path = '', message }) => {
    const [, index, part = ''] = /^\/rules\/(\d+)\/?([a-z]*)/.exec(path) ?? []
    return { index: Number(index), part, message }
  })
  return lines.map((line, index) => ({
    ...line,
    problems: Object.fromEntries(named.filter((problem) => problem.index === index).map(({ part, message }) => [part, message])),
  }))
}

export const extentOf = (rule: string): Extent => (rule === 'all' || rule === 'none' ? rule : 'some')

/** The combined extent of several lines of a group. */
export function extentOfAll(lines: readonly Line[], action: Action): Extent {
  const extents = lines.map((line) => extentOf(line[action]))
  return extents.includes('all') ? 'all' : extents.includes('some') ? 'some' : 'none'
}

export const isLineFor = (group: string, table: string) => (line: Line) => line.group === group && line.table === table

/** Whether all lines of a group for a table hide the column already. */
export const isHiddenIn = (lines: readonly Line[], name: string): boolean =>
  lines.length > 0 && lines.every(({ columns }) => columns?.read?.includes(name) === false)

/** Whether a line names the table, which closes it to everyone without a line. */
export const isNamed = (lines: readonly Line[], tableId: string): boolean =>
  lines.some(({ table }) => table === tableId || table === allTables)

/** Lines whose table or group does not exist, or whose group this service does not list. */
export const orphansOf = (lines: readonly Line[], groups: readonly string[], tables: readonly TableView[]): Line[] =>
  lines.filter(({ group, table }) => !groups.includes(group) || !(table === allTables || tables.some(({ id }) => id === table)))
