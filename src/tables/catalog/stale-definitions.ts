import type { Actor } from '../../auth/identity/actor'
import { sqlState } from '../../db/errors'
import { type Catalog, type Tables, tablesFor } from './catalog'

/**
 * SQLSTATEs of a statement that was written for definitions that have changed since: undefined table, schema, column,
 * function or operator, type; type mismatch; wrong kind of relation; generated column; object not in prerequisite
 * state; changed result of a prepared statement.
 */
const staleStates = ['42P01', '3F000', '42703', '42883', '42704', '42804', '42809', '428C9', '55000', '0A000']

/** True also for a Failure with PostgreSQL's error as its `cause`. */
const isStaleError = (error: unknown): boolean => staleStates.includes(sqlState(error) ?? '')

/**
 * Runs work that uses the definitions, which may change while it waits for a connection. If PostgreSQL refuses it
 * because of the old definitions, and so has done nothing, the work runs once more with the new ones. This covers
 * changes that raised the version of the catalogue; `refreshIfStale` covers the others.
 * @param work gets the caller, with the version of the definitions to use
 */
async function retryOnSchemaChange<T>(catalog: Catalog, actor: Actor, work: (actor: Actor) => Promise<T>): Promise<T> {
  try {
    return await work(actor)
  } catch (error) {
    if (!isStaleError(error)) throw error
    const { version } = await catalog.current()
    if (version === actor.catalogVersion) throw error
    return work({ ...actor, catalogVersion: version })
  }
}

/** A request may fail in this way every time it is sent. The definitions are not read again for each failure. */
const minPauseMs = 1000
const refreshedAt = new WeakMap<Catalog, number>()

type WithTables<T> = (tables: Tables, actor: Actor) => Promise<T>

/**
 * Reads with the caller's tables. If that fails because the definitions changed and no event trigger noted it, reads
 * once more with the new ones. For reads only: a write that failed is not repeated.
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
 * Writes with the caller's tables. If that fails because the definitions changed and no event trigger noted it, the
 * definitions are read again for the next request.
 */
export const writeWithCurrentTables = <T>(catalog: Catalog, actor: Actor, write: WithTables<T>): Promise<T> =>
  retryOnSchemaChange(catalog, actor, (current) => callWithTables(catalog, current, write))

/** Like `writeWithCurrentTables`, for work that must never run twice, whatever error PostgreSQL reports. */
export async function callWithTables<T>(catalog: Catalog, actor: Actor, work: WithTables<T>): Promise<T> {
  try {
    return await work(await tablesFor(catalog, actor), actor)
  } catch (error) {
    await refreshIfStale(catalog, error)
    throw error
  }
}

/**
 * After a statement that failed: reads the definitions again if stale ones may be the reason, so that the next request
 * uses the current ones.
 * @returns the definitions; null when the error has another reason, or when they were read again less than a second ago
 */
export async function refreshIfStale(catalog: Catalog, error: unknown): Promise<Tables | null> {
  const now = performance.now()
  if (!isStaleError(error) || now - (refreshedAt.get(catalog) ?? -minPauseMs) < minPauseMs) return null
  refreshedAt.set(catalog, now)
  return catalog.refresh()
}

const areSameTables = ({ list }: Tables, other: Tables): boolean =>
  list.length === other.list.length && list.every((table, index) => table === other.list[index])
