import type { Actor } from '../../auth/identity/actor'
import { sqlState } from '../../db/errors'
import { type Catalog, type Tables, tablesFor } from './catalog'

/**
 * What PostgreSQL says when a statement was made for other definitions than there are: undefined table, schema, column,
 * function or operator, type; type mismatch; wrong kind of relation; generated column; object not in the needed state;
 * changed result of a prepared statement.
 */
const staleStates = ['42P01', '3F000', '42703', '42883', '42704', '42804', '42809', '428C9', '55000', '0A000']

/** Also of a Failure that has PostgreSQL's error as its `cause`. */
const isStaleError = (error: unknown): boolean => staleStates.includes(sqlState(error) ?? '')

/**
 * Work with definitions that may change while it waits for its turn: what PostgreSQL has refused for the old ones, and
 * so has not done, is done once more with those of now. Only a change that was noted counts; see `refreshIfStale` for
 * others.
 * @param work is given the caller as of now
 */
export async function retryOnSchemaChange<T>(catalog: Catalog, actor: Actor, work: (actor: Actor) => Promise<T>): Promise<T> {
  try {
    return await work(actor)
  } catch (error) {
    if (!isStaleError(error)) throw error
    const { version } = await catalog.current()
    if (version === actor.catalogVersion) throw error
    return work({ ...actor, catalogVersion: version })
  }
}

/** A caller may well ask for what fails so every time; the definitions are not read again for each. */
const minPauseMs = 1000
const refreshedAt = new WeakMap<Catalog, number>()

type WithTables<T> = (tables: Tables, actor: Actor) => Promise<T>

/**
 * Reads with the caller's tables; if that fails because the definitions have changed without our knowledge, once more
 * with the new ones. For reads only: a write that failed is not repeated.
 */
export const readWithCurrentTables = <T>(catalog: Catalog, actor: Actor, read: WithTables<T>): Promise<T> =>
  retryOnSchemaChange(catalog, actor, (current) => readAndRefresh(catalog, current, read))

async function readAndRefresh<T>(catalog: Catalog, actor: Actor, read: WithTables<T>): Promise<T> {
  const tables = await tablesFor(catalog, actor)
  try {
    return await read(tables, actor)
  } catch (error) {
    const found = await refreshIfStale(catalog, error)
    const current = found && { ...actor, catalogVersion: found.version }
    const fresh = current && (await tablesFor(catalog, current))
    if (!current || !fresh || areSameTables(tables, fresh)) throw error
    return read(fresh, current)
  }
}

/**
 * Writes with the caller's tables. If that fails because the definitions have changed without our knowledge, the next
 * request has the new ones.
 */
export const writeWithCurrentTables = <T>(catalog: Catalog, actor: Actor, write: WithTables<T>): Promise<T> =>
  retryOnSchemaChange(catalog, actor, (current) => callWithTables(catalog, current, write))

/** As `writeWithCurrentTables`, for work that must not be done twice, whatever PostgreSQL says. */
export async function callWithTables<T>(catalog: Catalog, actor: Actor, work: WithTables<T>): Promise<T> {
  try {
    return await work(await tablesFor(catalog, actor), actor)
  } catch (error) {
    await refreshIfStale(catalog, error)
    throw error
  }
}

/**
 * After a statement that failed: reads the definitions again if that may be the reason, so that the next request finds
 * them right.
 * @returns them, or null where that was not the reason or was tried a moment ago
 */
export async function refreshIfStale(catalog: Catalog, error: unknown): Promise<Tables | null> {
  const now = performance.now()
  if (!isStaleError(error) || now - (refreshedAt.get(catalog) ?? -minPauseMs) < minPauseMs) return null
  refreshedAt.set(catalog, now)
  return catalog.refresh()
}

const areSameTables = ({ list }: Tables, other: Tables): boolean =>
  list.length === other.list.length && list.every((table, index) => table === other.list[index])
