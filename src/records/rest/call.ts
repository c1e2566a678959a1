import type { Actor } from '../../auth/actor'
import type { Deps } from '../../deps'
import { searchOf } from '../../http/address'
import { type Media, readAccept } from './media'
import { type Preferences, readPreferences } from './preferences'
import { findRelation, type Relation } from './relations'

/** What a request asks for, before its query and its body are read. `userId` is who asks. */
export type Call = Relation & {
  method: string
  search: string
  range: string | null
  preferences: Preferences
  media: Media
  userId: string
}

/** @throws RestFailure, Failure insufficient_scope */
export async function readCall({ catalog }: Pick<Deps, 'catalog'>, actor: Actor, request: Request, name: string): Promise<Call> {
  const { headers, method, url } = request
  return {
    ...(await findRelation(catalog, actor, request, name)),
    method,
    search: searchOf(url),
    range: method === 'GET' ? headers.get('range') : null,
    preferences: readPreferences(headers.get('prefer')),
    media: readAccept(headers.get('accept')),
    userId: actor.user.id,
  }
}
