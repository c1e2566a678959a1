import type { CallerValues, Column, RowCondition, RowRule, Table, TableAccess } from './model'
import { qualifiedName } from './sql-text'

/**
 * Placeholders in the SQL of a rule. They contain a control character, which no generated SQL has outside of quotes.
 * `row` becomes the alias of a row, the others parameters with the caller's values.
 */
export const placeholders = { row: '\x01row\x01', id: '\x01id\x01', email: '\x01email\x01', groups: '\x01groups\x01' } as const

export const hasPlaceholders = (text: string): boolean => text.includes('\x01')

/** Whether the rule for reading can judge deleted records by their logged values. */
export const judgesDeleted = ({ access }: Pick<Table, 'access'>): boolean => typeof access?.read !== 'object' || !access.read.needsLinks

/** The condition on the row with this alias; the placeholders of the caller's values stay in it. */
export const conditionAt = ({ sql }: RowCondition, alias: string): string => sql.replaceAll(placeholders.row, alias)

/** Null if every row is allowed. */
export function ruleAt(rule: RowRule, alias: string): string | null {
  if (rule === 'all') return null
  return rule === 'none' ? 'false' : conditionAt(rule, alias)
}

const isCondition = (rule: RowRule): rule is RowCondition => typeof rule === 'object'

/** Rows that at least one of the rules allows. */
export const anyOf = (rules: readonly RowRule[]): RowRule => (rules.includes('all') ? 'all' : combined(rules, ' or ', 'none'))

/** Rows that all of the rules allow. */
export const allOf = (rules: readonly RowRule[]): RowRule => (rules.includes('none') ? 'none' : combined(rules, ' and ', 'all'))

function combined(rules: readonly RowRule[], word: ' or ' | ' and ', empty: 'all' | 'none'): RowRule {
  const conditions = rules.filter(isCondition)
  const [first] = conditions
  if (!first) return empty
  const texts = [...new Set(conditions.map(({ sql }) => sql))].sort()
  if (texts.length === 1) return first
  const marks = conditions.some(({ needsLinks }) => needsLinks) ? { needsLinks: true as const } : {}
  return { sql: `(${texts.join(word)})`, caller: first.caller, ...marks }
}

export const isSameRule = (one: RowRule, other: RowRule): boolean =>
  one === other || (isCondition(one) && isCondition(other) && one.sql === other.sql)

/** A source of rows in SQL without parameters: the table, or those of its rows that the caller may read. */
export function readableRows(table: Pick<Table, 'schema' | 'name' | 'access'>): string {
  const condition = ruleAt(table.access?.read ?? 'all', 'b')
  return condition === null ? qualifiedName(table) : `(select b.* from ${qualifiedName(table)} b where ${condition})`
}

/** The caller whose values the SQL made from these tables needs. */
export const callerOf = (tables: readonly Pick<Table, 'access' | 'columns'>[]): CallerValues | undefined => {
  for (const { access, columns } of tables) {
    if (access && isCondition(access.read)) return access.read.caller
    const narrowed = columns.find((column) => callerOfColumn(column))
    if (narrowed) return callerOfColumn(narrowed)
  }
  return undefined
}

const callerOfColumn = ({ access, computed }: Column): CallerValues | undefined => access?.visibleIn?.caller ?? computed?.caller

export const allowsRead = ({ access }: Pick<Table, 'access'>): boolean => access?.read !== 'none'

/**
 * The column that has to name the caller, if the rules for written rows require only that, and if the caller may read
 * and write the column.
 */
export function personColumnOf({ access, columns }: Table): Column | null {
  const writes = access?.writes.filter((grant) => grant.create !== 'none' || grant.update !== 'none') ?? []
  // Otherwise the written columns decide which line applies.
  if (writes.length > 1 && writes.some((grant) => grant.columns !== null)) return null
  const rules = (['create', 'update'] as const).map((action) => anyOf(writes.map((grant) => grant[action])))
  const [rule, ...others] = rules.filter((one) => typeof one === 'object')
  if (!rule || others.some((other) => !isSameRule(rule, other))) return null
  const column = columns.find(({ name }) => name === rule.personColumn)
  const isOpen = column?.isWritable && !column.access?.isHidden && !column.access?.isUnreadable && !column.access?.isReadOnly
  return isOpen ? column : null
}

/**
 * The rows that the caller may create or change with values for these columns: for each column, a line that allows the
 * column must allow the row.
 * @param columns the written columns; if there are none, a line that allows any column is enough
 */
export function writableRows({ writes }: TableAccess, action: 'create' | 'update', columns: readonly Column[]): RowRule {
  if (columns.length === 0) return anyOf(writes.map((grant) => grant[action]))
  const ofColumn = ({ id }: Column) => anyOf(writes.filter((grant) => grant.columns?.has(id) ?? true).map((grant) => grant[action]))
  return allOf(columns.map(ofColumn))
}

export const allowsWrite = ({ access }: Pick<Table, 'access'>, action: 'create' | 'update' | 'delete'): boolean => {
  if (!access) return true
  return (action === 'delete' ? access.delete : writableRows(access, action, [])) !== 'none'
}
