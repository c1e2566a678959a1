import type { Sql } from 'postgres'
import { databaseFailure } from '../../db/errors'
import { DamagedBackup } from '../errors'

/**
 * Checks the rows of every table and every B-tree and GIN index with amcheck, as pg_amcheck does. Only for a copy or a
 * transaction that is rolled back, since it creates the extension. Skips indexes that another version of ICU has built,
 * because their order may differ legitimately.
 * @throws DamagedBackup naming the table or index
 */
export async function checkRelations(sql: Sql, signal: AbortSignal): Promise<{ tables: number; indexes: number }> {
  await sql`create schema rowhouse_proof`
  await sql`create extension if not exists amcheck schema rowhouse_proof`
  const [{ schema } = { schema: '' }] = await sql<{ schema: string }[]>`
    select quote_ident(nspname) as schema from pg_extension e join pg_namespace n on n.oid = extnamespace where extname = 'amcheck'`
  const tables = await sql<{ oid: string; name: string }[]>`
    select c.oid::text as oid, c.oid::regclass::text as name from pg_class c join pg_am a on a.oid = relam
    where relkind in ('r', 'm', 't') and relpersistence = 'p' and amname = 'heap'`
  for (const { oid, name } of tables) {
    signal.throwIfAborted()
    const [fault] = await sql.unsafe<{ msg: string }[]>(`select msg from ${schema}.verify_heapam(${oid}::regclass) limit 1`)
    if (fault) throw new DamagedBackup(`The table ${name} is damaged: ${fault.msg}.`)
  }
  const indexes = await sql<{ oid: string; name: string; method: 'btree' | 'gin' }[]>`
    select c.oid::text as oid, c.oid::regclass::text as name, amname as method
    from pg_class c join pg_am a on a.oid = relam join pg_index i on i.indexrelid = c.oid
    where amname in ('btree', 'gin') and relkind = 'i' and relpersistence = 'p' and indisvalid and indisready
      and not exists (select from pg_database d where d.datname = current_database()
        and datcollversion is distinct from pg_database_collation_actual_version(d.oid))`
  for (const { oid, name, method } of indexes) {
    signal.throwIfAborted()
    try {
      const check = method === 'gin' ? 'gin_index_check' : 'bt_index_check'
      await sql.unsafe(`select ${schema}.${check}(${oid}::regclass)`)
    } catch (error) {
      if (signal.aborted || databaseFailure(error)) throw error
      throw new DamagedBackup(`The index ${name} is damaged: ${(error as Error).message}.`)
    }
  }
  return { tables: tables.length, indexes: indexes.length }
}
