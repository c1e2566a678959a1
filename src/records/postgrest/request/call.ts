import type { Actor } from '../../../auth/identity/actor'
import type { CachedIdentity } from '../../../auth/identity/identity-check'
import { searchOf } from '../../../http/request/url'
import type { Catalog, Tables } from '../../../tables/catalog/catalog'
import type { Table } from '../../../tables/model'
import { findRestTable } from './find-table'
import { type Media, readAccept } from './media'
import { type Preferences, readPreferences } from './preferences'
import { readProfile } from './profile'

/**
 * The parts of a request that are read before its query and its body. `userId` is the caller; `tables` are those that
 * they may access.
 */
export type Call = {
  tables: Tables
  schema: string
  method: string
  search: string
  range: string | null
  preferences: Preferences
  media: Media
  userId: string
  /** A cached identity, which the read or write verifies. */
  identity: CachedIdentity | undefined
}

export type TableCall = Call & { table: Table }

/** @throws RestFailure PGRST106, PGRST107, PGRST122 */
export function readCall(tables: Tables, actor: Actor, request: Request): Call {
  const { headers, method, url } = request
  return {
    tables,
    schema: readProfile(request, tables.schemas),
    method,
    search: searchOf(url),
    range: method === 'GET' ? headers.get('range') : null,
    preferences: readPreferences(headers.get('prefer')),
    media: readAccept(headers.get('accept')),
    userId: actor.user.id,
    identity: actor.cachedIdentity,
  }
}

/** @throws RestFailure like `readCall`, and PGRST205; Failure insufficient_scope */
export async function readTableCall(catalog: Catalog, tables: Tables, actor: Actor, request: Request, name: string): Promise<TableCall> {
  const call = readCall(tables, actor, request)
  return { ...call, table: await findRestTable(catalog, actor, tables, call.schema, name) }
}
