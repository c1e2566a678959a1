import { type Message, translatable } from '../messages/message'
import { truncateBytes } from '../truncate'
import type { ColumnTypeName } from './column-types'
import { columnTypes } from './column-types'
import { type Rule, type RuleName, ruleNames } from './column-types/definition'
import type { Column, Table } from './model'
import { identifier } from './sql-text'

const maxNameBytes = 63

/**
 * The name of a column's check constraint: `<column>_<rule>`, such as `status_choices`. It is unique to the column,
 * since no rule has a `_` in it. If the column's name is too long, the constraint has its beginning and a hash.
 */
export function constraintName(column: string, rule: RuleName | 'touch'): string {
  const room = maxNameBytes - rule.length - 1
  if (Buffer.byteLength(column) <= room) return `${column}_${rule}`
  const hash = new Bun.CryptoHasher('sha256').update(column).digest('hex').slice(0, 8)
  return `${truncateBytes(column, room - hash.length - 1)}~${hash}_${rule}`
}

type UniqueColumn = Pick<Column, 'type' | 'unique' | 'options'>

/** Whether a unique index on `lower()` of the column enforces distinct values. */
export const ignoresCase = ({ type, unique, options }: UniqueColumn): boolean => type === 'email' && unique && options.ignoreCase === true

/**
 * The options of the changed column: `ignoreCase` of a unique `email` column keeps its value unless it is given.
 * @param before how the column was unique; undefined if it was not
 */
export const withCaseRule = ({ type, unique, options }: UniqueColumn, before?: { isCaseless: boolean }): Record<string, unknown> =>
  type === 'email' && unique && options.ignoreCase === undefined ? { ...options, ignoreCase: before?.isCaseless ?? true } : options

/**
 * SQL of a value as a unique key compares it. Only PostgreSQL decides which letters are equal: its `lower()` uses the
 * locale of the database, and JavaScript does not.
 */
export const keyValue = ({ caselessKeys }: Pick<Table, 'caselessKeys'>, key: readonly string[], value: string): string =>
  key.length === 1 && caselessKeys.includes(key[0]!) ? `pg_catalog.lower(${value})` : value

type Described = { name: string; type: ColumnTypeName; options: Record<string, unknown> }

/** The rules of a column. @param value SQL of the value to check */
export const rulesOf = ({ name, type, options }: Described, value = identifier(name)): Rule[] =>
  columnTypes[type].rules?.(value, options) ?? []

/** Every check constraint of a column, ready for `create table` and `alter table … add`. */
export const checkClauses = (column: Described): string[] =>
  rulesOf(column).map(({ name, condition }) => `constraint ${identifier(constraintName(column.name, name))} check (${condition})`)

/**
 * The column of a violated check: error 23514 names only the constraint.
 * @returns the column's name and the rest of a sentence that begins with it; undefined for a constraint that Rowhouse
 * did not make
 */
export function columnOfConstraint(
  table: { columns: readonly Described[] },
  constraint: string,
): { name: string; message: Message } | undefined {
  const rule = ruleNames.find((name) => constraint.endsWith(`_${name}`))
  const column = rule && table.columns.find(({ name }) => constraintName(name, rule) === constraint)
  if (!column) return undefined
  const found = rulesOf(column).find(({ name }) => name === rule)
  return { name: column.name, message: found?.message ?? translatable('does not fit a rule of this table') }
}
