import { sqlState } from '../db/errors'
import type { Executor } from '../db/pool/open'
import { validationFailed } from '../errors'
import { translatable } from '../messages/message'
import { familyOf } from '../records/query/type-families'
import { pointerTo } from '../records/store/pointer'
import { insertRows, type Written } from '../records/store/writes/row-writes'
import { runUndone } from '../records/store/writes/transaction'
import { isStoredColumn } from '../tables/computed-value'
import { identifier, qualifiedName } from '../tables/ddl'
import type { Column, ForeignKey, Table } from '../tables/model'
import { isShownInLog, type LogEntry, type LoggedColumns, valuesToday } from './log-entry'

type Values = Record<string, unknown>
type Restoring = Pick<Parameters<typeof insertRows>[1], 'table' | 'userId' | 'returning'> & {
  columns: LoggedColumns
  /** Whether the same undo restores the target of a link later. */
  isComing?: (link: ForeignKey, values: Values) => boolean
}

/**
 * Inserts deleted records again, with their keys, authors and times of creation. Links to records that do not exist any
 * more stay empty, unless they are required.
 * @throws Failure validation_failed for values that have a different meaning under the current types
 */
export async function insertDeleted(
  executor: Executor,
  { columns, isComing = () => false, ...insert }: Restoring,
  entries: readonly LogEntry[],
): Promise<Written> {
  const { table } = insert
  const isWanted = (column: Column) => isMadeAgain(table, column)
  const records = entries.map(({ id, oldValues }) => {
    const record = valuesToday(oldValues, id, columns, isWanted)
    const former = valuesToday(oldValues, id, columns, isListNow)
    requireLoggedForms(table, { ...record, ...former }, (column) => columns.meantOther(column, id))
    return record
  })
  const write = ({ query }: Executor, rows: readonly Values[]) => {
    const names = [...new Set(rows.flatMap((row) => Object.keys(row)))].sort()
    const ruleNames = names.filter((name) => !table.columns.some((column) => column.name === name && isOwnOfRecord(table, column)))
    return insertRows(query, { ...insert, names, ruleNames, json: JSON.stringify(rows), isDefaultForMissing: false, isMadeAgain: true })
  }
  const links = table.foreignKeys.filter((key) => isOptional(table, key))
  if (links.length === 0) return write(executor, records)
  try {
    return await executor.transaction(async (inside) => {
      const written = await write(inside, records)
      await requireTargets(inside)
      return written
    })
  } catch (error) {
    if (sqlState(error) !== foreignKeyViolation) throw error
  }
  const found = records.map((record) => ({ ...record }))
  for (const link of links) {
    for (const { index } of await executor.query<{ index: number }>(lostLinks(table, link), [JSON.stringify(records)], { prepare: false }))
      if (!isComing(link, records[index]!)) for (const name of ownColumnsOf(table, link)) found[index]![name] = null
  }
  return write(executor, found)
}

/** A deferred foreign key would fail at the commit. Other deferred constraints may be satisfied by then. */
const requireTargets = ({ transaction }: Executor) =>
  runUndone(transaction, (inside: Executor) => inside.query('set constraints all immediate')).catch((error) => {
    if (sqlState(error) === foreignKeyViolation) throw error
  })

/** The columns of a link that it does not share with another link; all of its columns if all are shared. */
function ownColumnsOf({ foreignKeys }: Table, link: ForeignKey): string[] {
  const others = new Set(foreignKeys.filter((each) => each !== link).flatMap(({ columns }) => columns))
  const own = link.columns.filter((name) => !others.has(name))
  return own.length > 0 ? own : link.columns
}

const foreignKeyViolation = '23503'

/**
 * Columns that every record has and no caller chooses: its key, and the users and times of its creation and last
 * change.
 */
const isOwnOfRecord = ({ primaryKey }: Table, { name, filledBy, type }: Column): boolean =>
  primaryKey.includes(name) || (filledBy === 'rowhouse' && type !== 'attachment')

/** Columns that the caller may not read or write stay empty. */
const isMadeAgain = (table: Table, column: Column): boolean =>
  isStoredColumn(column) &&
  column.filledBy !== 'generated' &&
  (isOwnOfRecord(table, column) || (isShownInLog(column) && !column.access?.isReadOnly))

/** A list of links: the log of the table contains values for it only from before the column became such a list. */
const isListNow = ({ type, isReadable, access }: Column): boolean => type === 'manyLinks' && isReadable && access === undefined

const isOptional = ({ columns: all }: Table, { columns }: ForeignKey): boolean =>
  all.every(({ name, required }) => !required || !columns.includes(name))

/**
 * SQL: which of the records `$1` link to a record that neither exists nor is among them. Each record is a single field
 * of its row here, since a column of the table may have any name.
 */
function lostLinks(table: Table, { columns, target, targetColumns }: ForeignKey): string {
  const value = (row: string, name: string) => `(${row}.record).${identifier(name)}`
  const isSame = (name: string) => `operator(${table.columns.find((column) => column.name === name)?.operatorSchema ?? 'pg_catalog'}.=)`
  const meets = (other: (name: string) => string) =>
    columns.map((name, index) => `${other(targetColumns[index]!)} ${isSame(name)} ${value('r', name)}`).join(' and ')
  const isSelf = target.schema === table.schema && target.name === table.name
  const conditions = [
    ...columns.map((name) => `${value('r', name)} is not null`),
    `not exists (select from ${qualifiedName(target)} t where ${meets((name) => `t.${identifier(name)}`)})`,
    ...(isSelf ? [`not exists (select from r o where ${meets((name) => value('o', name))})`] : []),
  ]
  return `with r (index, record) as materialized (select (i.place operator(pg_catalog.-) 1)::int, pg_catalog.json_populate_record(null::${qualifiedName(table)}, i.item)
      from pg_catalog.json_array_elements($1::json) with ordinality i (item, place))
    select r.index from r where ${conditions.join(' and ')}`
}

/**
 * The column may have been converted since, with a notation other than PostgreSQL's or without allowing rounding. An
 * earlier value could now have a different meaning, so it is not written back.
 * @param meantOther whether the value certainly has a different meaning (`LoggedColumns`)
 * @throws Failure validation_failed
 */
export function requireLoggedForms({ columns }: Table, values: Values, meantOther: (column: Column) => boolean): void {
  const problems = columns.flatMap((column) => {
    const value = Object.hasOwn(values, column.name) ? values[column.name] : null
    if (value === null || (isLoggedForm(column, value) && !meantOther(column))) return []
    const message = translatable('was {value} at that time, which the column’s present type cannot hold unchanged', {
      value: JSON.stringify(value).slice(0, maxShownLength),
    })
    return [{ path: pointerTo('', column.name), message }]
  })
  if (problems.length > 0) throw validationFailed(problems)
}

const maxShownLength = 100

/**
 * Whether a logged value has the form that the log uses for this column type: numbers as JSON numbers, times in ISO
 * form, lists as arrays.
 */
function isLoggedForm({ sqlType, comparedAs }: Column, value: unknown): boolean {
  const family = familyOf(comparedAs)
  if (family === 'array' || family === 'text') return Array.isArray(value) === (family === 'array')
  if (family === 'number') {
    if (typeof value === 'string') return /^[-+]?\d+$|^-?Infinity$|^NaN$/.test(value)
    const [, scale] = /^numeric\(\d+, ?(\d+)\)$/.exec(sqlType) ?? []
    return scale === undefined || fractionDigits(JSON.stringify(value)) <= Number(scale)
  }
  if (/^(date$|timestamp)/.test(comparedAs)) return typeof value !== 'string' || /^\d{4,}-\d\d-\d\d|^-?infinity$/.test(value)
  return true
}

const fractionDigits = (number: string): number => (/\.(\d*?)(?<!0)0*$/.exec(number)?.[1] ?? '').length
