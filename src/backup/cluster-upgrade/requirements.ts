import type { Sql } from 'postgres'
import { databaseName } from '../../db/embedded/cluster'
import { BackupError } from '../errors'

/** The names of all objects outside this database that the upgrade does not transfer. */
const outside = `
  select 'the tablespace ' || quote_ident(spcname) as thing from pg_tablespace where oid >= 16384
  union all select 'the database ' || quote_ident(datname) from pg_database
    where datname not in ('${databaseName}', 'postgres', 'template1', 'template0')
  union all select 'the prepared transaction ' || quote_literal(gid) from pg_prepared_xacts
  union all select 'the replication slot ' || quote_ident(slot_name::text) from pg_replication_slots
    where not temporary and (slot_type = 'logical' or slot_name !~ '^rowhouse')
  union all select 'the subscription ' || quote_ident(subname) from pg_subscription
  union all select 'the rights on the setting ' || parname from pg_parameter_acl
  union all select distinct 'security labels of ' || provider from pg_shseclabel`

/** The names of all objects in the database that the upgrade does not transfer. */
const inside = `
  select 'the tables of settings of the extension ' || quote_ident(extname) as thing from pg_extension where extconfig is not null
  union all select 'the rights on the large object ' || l.oid from pg_largeobject_metadata l, aclexplode(lomacl) where grantor <> lomowner`

/** The names of all objects in a database that initdb creates and Rowhouse does not use. */
const elsewhere = `
  select 'the schema ' || quote_ident(nspname) as thing from pg_namespace where oid >= 16384 and nspname !~ '^pg_(toast_)?temp_'
  union all select 'the relation ' || oid::regclass from pg_class where oid >= 16384 and relkind in ('r', 'p', 'v', 'm', 'S', 'f')
  union all select 'the function ' || oid::regprocedure from pg_proc where oid >= 16384
  union all select 'the extension ' || quote_ident(extname) from pg_extension where oid >= 16384
  union all select distinct 'large objects' from pg_largeobject_metadata`

/**
 * Rejects objects that cannot be transferred, before anything is written.
 * @param open opens a connection to a database of the old server
 * @throws BackupError naming all of them
 */
export async function requireBringable(open: (database?: string) => Promise<Sql>): Promise<void> {
  const ask = async (database: string | undefined, text: string, suffix = '') => {
    const sql = await open(database)
    const rows = await sql.unsafe<{ thing: string }[]>(text)
    await sql.end()
    return rows.map(({ thing }) => thing + suffix)
  }
  const found = [
    ...(await ask(undefined, outside)),
    ...(await ask(undefined, inside)),
    ...(await ask('postgres', elsewhere, ' in the database postgres')),
    ...(await ask('template1', elsewhere, ' in the database template1')),
  ]
  if (found.length === 0) return
  throw new BackupError(
    `This cannot be upgraded to the new version: ${found.join(', ')}. Nothing was changed. Start the release that made the database, and remove it there or move it elsewhere.`,
  )
}

/** @throws BackupError if the new version lacks an installed extension */
export async function requireExtensions(from: Sql, to: Sql): Promise<void> {
  const installed = await from<{ name: string }[]>`select extname as name from pg_extension`
  const available = (await to<{ name: string }[]>`select name from pg_available_extensions`).map(({ name }) => name)
  const missing = installed.filter(({ name }) => !available.includes(name)).map(({ name }) => name)
  if (missing.length === 0) return
  throw new BackupError(`The new version does not have the extension ${missing.join(', ')}. Nothing was changed.`)
}
