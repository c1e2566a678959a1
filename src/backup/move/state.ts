import type { Sql, TransactionSql } from 'postgres'
import { sqlState } from '../../db/errors'
import type { ConnectionTarget } from '../../db/pool/open'

/** The schema that holds the state of a move, in both databases. It is never moved. */
export const moveSchema = 'rowhouse_move'

/**
 * The old database is `copying` until it is `moved`. The new one is `copying`, `ready` when the copy is complete, and
 * `serving` from the switch on, while its foreign keys are checked.
 */
export type DatabaseMove = { id: string; role: 'source' | 'target'; stage: 'copying' | 'ready' | 'serving' | 'moved'; other: string }

/** @returns null if no move is in progress and none has ended here */
export async function readMoveState(sql: Pick<Sql, 'unsafe'>): Promise<DatabaseMove | null> {
  const [found] = await sql.unsafe(
    `select from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace where nspname = '${moveSchema}' and relname = 'state'`,
  )
  if (!found) return null
  const states = sql.unsafe<DatabaseMove[]>(`select id::text as id, role, stage, other from ${moveSchema}.state`)
  const [state] = await states.catch((error) => {
    // The move has just ended and removed the table.
    if (['42P01', '3F000'].includes(sqlState(error) ?? '')) return []
    throw error
  })
  return state ?? null
}

/** Why a service must not use the database; null if it may. */
export function refusalOf(state: DatabaseMove | null): string | null {
  if (state?.role === 'source' && state.stage === 'moved') {
    return `This database was moved to ${state.other} and no longer accepts changes. Use that one (DATABASE_URL), or make this one usable again, without what was written there since: rowhouse move --undo.`
  }
  if (state?.role === 'target' && state.stage !== 'serving') {
    return `This database is the unfinished copy of ${state.other}. Run rowhouse move again there to continue, or remove the copy: rowhouse move --cancel --to=….`
  }
  return null
}

/** Describes the location of a database, without the password. */
export function describePlace(target: ConnectionTarget): string {
  if (!('uri' in target)) return 'the embedded database'
  const { hosts, ports, database, user } = target.uri
  return `${hosts.map((host, index) => `${host}:${ports[index]}`).join(',')}, database ${database ?? user}`
}

/**
 * The tables in both databases. `steps` lists the completed steps, which a later run skips. `unlogged` is an unlogged
 * table with one row, so the row disappears when the server recovers from a crash.
 */
const stateTables = `
  create schema ${moveSchema};
  create table ${moveSchema}.state (one boolean primary key default true check (one), id uuid not null, role text not null, stage text not null,
    other text not null, definitions text);
  create table ${moveSchema}.steps (step text primary key);
  create unlogged table ${moveSchema}.unlogged as select true as is_whole;`

/** Begins a move in one of its databases. */
export async function createMoveState(tx: TransactionSql, { id, role, other }: Omit<DatabaseMove, 'stage'>): Promise<void> {
  await tx.unsafe(stateTables)
  await tx`insert into ${tx(moveSchema)}.state (id, role, stage, other) values (${id}, ${role}, 'copying', ${other})`
}
