import { type Actor, covers, insufficientScope, isAtLeast, unauthenticated } from '../../auth/identity/actor'
import type { Deps } from '../../deps'
import { forbidden } from '../../errors'
import { type Catalog, findTable, getTable, noSuchTable, type Tables, tablesFor } from '../../tables/catalog/catalog'
import type { Table } from '../../tables/model'

/** Everything that the facade works with. */
export type HostDeps = Pick<Deps, 'db' | 'catalog' | 'config' | 'storage' | 'storageIdentity' | 'events'>

export type AccessibleTable = { table: Table; tables: Tables }

/** On whose behalf the facade acts: what they reach, and whose name stands in `createdBy`. */
export type DataAccess = {
  userId: string | null
  /** @throws Failure unauthenticated, forbidden, insufficient_scope, not_found */
  getTable: (table: string, doing: 'read' | 'write') => Promise<AccessibleTable>
  /** For what cannot be held to tables. @throws Failure unauthenticated, insufficient_scope */
  getAllTables: () => Promise<Tables>
  /** The same, for a transaction: it does not ask the database about the definitions while it holds a connection. */
  pinned: () => Promise<DataAccess>
  /** Ends with the call: nothing that was given up is done any more. */
  ending: AbortSignal
}

type UnboundedAccess = Omit<DataAccess, 'ending' | 'pinned'> & { pinned: () => Promise<UnboundedAccess> }

/**
 * As the caller, within role, scope and tables. A stranger reaches nothing.
 * @param actorNow is asked every time: `auth` may have been asked meanwhile
 */
export const callerAccess = (catalog: Catalog, actorNow: () => Actor | null): UnboundedAccess => ({
  // A caller came with the version of the definitions.
  pinned: async () => callerAccess(catalog, actorNow),
  get userId() {
    return actorNow()?.user.id ?? null
  },
  getTable: async (reference, doing) => {
    const actor = actorNow()
    if (!actor) throw unauthenticated()
    if (doing === 'write' && actor.token && !covers(actor.token.scope, 'write')) throw insufficientScope('the scope write')
    if (doing === 'write' && !isAtLeast(actor.user.role, 'editor')) throw forbidden('This needs the role editor.')
    return { table: await getTable(catalog, actor, reference), tables: await tablesFor(catalog, actor) }
  },
  getAllTables: async () => {
    const actor = actorNow()
    if (!actor) throw unauthenticated()
    if (actor.token?.tables) throw insufficientScope('to be free of a restriction to tables')
    return tablesFor(catalog, actor)
  },
})

/** With the rights of the service. */
export const systemAccess = (catalog: Catalog): UnboundedAccess => systemAccessTo(() => catalog.current())

const systemAccessTo = (tablesNow: () => Promise<Tables>): UnboundedAccess => ({
  userId: null,
  getTable: async (reference) => {
    const tables = await tablesNow()
    const table = findTable(tables, reference)
    if (!table) throw noSuchTable(tables.list, reference)
    return { table, tables }
  },
  getAllTables: tablesNow,
  pinned: async () => {
    const tables = await tablesNow()
    return systemAccessTo(async () => tables)
  },
})

/** When it ends: `ending` with the time limit of the call; `requireOpen` throws when the call is over. */
export type Lifetime = { ending: AbortSignal; requireOpen?: () => void }

/** After the time limit or the end of its call, an access refuses everything new. What has begun may go on. */
export function limitToLifetime(acting: UnboundedAccess, { ending, requireOpen }: Lifetime): DataAccess {
  const requireLasting = () => {
    ending.throwIfAborted()
    requireOpen?.()
  }
  return {
    get userId() {
      return acting.userId
    },
    getTable: async (table, doing) => {
      requireLasting()
      return acting.getTable(table, doing)
    },
    getAllTables: async () => {
      requireLasting()
      return acting.getAllTables()
    },
    pinned: async () => {
      requireLasting()
      // A transaction has an end of its own.
      return limitToLifetime(await acting.pinned(), { ending })
    },
    ending,
  }
}
