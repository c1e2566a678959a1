import { Elysia } from 'elysia'
import { authHooks } from '../../auth/hooks'
import type { Deps } from '../../deps'
import { searchOf } from '../../http/address'
import { readAccept } from './media'
import { appliedPreferences, readPreferences } from './preferences'
import { contentRange, rangeStatus } from './range'
import { readRows } from './reads'
import { findRelation } from './relations'

/** PostgREST's contract: https://docs.postgrest.org/en/v12/references/api.html */
export const restRoutes = (deps: Deps) => {
  const { db, catalog } = deps
  return new Elysia({ name: 'records/rest/routes', prefix: '/rest/v1', tags: ['rest'] }).use(authHooks(deps)).get(
    '/:table',
    async ({ actor, params, request }) => {
      const { headers, method, url } = request
      const relation = await findRelation(catalog, actor, request, params.table)
      const preferences = readPreferences(headers.get('prefer'))
      const media = readAccept(headers.get('accept'))
      const range = method === 'GET' ? headers.get('range') : null
      const { body, length, offset, total } = await readRows(db, relation, {
        search: searchOf(url),
        range,
        media,
        count: preferences.count,
      })
      const applied = appliedPreferences(preferences, ['count', 'handling'])
      return new Response(body, {
        status: rangeStatus(offset, length, total),
        headers: {
          'content-type': media.contentType,
          'content-range': contentRange(offset, length, total),
          ...(applied ? { 'preference-applied': applied } : {}),
        },
      })
    },
    { signedIn: 'data' },
  )
}
