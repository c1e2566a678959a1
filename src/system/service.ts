import type { Deps } from '../deps'
import type { SystemView } from './model'

type Facts = { version: string; size: string | null; files: string; bytes: string }

const statement = `select pg_catalog.current_setting('server_version') as version,
  case when pg_catalog.has_database_privilege(current_database(), 'connect') then pg_catalog.pg_database_size(current_database())::text end as size,
  count(*)::text as files, coalesce(pg_catalog.sum(size), 0)::text as bytes
  from rowhouse.files`

/** Counted at every call: only people request it, from time to time. */
export async function readSystem({ config, db, storage }: Pick<Deps, 'config' | 'db' | 'storage'>): Promise<SystemView> {
  const [[facts], freeBytes] = await Promise.all([db.query<Facts>(statement), storage.freeBytes().catch(() => null)])
  const { version, size, files, bytes } = facts!
  return {
    database: { kind: config.databaseUrl ? 'own' : 'inside', version, sizeBytes: size === null ? null : Number(size) },
    storage: { place: storage.place, files: Number(files), sizeBytes: Number(bytes), freeBytes },
  }
}
