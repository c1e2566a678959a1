import { identityCheckSql } from '../../../auth/identity/identity-check'
import { arrayLiteral, unmeasured } from '../../../db/arrays'
import { equal, jsonAt, operator, schemaFirst } from '../../../db/search-path'
import { keyValue } from '../../../tables/constraints'
import { identifier, literal, qualifiedName } from '../../../tables/ddl'
import type { Column, Table } from '../../../tables/model'
import { comparedType } from '../../../tables/sql-types'
import type { LevelPlan, PlannedCondition } from '../plan/types'
import { columnText, storedColumns } from './fields'
import { hasKey } from './keys'
import { conditionText } from './level'
import { loggedPlace, logItems, presentOrigin } from './log'
import { keyJson, recordText, versionText } from './record'
import { changeConditions, ofFoundRows, readableRecord, removeConditions, type WrittenAs, writtenCheck } from './rules'
import { bind, finish, type Statement, type StatementWriter, startStatement } from './statement'

/**
 * The values that a write returns for each row: `record` as the plan selects it, `key` (a JSON array of texts),
 * `version`, and whether the row is new (`isNew`, for an upsert). Without any of them no rows are returned, and the
 * driver's count is the number of rows that were written.
 */
export type Returning = {
  plan?: LevelPlan
  hasKey?: boolean
  hasVersion?: boolean
  hasNewness?: boolean
  /** The row itself, column by column. */
  hasRow?: boolean
  /** A write by filter returns at most this many rows, each with the number of rows written (`count`). */
  most?: number
}

type WriteShape = {
  table: Table
  returning: Returning
  /** The author, for `createdBy` and `updatedBy`. */
  userId: string | null
  /**
   * Whether cached identities are verified (`auth/identity/identity-check.ts`): no row is written unless all of them
   * are current. Each row has the result (`verified`); if none was written, one row with nothing else is returned.
   */
  isVerifying?: boolean
  /** The columns that access rules check: `names`, and links that are stored elsewhere. */
  ruleNames?: readonly string[]
  /** Whether links of the rows, which are all new, are written and checked afterwards (`writtenCheck`). */
  areLinksLater?: boolean
  /** Whether functions that the write runs find names in the table's schema first, as with PostgREST. */
  isInSchema?: boolean
}

export type Insert = WriteShape & {
  /** The stored columns that the records name. */
  names: readonly string[]
  /** The value of a column that a record leaves out: its default, or null. */
  isDefaultForMissing: boolean
  /** How to handle a record whose values of these columns exist already; without it that is a conflict. */
  conflict?: { columns: readonly string[]; resolution: 'merge' | 'ignore'; isReplaced?: boolean }
  /**
   * For records of independent requests: the statement fails if the number of new rows differs from the number of
   * records (a trigger may drop some, and it would be unknown which), and it waits only briefly for locks.
   */
  isExact?: boolean
  /** For recreated records: they also get back the values that normally only PostgreSQL assigns. */
  isMadeAgain?: boolean
}

/** Versions of the cached identities to verify. */
type Identities = { identities?: readonly string[] }

/** The rows to write: all that meet every condition. `versions`, as `versionText` writes them, are from If-Match. */
export type Target = { key?: readonly string[]; condition?: PlannedCondition | null; versions?: readonly string[] | null }

export type Update = WriteShape &
  Target & {
    names: readonly string[]
    /** Those columns of `names` that get their default, whatever the record says. */
    defaulted?: readonly string[]
  }

/**
 * @param json the records as a JSON array, from which PostgreSQL itself reads the values; rows are returned in its
 * order
 */
export const insertStatement = ({ identities, ...insert }: Insert & Identities, json: string): Statement =>
  bindRecords(insertShape({ ...insert, isVerifying: Boolean(identities?.length) }), json, identities)

const bindRecords = (shape: Statement, records: string, identities: readonly string[] = []) =>
  bind(shape, { records, identities: arrayLiteral(identities), origin: presentOrigin() })

/**
 * An insert of any records that name these columns. Its variables are `records` (a JSON array), `identities` (a
 * PostgreSQL array), `count` (of the records) and `origin` (`originText`).
 */
export function insertShape(insert: Insert): Statement {
  const { table, names, conflict, isDefaultForMissing } = insert
  const writer = startStatement()
  const alias = writer.alias()
  const sent = writer.variable('records', 'jsonb')
  const filled = filledColumns(table, ['createdBy', 'updatedBy']).filter(({ name }) => !names.includes(name))
  const columns = [...names, ...filled.map(({ name }) => name)]
  const values = [...insertedValues(insert), ...filled.map(({ sqlType }) => writer.parameter(insert.userId, sqlType))]
  const source = [
    ...pathText(insert),
    ...logItems(writer, table),
    ...(insert.isExact ? [shortLockTimeout] : []),
    sourceText(table, names, sent, isDefaultForMissing),
  ]
  const list = columns.length ? ` (${columns.map(identifier).join(', ')})` : ''
  const overriding = insert.isMadeAgain ? ' overriding system value' : ''
  const text = `insert into ${qualifiedName(table)} as ${alias}${list}${overriding} select ${values.join(', ')} from ${source.join(', ')}${insert.isVerifying ? ` where ${verifiedCondition}` : ''}`
  const isMerging = conflict?.resolution === 'merge'
  const ruleNames = ruleNamesOf(insert)
  const written = { names: ruleNames, as: isMerging ? 'either' : 'create' } as const
  const upsert = conflict ? conflictText(insert, conflict, columns) + mergedRows(writer, { ...insert, ruleNames }, alias) : ''
  const whole = returningClause(writer, insert, alias, text + upsert, written)
  return finish(writer, insert.isExact ? exactText(writer, insert, whole) : writeWithVerification(writer, insert, whole))
}

/** A record that is replaced completely loses the values that its body leaves out. */
const ruleNamesOf = ({ table, names, ruleNames = names, conflict }: Insert): readonly string[] =>
  conflict?.isReplaced ? [...new Set([...ruleNames, ...table.columns.filter(isReplaceable).map(({ name }) => name)])] : ruleNames

/** An upsert changes those existing rows that the caller may change. */
function mergedRows(writer: StatementWriter, { table, names, ruleNames, conflict }: Insert, alias: string): string {
  const conditions = conflict?.resolution === 'merge' ? changeConditions(writer, table, ruleNames ?? names, alias) : []
  return conditions.length ? ` where ${conditions.join(' and ')}` : ''
}

/** For a source without a condition and an order, and so for single records only. */
const verifiedCondition = '(select p.verified from p)'

const identityCte = (writer: StatementWriter, { isVerifying }: Pick<WriteShape, 'isVerifying'>): string =>
  isVerifying ? `p as materialized (select ${identityCheckSql(writer.variable('identities', 'text[]'))} as verified), ` : ''

/** A trigger may have written and dropped the row: the result of the verification must be known without a row. */
const writeWithVerification = (writer: StatementWriter, write: Pick<WriteShape, 'isVerifying'>, text: string): string =>
  write.isVerifying ? `with ${identityCte(writer, write)}w as (${text}) select w.*, p.verified from p left join w on true` : text

/**
 * An item of a from list: everything that the write runs from here to the end of the transaction finds names in the
 * table's schema first.
 */
const pathText = ({ table, isInSchema }: Pick<WriteShape, 'table' | 'isInSchema'>): string[] =>
  isInSchema && table.runsFunctions
    ? [`pg_catalog.set_config('search_path', ${schemaFirst(literal(identifier(table.schema)))}, true) s`]
    : []

/** An item of a from list that limits the waiting time for locks for the rest of the transaction. */
const shortLockTimeout = `pg_catalog.set_config('lock_timeout', '250ms', true) l`

/**
 * A statement can make itself fail by dividing by zero. The number comes first, with or without rows: without rows
 * nothing else would be evaluated.
 */
function exactText(writer: StatementWriter, write: Pick<WriteShape, 'isVerifying'>, text: string): string {
  const given = identityCte(writer, write)
  const isWhole = `(select count(*) from w) ${equal} ${writer.variable('count', 'int')}${given && ` or not ${verifiedCondition}`}`
  const checked = `(select 1 ${operator('/')} (${isWhole})::int as checked${given && `, ${verifiedCondition} as verified`}) c`
  return `with ${given}w as (${text}) select w.*, c.* from ${checked} left join w on true`
}

function insertedValues({ table, names, isDefaultForMissing }: Insert): string[] {
  return names.map((name) => {
    const column = columnNamed(table, name)
    const value = sentValue(column)
    return isDefaultForMissing
      ? `case when e.item ${operator('?')} ${literal(name)} then ${value} else ${fallback(table, column)} end`
      : value
  })
}

/** The value that PostgreSQL itself would fill in. */
function fallback(table: Table, { name, filledBy, defaultExpression }: Column): string {
  if (filledBy === 'identity')
    return `pg_catalog.nextval(pg_catalog.pg_get_serial_sequence(${literal(qualifiedName(table))}, ${literal(name)}))`
  return defaultExpression ?? 'null'
}

function sourceText(table: Table, names: readonly string[], sent: string, isDefaultForMissing: boolean): string {
  // Without columns, the number of records is read from the array.
  if (names.length === 0) return `pg_catalog.generate_series(1, pg_catalog.jsonb_array_length(${sent}))`
  if (!isDefaultForMissing) return `pg_catalog.jsonb_to_recordset(${sent}) as ${sentColumns(table, names)}`
  return `pg_catalog.jsonb_array_elements(${sent}) with ordinality as e (item, n), pg_catalog.jsonb_to_record(e.item) as ${sentColumns(table, names)} order by e.n`
}

function conflictText(
  { table, names }: Insert,
  { columns, resolution, isReplaced }: NonNullable<Insert['conflict']>,
  written: string[],
): string {
  // PostgreSQL finds an index on an expression by the same expression.
  const target = ` on conflict (${columns.map((name) => keyValue(table, columns, identifier(name))).join(', ')}) do`
  if (resolution === 'ignore') return `${target} nothing`
  const replaced = isReplaced ? table.columns.filter(isReplaceable).map(({ name }) => name) : written
  const kept = ['createdBy', 'createdAt']
  const changed = replaced.filter(
    (name) => !columns.includes(name) && (names.includes(name) || !kept.includes(columnNamed(table, name).type)),
  )
  // Even without a change, the row must be returned.
  const assigned = changed.length ? changed : [columns[0]!]
  return `${target} update set ${assigned.map((name) => `${identifier(name)} = excluded.${identifier(name)}`).join(', ')}`
}

/** The columns of a record that is replaced completely: all except those that the caller cannot set. */
const isReplaceable = ({ filledBy, isWritable, joinTable, type }: Column): boolean =>
  isWritable &&
  !joinTable &&
  ((filledBy !== 'generated' && filledBy !== 'identityAlways' && filledBy !== 'rowhouse') || (type as string) === 'updatedBy')

/** @param json one object in a JSON array */
export function updateStatement({ identities, ...asked }: Update & Identities, json: string): Statement {
  const update = { ...asked, isVerifying: Boolean(identities?.length) }
  const { table, names, ruleNames = names } = update
  const writer = startStatement()
  const alias = writer.alias()
  const sent = names.length ? writer.variable('records', 'jsonb') : ''
  const assignments = assignmentList(writer, update)
  // A change of values stored elsewhere, such as links, also creates a new version of the row.
  if (assignments.length === 0) assignments.push(`${identifier(table.primaryKey[0]!)} = ${columnText(alias, table.primaryKey[0]!)}`)
  const sources = [
    ...pathText(update),
    ...logItems(writer, table),
    ...(names.length ? [`pg_catalog.jsonb_to_recordset(${sent}) as ${sentColumns(table, names)}`] : []),
  ]
  const from = sources.length ? ` from ${sources.join(', ')}` : ''
  const target = targetText(writer, update, alias, changeConditions(writer, table, ruleNames, alias))
  const text = `update ${qualifiedName(table)} as ${alias} set ${assignments.join(', ')}${from}${target}`
  const whole = returningClause(writer, update, alias, text, { names: ruleNames, as: 'update' })
  return bindRecords(finish(writer, writeWithVerification(writer, update, whole)), json, identities)
}

function assignmentList(writer: StatementWriter, { table, names, userId, defaulted = [] }: Omit<Update, keyof Target>): string[] {
  const filled = filledColumns(table, ['updatedBy']).filter(({ name }) => !names.includes(name))
  return [
    ...names.map((name) => `${identifier(name)} = ${defaulted.includes(name) ? 'default' : sentValue(columnNamed(table, name))}`),
    ...filled.map(({ name, sqlType }) => `${identifier(name)} = ${writer.parameter(userId, sqlType)}`),
  ]
}

/** One change of one record. `json` is the JSON object of the columns to change. */
export type KeyedChange = { key: readonly string[]; versions: readonly string[] | null; json: string }

/** Changes in the form that `updateEachShape` reads: a PostgreSQL array of JSON objects. */
export const changeList = (changes: readonly KeyedChange[]): string =>
  arrayLiteral(
    changes.map(({ key, versions, json }) => `{"key":${JSON.stringify(key)},"versions":${JSON.stringify(versions)},"values":${json}}`),
  )

/**
 * Changes of several records of independent requests. Each returned row has its change's `place`, from 1. Only one of
 * two changes of the same record is made. If several requests share the statement, it waits only briefly for locks, and
 * the log receives the places. Its variables are `records` (`changeList`), `identities` (a PostgreSQL array) and
 * `origin` (`originText`).
 */
export function updateEachShape(update: Omit<Update, keyof Target> & { isShared: boolean }): Statement {
  const { table, names, isVerifying, isShared } = update
  const writer = startStatement()
  const alias = writer.alias()
  const source = [
    ...pathText(update),
    ...logItems(writer, table),
    ...(isShared ? [shortLockTimeout] : []),
    `pg_catalog.unnest(${unmeasured(writer.variable('records', 'jsonb[]'))}) with ordinality as e (item, place)`,
  ].join(', ')
  const isVersion = `(e.item ${jsonAt} 'versions' ${equal} 'null' or e.item ${jsonAt} 'versions' ${operator('?')} ${versionText(writer, alias, table)})`
  const conditions = [
    hasKey(table, alias, `e.item ${jsonAt} 'key'`),
    isVersion,
    ...ofFoundRows(changeConditions(writer, table, names, alias)),
    ...(isVerifying ? [verifiedCondition] : []),
  ]
  const text = `update ${qualifiedName(table)} as ${alias} set ${assignmentList(writer, update).join(', ')}
    from ${source}, pg_catalog.jsonb_to_record(e.item ${jsonAt} 'values') as ${sentColumns(table, names)} where ${conditions.join(' and ')}`
  const { isVerifying: _, ...unverified } = update
  const returned = returningClause(writer, unverified, alias, text, { names, as: 'update' })
  return finish(writer, writeWithVerification(writer, update, `${returned}, e.place::int as place${isShared ? `, ${loggedPlace}` : ''}`))
}

export function deleteStatement(remove: WriteShape & Target): Statement {
  const writer = startStatement()
  const alias = writer.alias()
  const using = [...pathText(remove), ...logItems(writer, remove.table)]
  const text = `delete from ${qualifiedName(remove.table)} as ${alias}${using.length ? ` using ${using.join(', ')}` : ''}${targetText(writer, remove, alias, removeConditions(writer, remove.table, alias))}`
  return bind(finish(writer, returningClause(writer, remove, alias, text)), { origin: presentOrigin() })
}

function targetText(
  writer: StatementWriter,
  { table, key, condition, versions, isVerifying }: WriteShape & Target,
  alias: string,
  allowed: readonly string[],
): string {
  const conditions = [
    ...(key ?? []).map((part, index) => keyCondition(writer, alias, columnNamed(table, table.primaryKey[index]!), part)),
    ...allowed,
    ...(condition ? [conditionText(writer, alias, condition)] : []),
    ...(versions ? [`${versionText(writer, alias, table)} ${equal} any(${writer.parameter(arrayLiteral(versions), 'text[]')})`] : []),
    ...(isVerifying ? [verifiedCondition] : []),
  ]
  return conditions.length ? ` where ${conditions.join(' and ')}` : ''
}

const keyCondition = (writer: StatementWriter, alias: string, { name, comparedAs, operatorSchema }: Column, part: string) =>
  `${columnText(alias, name)} ${operator('=', operatorSchema)} ${writer.parameter(part, comparedType(comparedAs))}`

/**
 * One row: for each of these key columns, under its name, whether the value in the body equals the value in the key.
 * @param json the body as it was sent
 */
export function sameKeyStatement(table: Table, key: readonly string[], names: readonly string[], json: string): Statement {
  const writer = startStatement()
  const source = `pg_catalog.jsonb_to_record(${writer.parameter(json, 'jsonb')}) as ${sentColumns(table, names)}`
  const isSame = names.map((name) => {
    const condition = keyCondition(writer, 'x', columnNamed(table, name), key[table.primaryKey.indexOf(name)]!)
    return `${condition} as ${identifier(name)}`
  })
  return finish(writer, `select ${isSame.join(', ')} from ${source}`)
}

/**
 * `plan.order` and inner embeddings of the plan apply to the response, not to the write.
 * @param written for new or changed rows: they must meet the access rules
 */
function returningClause(
  writer: StatementWriter,
  { table, returning, isVerifying, areLinksLater }: WriteShape,
  alias: string,
  text: string,
  written?: { names: readonly string[]; as: WrittenAs },
): string {
  const { plan, hasKey, hasVersion, hasNewness, hasRow, most } = returning
  const columns = [
    ...(plan ? [`${readableRecord(writer, table, alias, `${recordText(writer, alias, plan.outputs)}::text`)} as record`] : []),
    ...(hasVersion ? [`${versionText(writer, alias, table)} as version`] : []),
    ...(hasKey ? [`${keyJson(alias, table)} as key`] : []),
    // For a row that this statement created, xmax is zero.
    ...(hasNewness ? [`${alias}.xmax ${equal} 0 as "isNew"`] : []),
  ]
  const check = written && writtenCheck(writer, table, written.names, written.as, alias, areLinksLater)
  if (check) columns.push(`${check} as "isAllowed"`)
  if (isVerifying) columns.push('true as "isWritten"')
  if (hasRow) columns.push(...storedColumns(table).map((name) => columnText(alias, name)))
  if (columns.length === 0) return text
  const returned = `${text} returning ${columns.join(', ')}`
  // PostgreSQL writes all rows, whatever the limit.
  return most === undefined
    ? returned
    : `with w as (${returned}) select w.*, (select pg_catalog.count(*)::int from w) as count from w limit ${most}`
}

const columnNamed = (table: Table, name: string): Column => table.columns.find((column) => column.name === name)!

const filledColumns = ({ columns }: Table, types: string[]): Column[] =>
  columns.filter(({ filledBy, type }) => filledBy === 'rowhouse' && types.includes(type))

/** A domain reads whole numbers as its base type does. */
const isWhole = ({ comparedAs }: Column) => ['smallint', 'integer', 'bigint'].includes(comparedAs)

/** The sent values as `x`; integers may be sent as 1.0 or 1e3, which only numeric parses. */
const sentColumns = (table: Table, names: readonly string[]) =>
  `x (${names.map((name) => `${identifier(name)} ${isWhole(columnNamed(table, name)) ? 'numeric' : columnNamed(table, name).sqlType}`).join(', ')})`

/** Through text, since a cast of the number itself would round it. */
const sentValue = (column: Column) => {
  const value = `x.${identifier(column.name)}`
  return isWhole(column) ? `pg_catalog.trim_scale(${value})::text::${column.sqlType}` : value
}
