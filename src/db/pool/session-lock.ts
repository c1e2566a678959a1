import type { Sql } from 'postgres'

/** A process that was killed keeps its lock until the server notices. */
const maxWaitMs = 10_000
const retryMs = 250

/** @returns whether this session holds the lock now */
export async function trySessionLock(sql: Sql, key: number): Promise<boolean> {
  const [row] = await sql<{ taken: boolean }[]>`select pg_catalog.pg_try_advisory_lock(${String(key)}::text::bigint) as taken`
  return row!.taken
}

/**
 * Takes a lock that one session at a time may hold. It lasts as long as the connection.
 * @param toError of a text that names the session that holds it
 */
export async function takeSessionLock(sql: Sql, key: number, toError: (holder: string) => Error): Promise<void> {
  for (const until = performance.now() + maxWaitMs; !(await trySessionLock(sql, key)); await Bun.sleep(retryMs)) {
    const holder = performance.now() > until ? await describeSession(sql, key) : null
    if (holder !== null) throw toError(holder)
  }
}

/** Null when the lock was released meanwhile. PostgreSQL does not show all details of other roles' sessions. */
async function describeSession(sql: Sql, key: number): Promise<string | null> {
  const [session] = await sql<{ pid: number; since: string | null; ip: string | null }[]>`
    select l.pid, to_char(backend_start at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS "UTC"') as since, host(client_addr) as ip
    from pg_catalog.pg_locks l left join pg_catalog.pg_stat_activity a using (pid)
    where locktype = 'advisory' and objsubid = 1 and granted
      and l.database = (select oid from pg_catalog.pg_database where datname = pg_catalog.current_database())
      and classid::bigint << 32 | objid::bigint = ${String(key)}::text::bigint`
  if (!session) return null
  const { pid, since, ip } = session
  return `PostgreSQL process ${pid}${since === null ? '' : `, connected since ${since}`}${ip === null ? '' : ` from ${ip}`}`
}
