import type { Query } from '../db/pool/open'
import { equal } from '../db/search-path'
import { hasKey } from '../records/query/sql/keys'
import type { Tables } from '../tables/catalog/catalog'
import { identifier, literal, qualifiedName } from '../tables/ddl'
import type { Column, ForeignKey, Table } from '../tables/model'
import type { LogEntry } from './log-entry'

/**
 * Restores the links that other records had to a record when it was deleted: rows of join tables that were deleted with
 * it, and links that were set to null with it. Leaves out rows whose other record is gone, links that have another
 * value by now, and tables that an access rule restricts for the caller.
 */
export async function restoreLinks(query: Query, tables: Tables, table: Table, entry: LogEntry): Promise<void> {
  for (const holder of tables.list.filter(({ access, isLogged }) => isLogged && !access)) {
    for (const key of holder.foreignKeys.filter(({ target }) => target.schema === table.schema && target.name === table.name)) {
      const text = holder.isJoinTable ? deletedRows(tables, holder, key) : emptiedLinks(holder, key)
      await query(text, [holder.id, entry.xid, entry.oldValues], { prepare: false })
    }
  }
}

/** The changes of the transaction that deleted the record, for a log with the alias c. */
const ofTransaction = `c.table_id ${equal} $1::uuid and c.xid ${equal} $2::xid8`

/** The condition that a logged row linked to the record. `$3` are the record's logged values. */
const linkedToRecord = ({ columns, targetColumns }: ForeignKey): string =>
  columns
    .map(
      (name, index) =>
        `(c.old_values operator(pg_catalog.->>) ${literal(name)}) ${equal} ($3::json operator(pg_catalog.->>) ${literal(targetColumns[index]!)})`,
    )
    .join(' and ')

/** The logged values as a row of the table. */
const rowOf = (table: Table, alias: string): string =>
  `pg_catalog.json_populate_record(null::${qualifiedName(table)}, c.old_values) ${alias}`

const storedColumn = ({ columns }: Table, name: string): Column => columns.find((column) => column.name === name)!

const isSame = (table: Table, name: string): string => `operator(${storedColumn(table, name).operatorSchema ?? 'pg_catalog'}.=)`

function deletedRows(tables: Tables, holder: Table, key: ForeignKey): string {
  const names = holder.columns.filter(({ filledBy }) => filledBy !== 'generated').map(({ name }) => identifier(name))
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
  const conditions = [ofTransaction, `c.operation ${equal} 'delete'`, linkedToRecord(key), ...isThere]
  return `insert into ${qualifiedName(holder)} (${names.join(', ')}) select ${names.map((name) => `r.${name}`).join(', ')}
    from rowhouse.changes c cross join lateral ${rowOf(holder, 'r')} where ${conditions.join(' and ')} on conflict do nothing`
}

function emptiedLinks(holder: Table, key: ForeignKey): string {
  const conditions = [ofTransaction, `c.operation ${equal} 'update'`, linkedToRecord(key), hasKey(holder, 'h', 'c.key::json')]
  const isEmpty = key.columns.map((name) => `h.${identifier(name)} is null`)
  return `update ${qualifiedName(holder)} h set ${key.columns.map((name) => `${identifier(name)} = r.${identifier(name)}`).join(', ')}
    from rowhouse.changes c cross join lateral ${rowOf(holder, 'r')} where ${[...conditions, ...isEmpty].join(' and ')}`
}
