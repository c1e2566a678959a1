import { arrayLiteral } from '../../../db/arrays'
import { equal } from '../../../db/search-path'
import { isStoredColumn } from '../../../tables/computed-value'
import { identifier, literal } from '../../../tables/ddl'
import type { CallerValues, Column, RowCondition, RowRule, Table } from '../../../tables/model'
import { hasPlaceholders, placeholders, ruleAt, writableRows } from '../../../tables/row-rules'
import { type Statement, type StatementWriter, startStatement } from './statement'

/**
 * Access rules as a part of statements (docs/access.md). All code that reads rows of a table adds `readCondition` to
 * its conditions; `readableRows` of `tables/row-rules.ts` does so for SQL without parameters.
 */

/** Each value is one parameter of the statement, however often it occurs. */
const bound = new WeakMap<StatementWriter, Map<string, string>>()

/** Replaces the placeholders of the caller's values by parameters. */
export function bindCaller(writer: StatementWriter, text: string, caller: CallerValues | undefined): string {
  if (!caller || !hasPlaceholders(text)) return text
  const known = bound.get(writer) ?? new Map<string, string>()
  bound.set(writer, known)
  const parameter = (placeholder: string, value: string, type: string) => {
    if (!known.has(placeholder)) known.set(placeholder, writer.parameter(value, type))
    return known.get(placeholder)!
  }
  let whole = text
  if (whole.includes(placeholders.id)) whole = whole.replaceAll(placeholders.id, parameter(placeholders.id, caller.id, 'text'))
  if (whole.includes(placeholders.email)) whole = whole.replaceAll(placeholders.email, parameter(placeholders.email, caller.email, 'text'))
  if (whole.includes(placeholders.groups))
    whole = whole.replaceAll(placeholders.groups, parameter(placeholders.groups, arrayLiteral(caller.groups), 'text[]'))
  return whole
}

/** The same for a finished statement. */
export function bindLater({ text, parameters }: Statement, caller: CallerValues | undefined | null): Statement {
  const writer = startStatement()
  writer.parameters.push(...parameters)
  return { text: bindCaller(writer, text, caller ?? undefined), parameters: writer.parameters }
}

/** Null for a rule that allows every row. */
export function ruleText(writer: StatementWriter, rule: RowRule, alias: string): string | null {
  const condition = ruleAt(rule, alias)
  return condition !== null && typeof rule === 'object' ? bindCaller(writer, condition, rule.caller) : condition
}

const conditions = (writer: StatementWriter, rules: readonly RowRule[], alias: string): string[] =>
  rules.flatMap((rule) => ruleText(writer, rule, alias) ?? [])

/** The condition that the caller may read the row: a list with one condition, or none. */
export const readCondition = (writer: StatementWriter, { access }: Pick<Table, 'access'>, alias: string): string[] =>
  access ? conditions(writer, [access.read], alias) : []

/**
 * Conditions on rows that are already found by their keys: PostgreSQL uses no index for `is true`, and would otherwise
 * find all rows that a rule allows before it checks their keys.
 */
export const ofFoundRows = (found: readonly string[]): string[] => found.map((condition) => `(${condition}) is true`)

/** A column's value, or null in rows in which the caller may not see it. */
export function visibleValue(writer: StatementWriter, alias: string, { access }: Pick<Column, 'access'>, value: string): string {
  const isVisible = access?.visibleIn && ruleText(writer, access.visibleIn, alias)
  return isVisible ? `case when ${isVisible} then ${value} end` : value
}

const columnsNamed = ({ columns }: Table, names: readonly string[]): Column[] => columns.filter(({ name }) => names.includes(name))

/** The rows in which these columns may be changed: readable ones that the rules let the caller change. */
export const changeConditions = (writer: StatementWriter, table: Table, names: readonly string[], alias: string): string[] =>
  table.access ? conditions(writer, [table.access.read, writableRows(table.access, 'update', columnsNamed(table, names))], alias) : []

export const removeConditions = (writer: StatementWriter, { access }: Table, alias: string): string[] =>
  access ? conditions(writer, [access.read, access.delete], alias) : []

/** The error of a statement that wrote a row which the rules do not allow. */
export const deniedRow = 'rowhouse:access-denied'
/** Followed by the column's position in its table: it links to a record that the caller cannot see. */
export const deniedLink = 'rowhouse:link-denied'

export type WrittenAs = 'create' | 'update' | 'either'

/**
 * For a written row: true, or an error that undoes the statement. Null if the rules allow every row.
 * @param as `either` for an upsert, whose rows show by `xmax` whether they are new
 * @param areLinksLater whether the links of new rows are written afterwards, and a rule that reads them is checked then
 */
export function writtenCheck(
  writer: StatementWriter,
  table: Table,
  names: readonly string[],
  as: WrittenAs,
  alias: string,
  areLinksLater = false,
): string | null {
  const links = table.columns.flatMap((column, place) => {
    const isThere = names.includes(column.name) && column.access?.linksTo ? ruleText(writer, column.access.linksTo, alias) : null
    return isThere === null ? [] : [{ isMet: isThere, failing: failing(table, alias, `${deniedLink}:${place}:`) }]
  })
  const isLater = areLinksLater && as === 'create' && linkRule(table, names, as) !== null
  const isAllowed = isLater ? null : writtenRule(writer, table, names, as, alias)
  const checks = [...links, ...(isAllowed === null ? [] : [{ isMet: isAllowed, failing: failing(table, alias, deniedRow) }])]
  if (checks.length === 0) return null
  return `case ${checks.map(({ isMet, failing }) => `when (${isMet}) is not true then ${failing}`).join(' ')} else true end`
}

/** The text depends on a value of the row: PostgreSQL would evaluate a constant while planning. */
function failing({ columns }: Table, alias: string, reason: string): string {
  const first = columns.find(isStoredColumn)
  const value = first ? `${alias}.${identifier(first.name)}::text` : 'pg_catalog.clock_timestamp()::text'
  return `pg_catalog.concat(${literal(reason)}, pg_catalog.left(${value}, 0))::int ${equal} 0`
}

/** The condition that written rows must meet; null if all do. */
export function writtenRule(writer: StatementWriter, table: Table, names: readonly string[], as: WrittenAs, alias: string): string | null {
  const { access } = table
  if (!access) return null
  const textFor = (action: 'create' | 'update') => ruleText(writer, writableRows(access, action, columnsNamed(table, names)), alias)
  return as === 'either' ? eitherText(table, alias, textFor('create'), textFor('update')) : textFor(as)
}

/** The rule for written rows, if it reads links: it holds only once these are written. */
function linkRule(table: Table, names: readonly string[], as: 'create' | 'update'): RowCondition | null {
  const rule = table.access ? writableRows(table.access, as, columnsNamed(table, names)) : 'all'
  return typeof rule === 'object' && rule.needsLinks ? rule : null
}

/** The condition of such a rule; null for other rules, which held before the links were written. */
export function writtenLinkRule(
  writer: StatementWriter,
  table: Table,
  names: readonly string[],
  as: 'create' | 'update',
  alias: string,
): string | null {
  const rule = linkRule(table, names, as)
  return rule && ruleText(writer, rule, alias)
}

/** Rows of views do not show whether they are new, and must meet both. */
function eitherText({ hasRowVersion }: Table, alias: string, create: string | null, update: string | null): string | null {
  if (create === update) return create
  const [ofNew, ofOld] = [create ?? 'true', update ?? 'true']
  return hasRowVersion ? `case when ${alias}.xmax ${equal} 0 then ${ofNew} else ${ofOld} end` : `(${ofNew} and ${ofOld})`
}

/** The JSON text of a written row; `{}` if the caller may not read it. */
export function readableRecord(writer: StatementWriter, table: Pick<Table, 'access'>, alias: string, record: string): string {
  const [isReadable] = readCondition(writer, table, alias)
  return isReadable === undefined ? record : `case when ${isReadable} then ${record} else '{}' end`
}
