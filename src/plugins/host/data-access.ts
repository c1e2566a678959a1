import { type Actor, covers, insufficientScope, isAtLeast, unauthenticated } from '../../auth/identity/actor'
import type { Deps } from '../../deps'
import { forbidden } from '../../errors'
import { type Catalog, findTable, getTable, noSuchTable, type Tables, tablesFor } from '../../tables/catalog/catalog'
import type { Table } from '../../tables/model'

/** Everything that the facade works with. */
export type Ground = Pick<Deps, 'db' | 'catalog' | 'config' | 'storage' | 'storageIdentity' | 'events'>

export type Reached = { table: Table; tables: Tables }

/** On whose behalf the facade acts: what they reach, and whose name stands in `createdBy`. */
export type Acting = {
  userId: string | null
  /** @throws Failure unauthenticated, forbidden, insufficient_scope, not_found */
  reach: (table: string, doing: 'read' | 'write') => Promise<Reached>
  /** For what cannot be held to tables. @throws Failure unauthenticated, insufficient_scope */
  reachAll: () => Promise<Tables>
  /** The same, for a transaction: it does not ask the database about the definitions while it holds a connection. */
  pinned: () => Promise<Acting>
  /** Ends with the call: nothing that was given up is done any more. */
  ending: AbortSignal
}

type Lasting = Omit<Acting, 'ending' | 'pinned'> & { pinned: () => Promise<Lasting> }

/** As the caller, within role, scope and tables. A stranger reaches nothing. @param actorNow is asked every time: `auth` may have been asked meanwhile */
export const actingAsCaller = (catalog: Catalog, actorNow: () => Actor | null): Lasting => ({
  // A caller came with the version of the definitions.
  pinned: async () => actingAsCaller(catalog, actorNow),
  get userId() {
    return actorNow()?.user.id ?? null
  },
  reach: async (reference, doing) => {
    const actor = actorNow()
    if (!actor) throw unauthenticated()
    if (doing === 'write' && actor.token && !covers(actor.token.scope, 'write')) throw insufficientScope('the scope write')
    if (doing === 'write' && !isAtLeast(actor.user.role, 'editor')) throw forbidden('This needs the role editor.')
    return { table: await getTable(catalog, actor, reference), tables: await tablesFor(catalog, actor) }
  },
  reachAll: async () => {
    const actor = actorNow()
    if (!actor) throw unauthenticated()
    if (actor.token?.tables) throw insufficientScope('to be free of a restriction to tables')
    return tablesFor(catalog, actor)
  },
})

/** With the rights of the service. */
export const actingAsSystem = (catalog: Catalog): Lasting => systemWith(() => catalog.present())

const systemWith = (tablesNow: () => Promise<Tables>): Lasting => ({
  userId: null,
  reach: async (reference) => {
    const tables = await tablesNow()
    const table = findTable(tables, reference)
    if (!table) throw noSuchTable(tables.list, reference)
    return { table, tables }
  },
  reachAll: tablesNow,
  pinned: async () => {
    const tables = await tablesNow()
    return systemWith(async () => tables)
  },
})

/** When it ends: `ending` with the time limit of the call; `requireOpen` throws when the call is over. */
export type Lifetime = { ending: AbortSignal; requireOpen?: () => void }

/** What was given up reaches nothing any more, nor what was kept beyond its call. What has begun before may go on. */
export function whileItLasts(acting: Lasting, { ending, requireOpen }: Lifetime): Acting {
  const requireLasting = () => {
    ending.throwIfAborted()
    requireOpen?.()
  }
  return {
    get userId() {
      return acting.userId
    },
    reach: async (table, doing) => {
      requireLasting()
      return acting.reach(table, doing)
    },
    reachAll: async () => {
      requireLasting()
      return acting.reachAll()
    },
    pinned: async () => {
      requireLasting()
      // A transaction has an end of its own.
      return whileItLasts(await acting.pinned(), { ending })
    },
    ending,
  }
}
