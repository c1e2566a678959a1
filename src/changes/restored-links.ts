import type { Query } from '../db/pool/open'
import { equal } from '../db/search-path'
import { hasKey } from '../records/query/sql/keys'
import type { Tables } from '../tables/catalog/catalog'
import { isStoredColumn } from '../tables/computed-value'
import { identifier, literal, qualifiedName } from '../tables/ddl'
import type { Column, ForeignKey, Table } from '../tables/model'
import { comparedType } from '../tables/sql-types'
import { isOfPresentList } from './link-changes'
import { type LogEntry, loggedColumns, valuesToday } from './log-entry'

/**
 * Restores the links that other records had to a record when it was deleted: rows of join tables that were deleted with
 * it, and links that were set to null with it. Leaves out rows whose other record is gone, rows of a list that was
 * deleted since, links that now have another value, and tables that an access rule restricts for the caller.
 */
export async function restoreLinks(query: Query, tables: Tables, table: Table, entry: LogEntry): Promise<void> {
  const columns = await loggedColumns(query, table)
  const deleted = JSON.stringify(valuesToday(entry.oldValues, entry.id, columns, isStoredColumn))
  for (const holder of tables.list.filter(({ access, isLogged }) => isLogged && !access)) {
    const keys = holder.foreignKeys.filter(({ target }) => target.schema === table.schema && target.name === table.name)
    if (keys.length === 0) continue
    if (holder.isJoinTable && !(await isOfPresentList(query, tables, holder))(entry)) continue
    const { nameAt } = await loggedColumns(query, holder)
    const loggedAs = (name: string) => nameAt(storedColumn(holder, name), entry.id)
    for (const key of keys) {
      const text = holder.isJoinTable ? deletedRows(tables, holder, key, loggedAs) : emptiedLinks(holder, key, loggedAs)
      if (text !== null) await query(text, [holder.id, entry.xid, deleted], { prepare: false })
    }
  }
}

/** The name that a column of the linking table had in the log. */
type LoggedAs = (name: string) => string

/** The changes of the transaction that deleted the record, for a log whose alias is c. */
const ofTransaction = `c.table_id ${equal} $1::uuid and c.xid ${equal} $2::xid8`

const loggedText = (name: string): string => `(c.old_values operator(pg_catalog.->>) ${literal(name)})`

/** `$3` holds the values of the deleted record under current names. */
const deletedText = (name: string): string => `($3::json operator(pg_catalog.->>) ${literal(name)})`

/** The condition that a logged row linked to the record. */
const linkedToRecord = ({ columns, targetColumns }: ForeignKey, loggedAs: LoggedAs): string =>
  columns.map((name, index) => `${loggedText(loggedAs(name))} ${equal} ${deletedText(targetColumns[index]!)}`).join(' and ')

/** The logged values of these columns, as JSON under current names. */
function loggedValues(names: readonly string[], loggedAs: LoggedAs): string {
  const pairs = names.map((name) => `${literal(name)}, c.old_values operator(pg_catalog.->) ${literal(loggedAs(name))}`)
  return `pg_catalog.json_build_object(${pairs.join(', ')})`
}

const storedColumn = ({ columns }: Table, name: string): Column => columns.find((column) => column.name === name)!

const isSame = (table: Table, name: string): string => `operator(${storedColumn(table, name).operatorSchema ?? 'pg_catalog'}.=)`

function deletedRows(tables: Tables, holder: Table, key: ForeignKey, loggedAs: LoggedAs): string {
  const stored = holder.columns.filter(({ filledBy }) => filledBy !== 'generated').map(({ name }) => name)
  const names = stored.map(identifier)
  const isThere = holder.foreignKeys
    .filter((each) => each !== key)
    .map(({ columns, target, targetColumns }) => {
      const other = tables.byQualifiedName.get(`${target.schema}.${target.name}`)
      if (!other) return 'false'
      const pairs = columns.map((name, index) => {
        const targetName = targetColumns[index]!
        return `t.${identifier(targetName)} ${isSame(other, targetName)} r.${identifier(name)}`
      })
      return `exists (select from ${qualifiedName(other)} t where ${pairs.join(' and ')})`
    })
  const conditions = [ofTransaction, `c.operation ${equal} 'delete'`, linkedToRecord(key, loggedAs), ...isThere]
  return `insert into ${qualifiedName(holder)} (${names.join(', ')}) select ${names.map((name) => `r.${name}`).join(', ')}
    from rowhouse.changes c cross join lateral pg_catalog.json_populate_record(null::${qualifiedName(holder)}, ${loggedValues(stored, loggedAs)}) r
    where ${conditions.join(' and ')} on conflict do nothing`
}

/**
 * Null if no link can be set. An update logs only the columns that it changed: for a link of several columns, these are
 * the columns of `on delete set null (…)`. The others are still in the record.
 */
function emptiedLinks(holder: Table, { columns, targetColumns }: ForeignKey, loggedAs: LoggedAs): string | null {
  const isLogged = (name: string) => `((c.old_values operator(pg_catalog.->) ${literal(loggedAs(name))}) is not null)`
  const isLinked = columns.map((name, index) => {
    const [column, target] = [`h.${identifier(name)}`, deletedText(targetColumns[index]!)]
    const isSameNow = `pg_catalog.to_json(${column}) operator(pg_catalog.#>>) '{}' ${equal} ${target}`
    return `(${loggedText(loggedAs(name))} ${equal} ${target} or not ${isLogged(name)}) and case when ${isLogged(name)} then ${column} is null else ${isSameNow} end`
  })
  const conditions = [ofTransaction, `c.operation ${equal} 'update'`, hasKey(holder, 'h', 'c.key::json'), ...isLinked]
  const changes = columns.flatMap((name) => {
    const { filledBy } = storedColumn(holder, name)
    const column = identifier(name)
    return filledBy === 'generated' || filledBy === 'identityAlways' ? [] : [`${column} = coalesce(r.${column}, h.${column})`]
  })
  if (changes.length === 0) return null
  // Not read as a row of the table: then every domain would check its value, even in columns that are left out.
  const types = columns.map((name) => `${identifier(name)} ${comparedType(storedColumn(holder, name).comparedAs)}`)
  return `update ${qualifiedName(holder)} h set ${changes.join(', ')}
    from rowhouse.changes c cross join lateral pg_catalog.json_to_record(${loggedValues(columns, loggedAs)}) r (${types.join(', ')})
    where ${conditions.join(' and ')} and (${columns.map(isLogged).join(' or ')})`
}
