import type { Actor } from '../../auth/identity/actor'
import { sqlState } from '../../db/errors'
import { type Catalog, type Tables, tablesFor } from './catalog'

/**
 * What PostgreSQL says when a statement was made for other definitions than there are: undefined table, schema, column, function or operator, type; type mismatch;
 * wrong kind of relation; generated column; object not in the needed state; changed result of a prepared statement.
 */
const staleStates = ['42P01', '3F000', '42703', '42883', '42704', '42804', '42809', '428C9', '55000', '0A000']

/** Also of a Failure that has PostgreSQL's error as its `cause`. */
const isStale = (error: unknown): boolean => staleStates.includes(sqlState(error) ?? '')

/**
 * Work with definitions that may change while it waits for its turn: what PostgreSQL has refused for the old ones, and so has not done, is done once more
 * with those of now. Only a change that was noted counts; see `rereadIfStale` for others.
 * @param work is given the caller as of now
 */
export async function acrossChanges<T>(catalog: Catalog, actor: Actor, work: (actor: Actor) => Promise<T>): Promise<T> {
  try {
    return await work(actor)
  } catch (error) {
    if (!isStale(error)) throw error
    const { version } = await catalog.present()
    if (version === actor.catalogVersion) throw error
    return work({ ...actor, catalogVersion: version })
  }
}

/** A caller may well ask for what fails so every time; the definitions are not read again for each. */
const shortestPauseMs = 1000
const rereadAt = new WeakMap<Catalog, number>()

/**
 * Reads with the caller's tables; if that fails because the definitions have changed without our knowledge, once more with the new ones. For reads only: a write
 * that failed is not repeated.
 */
export const withFreshTables = <T>(catalog: Catalog, actor: Actor, read: (tables: Tables) => Promise<T>): Promise<T> =>
  acrossChanges(catalog, actor, (current) => readAgain(catalog, current, read))

async function readAgain<T>(catalog: Catalog, actor: Actor, read: (tables: Tables) => Promise<T>): Promise<T> {
  const tables = await tablesFor(catalog, actor)
  try {
    return await read(tables)
  } catch (error) {
    const found = await rereadIfStale(catalog, error)
    const fresh = found && (await tablesFor(catalog, { ...actor, catalogVersion: found.version }))
    if (!fresh || isSame(tables, fresh)) throw error
    return read(fresh)
  }
}

/**
 * After a statement that failed: reads the definitions again if that may be the reason, so that the next request finds them right.
 * @returns them, or null where that was not the reason or was tried a moment ago
 */
export async function rereadIfStale(catalog: Catalog, error: unknown): Promise<Tables | null> {
  const now = performance.now()
  if (!isStale(error) || now - (rereadAt.get(catalog) ?? -shortestPauseMs) < shortestPauseMs) return null
  rereadAt.set(catalog, now)
  return catalog.reread()
}

const isSame = ({ list }: Tables, other: Tables): boolean =>
  list.length === other.list.length && list.every((table, index) => table === other.list[index])
