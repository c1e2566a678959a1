import {
  type Actor,
  allTablesNeeded,
  canNameUsers,
  covers,
  isAtLeast,
  roleLacking,
  scopeLacking,
  unauthenticated,
  viewOnly,
} from '../../auth/identity/actor'
import { withReason } from '../../auth/refusal-reason'
import type { Deps } from '../../deps'
import { forbidden } from '../../errors'
import { type MessageLanguage, translatable } from '../../messages/message'
import { type Catalog, findTable, getTable, noSuchTable, type Tables, tablesFor } from '../../tables/catalog/catalog'
import type { Table } from '../../tables/model'

/** The dependencies of the facade. */
export type HostDeps = Pick<Deps, 'db' | 'catalog' | 'config' | 'storage' | 'storageIdentity' | 'events'>

export type AccessibleTable = { table: Table; tables: Tables }

/** The rights with which the facade reads and writes. `userId` is the user for `createdBy`. */
export type DataAccess = {
  userId: string | null
  canNameUsers: boolean
  /** The language of values that are written for people. */
  language: MessageLanguage
  /** @throws Failure unauthenticated, forbidden, insufficient_scope, not_found */
  getTable: (table: string, doing: 'read' | 'write') => Promise<AccessibleTable>
  /** For an access that cannot be restricted to tables. @throws Failure unauthenticated, insufficient_scope */
  getAllTables: () => Promise<Tables>
  /** The same access for a transaction, which does not read the definitions while it holds a connection. */
  pinned: () => Promise<DataAccess>
  /** Aborted at the end of the call. Nothing new begins afterwards. */
  ending: AbortSignal
}

type UnboundedAccess = Omit<DataAccess, 'ending' | 'pinned' | 'language'> & { pinned: () => Promise<UnboundedAccess> }

/**
 * Access as the caller, within their role, scope and tables. An anonymous caller has no access.
 * @param actorNow is called for each access, because the plugin may have called `auth` meanwhile
 */
export const callerAccess = (catalog: Catalog, actorNow: () => Actor | null): UnboundedAccess => ({
  // The actor already contains the version of the definitions.
  pinned: async () => callerAccess(catalog, actorNow),
  get userId() {
    return actorNow()?.user.id ?? null
  },
  get canNameUsers() {
    const actor = actorNow()
    return actor !== null && canNameUsers(actor)
  },
  getTable: async (reference, doing) => {
    const actor = actorNow()
    if (!actor) throw unauthenticated()
    if (doing === 'write' && actor.viewedBy) throw viewOnly()
    if (doing === 'write' && actor.token && !covers(actor.token.scope, 'write')) throw scopeLacking('write')
    if (doing === 'write' && !isAtLeast(actor.user.role, 'editor')) throw roleLacking('editor')
    return { table: await getTable(catalog, actor, reference), tables: await tablesFor(catalog, actor) }
  },
  getAllTables: async () => {
    const actor = actorNow()
    if (!actor) throw unauthenticated()
    if (actor.token?.tables) throw allTablesNeeded()
    const tables = await tablesFor(catalog, actor)
    if (tables.isNarrowed) throw withReason(forbidden(translatable('Callers whose access is limited by rules may not run SQL.')), 'rule')
    return tables
  },
})

/** Access with the rights of the service. */
export const systemAccess = (catalog: Catalog): UnboundedAccess => systemAccessTo(() => catalog.current())

const systemAccessTo = (tablesNow: () => Promise<Tables>): UnboundedAccess => ({
  userId: null,
  canNameUsers: true,
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

/** When an access ends: `ending` aborts at the time limit of the call; `requireOpen` throws when the call is over. */
export type Lifetime = { ending: AbortSignal; requireOpen?: () => void; language: MessageLanguage }

/**
 * After the time limit or the end of the call, the access throws for everything new. Work that has begun may finish.
 */
export function limitToLifetime(access: UnboundedAccess, { ending, requireOpen, language }: Lifetime): DataAccess {
  const requireLasting = () => {
    ending.throwIfAborted()
    requireOpen?.()
  }
  return {
    get userId() {
      return access.userId
    },
    get canNameUsers() {
      return access.canNameUsers
    },
    language,
    getTable: async (table, doing) => {
      requireLasting()
      return access.getTable(table, doing)
    },
    getAllTables: async () => {
      requireLasting()
      return access.getAllTables()
    },
    pinned: async () => {
      requireLasting()
      return limitToLifetime(await access.pinned(), { ending, language, ...(requireOpen ? { requireOpen } : {}) })
    },
    ending,
  }
}
