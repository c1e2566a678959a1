import type { Sql, TransactionSql } from 'postgres'
import { copyIn, openCopy } from '../../db/copy'
import type { Table } from '../../tables/model'
import { identifier, literal, qualifiedName } from '../../tables/sql-text'
import type { RestoredFile } from './files'
import type { RestorePlan, StoredColumn } from './plan'

/** `lostLinks`: by column, the number of links to records that no longer exist. */
export type RestoredRows = { records: number; lostLinks: Map<string, number> }

export type CopyRowsOptions = {
  /** The table in the backup. */
  source: Table
  /** The new, empty table. */
  target: Table
  plan: RestorePlan
  /** The new files by their id in the backup. */
  files: ReadonlyMap<string, RestoredFile>
  storageId: string | null
  signal: AbortSignal
}

const staging = 'pg_temp.rowhouse_restored'
const newFiles = 'pg_temp.rowhouse_files'

/**
 * Copies the records of a table from one PostgreSQL to another, with their keys, in one transaction. It keeps links
 * whose target record exists.
 * @param from the database of the backup
 * @param to the database of the service
 */
export async function copyRows(from: Sql, to: Sql, options: CopyRowsOptions): Promise<RestoredRows> {
  return (await to.begin(async (tx) => {
    await tx.unsafe('set local statement_timeout = 0')
    await putFiles(tx, options)
    const lostLinks = await putRecords(from, tx, options)
    for (const join of options.plan.joins) {
      const lost = await putLinks(from, tx, join, options)
      if (lost > 0) lostLinks.set(join.column, lost)
    }
    const [row] = await tx.unsafe<{ count: number }[]>(`select count(*)::int as count from ${qualifiedName(options.target)}`)
    return { records: row!.count, lostLinks }
  })) as RestoredRows
}

async function putRecords(from: Sql, tx: TransactionSql, { source, target, plan, signal }: CopyRowsOptions): Promise<Map<string, number>> {
  const lost = new Map<string, number>()
  const names = plan.stored.map(({ name }) => identifier(name)).join(', ')
  if (plan.stored.length === 0) return lost
  await tx.unsafe(`create temporary table rowhouse_restored on commit drop as select ${names} from ${qualifiedName(target)} with no data`)
  await stream(from, tx, `select ${names} from only ${qualifiedName(source)}`, `${staging} (${names})`, signal)
  for (const column of plan.stored) {
    const exists = existsNow(column)
    if (exists === null) continue
    const rows = await tx.unsafe(
      `update ${staging} r set ${identifier(column.name)} = null where ${identifier(column.name)} is not null and not ${exists}`,
    )
    if (rows.count > 0) lost.set(column.name, rows.count)
  }
  const values = plan.stored.map((column) => (column.kind === 'files' ? filesOf(column.name) : `r.${identifier(column.name)}`)).join(', ')
  await tx.unsafe(`insert into ${qualifiedName(target)} (${names}) overriding system value select ${values} from ${staging} r`)
  for (const { name, filledBy } of target.columns) {
    if (!filledBy.startsWith('identity')) continue
    const column = `${qualifiedName(target)}`
    // The counter begins at 1; a lower number was entered by hand.
    await tx.unsafe(
      `select setval(pg_get_serial_sequence(${literal(column)}, ${literal(name)}), found) from (select max(${identifier(name)}) as found from ${column}) f where found >= 1`,
    )
  }
  return lost
}

/** SQL: whether the record or user to which a value of `r` refers exists; null for other columns. */
function existsNow(column: StoredColumn): string | null {
  const value = `r.${identifier(column.name)}`
  if (column.kind === 'user') return `exists (select from rowhouse.users u where u.id = ${value})`
  if (column.kind !== 'link') return null
  const { target } = column
  return `exists (select from ${qualifiedName(target)} t where t.${identifier(target.key)} = ${value})`
}

/** SQL: the cell with the new ids of its files, without those whose bytes are lost. */
const filesOf = (
  name: string,
): string => `(select coalesce(jsonb_agg(jsonb_set(f.value, '{id}', to_jsonb(n.id::text)) order by f.place), '[]')
  from jsonb_array_elements(case jsonb_typeof(r.${identifier(name)}) when 'array' then r.${identifier(name)} else '[]' end) with ordinality as f (value, place)
  join ${newFiles} n on n.before = (f.value ->> 'id')::uuid)`

/** Adds the rows of the files, which are then no longer loose. The lock prevents a change of the storage. */
async function putFiles(tx: TransactionSql, { target, files, storageId }: CopyRowsOptions) {
  await tx.unsafe('create temporary table rowhouse_files (before uuid primary key, id uuid) on commit drop')
  if (files.size === 0) return
  const [storage] = await tx`select from rowhouse.storage where id = ${storageId}::text::uuid for share`
  if (!storage) throw new Error('The database has another storage by now.')
  const columnIds = new Map(target.columns.map(({ name, id }) => [name, id]))
  const all = [...files].map(([before, { column, file }]) => ({ before, columnId: columnIds.get(column), ...file }))
  for (let start = 0; start < all.length; start += 1000) {
    const rows = JSON.stringify(all.slice(start, start + 1000))
    const shape = `jsonb_to_recordset(${literal(rows)}) as f (before uuid, id uuid, "columnId" uuid, name text, size bigint, type text, sha256 text,
      width int, height int, "createdBy" uuid, "createdAt" timestamptz)`
    await tx.unsafe(`insert into ${newFiles} select before, id from ${shape}`)
    await tx.unsafe(`insert into rowhouse.files (id, table_id, column_id, name, size, type, sha256, width, height, created_by, created_at)
      select id, ${literal(target.id)}, "columnId", name, size, type, sha256, width, height, "createdBy", "createdAt" from ${shape}`)
  }
  const deleted = await tx.unsafe(`delete from rowhouse.loose_files l using ${newFiles} n where n.id = l.id`)
  if (deleted.count !== files.size) throw new Error('Restoring the files took so long that some were swept.')
}

/** @returns how many links in a list refer to records that do not exist */
async function putLinks(
  from: Sql,
  tx: TransactionSql,
  { column, from: source, target: linked }: RestorePlan['joins'][number],
  { target, signal }: CopyRowsOptions,
): Promise<number> {
  const into = target.columns.find(({ name }) => name === column)?.joinTable
  if (!into) return 0
  const [read, written] = [source, into].map(({ ownColumns, targetColumns }) =>
    [...ownColumns, ...targetColumns].map(identifier).join(', '),
  )
  const found = `pg_temp.rowhouse_links`
  await tx.unsafe(`create temporary table rowhouse_links on commit drop as select ${written} from ${qualifiedName(into)} with no data`)
  await stream(from, tx, `select ${read} from only ${qualifiedName(source)}`, `${found} (${written})`, signal)
  const key = linked === 'itself' ? target.primaryKey[0]! : linked.key
  const table = linked === 'itself' ? target : linked
  const isThere = `exists (select from ${qualifiedName(table)} t where t.${identifier(key)} = r.${identifier(into.targetColumns[0]!)})`
  const put = await tx.unsafe(`insert into ${qualifiedName(into)} (${written}) select ${written} from ${found} r where ${isThere}`)
  const [row] = await tx.unsafe<{ count: number }[]>(`select count(*)::int as count from ${found}`)
  await tx.unsafe(`drop table ${found}`)
  return row!.count - put.count
}

async function stream(from: Sql, tx: TransactionSql, query: string, into: string, signal: AbortSignal) {
  const copy = await openCopy(from, 0, signal, async () => `copy (${query}) to stdout`)
  try {
    await copyIn(tx, `copy ${into} from stdin`, chunksOf(copy.next))
  } finally {
    await copy.end()
  }
}

async function* chunksOf(next: () => Promise<Buffer | null>): AsyncGenerator<Uint8Array> {
  for (let chunk = await next(); chunk !== null; chunk = await next()) yield chunk
}
