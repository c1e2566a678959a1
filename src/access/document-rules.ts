import { Failure, type Problem, validationFailed } from '../errors'
import { type Message, translatable } from '../messages/message'
import type { AccessSource, RuleText, StoredRule } from '../tables/access-source'
import { findTable, referenceTo, type Tables } from '../tables/catalog/catalog'
import { textProblem } from '../tables/column-types/text'
import type { Table } from '../tables/model'
import { nearest } from '../tables/nearest'
import { type AccessDocument, type AccessRule, actions, type NewAccessRule } from './model'
import { ruleCondition } from './rule-condition'

export type KnownGroups = ReadonlyMap<string, string>

const roleGroups = ['everyone', 'role:editor', 'role:viewer']

/**
 * The lines as they are stored, with ids instead of names.
 * @param groups ids by name
 * @param unreadable the problems of values that only PostgreSQL can judge
 * @throws Failure validation_failed, with the path of each invalid part
 */
export function toStoredRules(
  tables: Tables,
  groups: KnownGroups,
  rules: readonly NewAccessRule[],
  unreadable: readonly Problem[],
): StoredRule[] {
  const problems: Problem[] = [...unreadable]
  const stored = rules.map((rule, index) =>
    toStoredRule(tables, groups, rule, (path, message) => void problems.push({ path: `/rules/${index}${path}`, message })),
  )
  if (problems.length > 0) throw validationFailed(problems.slice(0, 100))
  return stored
}

type Tell = (path: string, message: Message) => void

function toStoredRule(tables: Tables, groups: KnownGroups, rule: NewAccessRule, tell: Tell): StoredRule {
  const table = rule.table === '*' ? null : findTable(tables, rule.table)
  const stored: StoredRule = { group: rule.group, table: rule.table, read: 'none', create: 'none', update: 'none', delete: 'none' }
  if (!roleGroups.includes(rule.group)) {
    const id = groups.get(rule.group)
    if (id === undefined) tell('/group', unknownGroup(rule.group, groups))
    else stored.groupId = id
  }
  if (table === undefined || table?.isJoinTable) tell('/table', unknownTable(tables, rule.table))
  if (table) Object.assign(stored, { tableId: table.id, table: table.name })
  for (const action of actions) {
    const text = rule[action]?.trim() ?? 'none'
    const problem = textProblem(text) ?? (table === undefined ? null : ruleProblem(tables, table, text))
    if (problem) tell(`/${action}`, problem)
    stored[action] = text
  }
  if (rule.columns && table === null) tell('/columns', translatable('Columns cannot be named for all tables; add a rule for each table.'))
  if (rule.columns && table) stored.columns = columnIds(table, rule.columns, tell)
  return stored
}

function unknownGroup(name: string, groups: KnownGroups): Message {
  if (name === 'role:admin') return translatable('Rules do not apply to administrators.')
  const similar = nearest(name, [...groups.keys(), ...roleGroups])
  return similar === undefined ? translatable('is not a group') : translatable('is not a group; did you mean "{similar}"?', { similar })
}

function unknownTable({ list }: Tables, name: string): Message {
  const similar = nearest(
    name,
    list.flatMap((table) => (table.isJoinTable ? [] : [table.name])),
  )
  return similar === undefined ? translatable('is not a table') : translatable('is not a table; did you mean "{similar}"?', { similar })
}

/** @param table null for all tables, of which at least one must have the columns of the filter */
function ruleProblem(tables: Tables, table: Table | null, text: RuleText): Message | null {
  if (text === 'all' || text === 'none') return null
  const candidates = table ? [table] : tables.list.filter(({ isJoinTable }) => !isJoinTable)
  let problem: Message | null = translatable('No table has the columns of this filter.')
  for (const candidate of candidates) {
    const found = problemOf(() => ruleCondition(tables, candidate, text))
    if (found === null) return null
    if (table) problem = found
  }
  return problem
}

function problemOf(work: () => unknown): Message | null {
  try {
    work()
    return null
  } catch (error) {
    if (error instanceof Failure) return error.text
    throw error
  }
}

function columnIds(table: Table, columns: NonNullable<NewAccessRule['columns']>, tell: Tell): StoredRule['columns'] {
  const idsOf = (names: readonly string[] | undefined, path: string): string[] | null => {
    if (!names) return null
    return names.flatMap((name, index) => {
      const column = table.columns.find((candidate) => candidate.name === name) ?? table.columns.find(({ id }) => id === name)
      if (column) return [column.id]
      const similar = nearest(
        name,
        table.columns.map((candidate) => candidate.name),
      )
      tell(
        `/columns/${path}/${index}`,
        similar === undefined
          ? translatable('is not a column of this table')
          : translatable('is not a column of this table; did you mean "{similar}"?', { similar }),
      )
      return []
    })
  }
  return { read: idsOf(columns.read, 'read'), write: idsOf(columns.write, 'write') }
}

/** The document for API responses, without the notices about views. @param groups names by id */
export function toAccessDocument(tables: Tables, groups: KnownGroups, rules: readonly StoredRule[]): Omit<AccessDocument, 'notices'> {
  const problems: AccessDocument['problems'] = []
  const accessRules = rules.map((rule, index) => {
    const tell = (message: Message) => void problems.push({ rule: index, message: String(message) })
    return toAccessRule(tables, groups, rule, tell)
  })
  return { rules: accessRules, problems }
}

export function toAccessRule(
  tables: Tables,
  groups: KnownGroups,
  rule: StoredRule,
  tell: (message: Message) => void = () => {},
): AccessRule {
  const table = rule.tableId === undefined ? null : tables.byId.get(rule.tableId)
  if (table === undefined) tell(translatable('The table no longer exists.'))
  const texts = { read: rule.read, create: rule.create, update: rule.update, delete: rule.delete }
  for (const text of Object.values(texts)) {
    const problem = table === undefined ? null : ruleProblem(tables, table, text)
    if (problem) tell(problem)
  }
  if (rule.groupId !== undefined && !groups.has(rule.groupId)) tell(translatable('The group no longer exists.'))
  const listed = [...(rule.columns?.read ?? []), ...(rule.columns?.write ?? [])]
  if (table && listed.some((id) => !table.columns.some((column) => column.id === id)))
    tell(translatable('A column of its lists no longer exists.'))
  const namesOf = (ids: readonly string[] | null | undefined) =>
    ids ? ids.flatMap((id) => table?.columns.find((column) => column.id === id)?.name ?? []) : undefined
  const [read, write] = [namesOf(rule.columns?.read), namesOf(rule.columns?.write)]
  return {
    group: rule.groupId === undefined ? rule.group : (groups.get(rule.groupId) ?? rule.group),
    table: table ? referenceTo(tables, table) : rule.table,
    ...texts,
    ...(read || write ? { columns: { ...(read ? { read } : {}), ...(write ? { write } : {}) } } : {}),
  }
}

/** Applies the rules of an unsaved document, with the current members. */
export const withRules = (tables: Tables, rules: StoredRule[], groupsOf: AccessSource['groupsOf']): Tables => ({
  ...tables,
  access: rules.length > 0 ? { rules, groupsOf } : null,
})
