import { and, desc, eq, lt, sql } from 'drizzle-orm'
import { t } from 'elysia'
import type { Db } from '../../db/pool/open'
import { refusals } from '../../db/schema/refusals'
import { notFound } from '../../errors'
import { translatable } from '../../messages/message'
import { type Actor, isAtLeast } from '../identity/actor'
import { refusalReasons } from '../refusal-reason'

const Time = t.String({ format: 'date-time' })

export const TokenRefusal = t.Object({
  id: t.String({ format: 'uuid' }),
  at: Time,
  lastAt: t.String({ format: 'date-time', description: 'The last time; `at` is the first.' }),
  count: t.Integer({ description: 'The number of requests. Requests that are refused alike within a minute share one entry.' }),
  requestIds: t.Array(t.String(), { description: 'The last 100 requests, newest first.' }),
  method: t.String(),
  route: t.Nullable(t.String({ description: 'The pattern of the route, such as /api/v1/tables/:tableId/records.' })),
  status: t.Integer({ description: '401 or 403.' }),
  code: t.Nullable(t.String({ description: 'The `code` in the response; null if a plugin wrote the response.' })),
  reason: t.String({ description: `One of ${refusalReasons.join(', ')}, or the code.` }),
  detail: t.Nullable(t.String({ description: 'The table, the role or the group that the reason is about.' })),
})
export type TokenRefusal = typeof TokenRefusal.static

export const RefusalPage = t.Object({ refusals: t.Array(TokenRefusal), nextCursor: t.Nullable(t.String()) })

export const RefusalFilter = t.Object(
  {
    limit: t.Optional(t.Integer({ minimum: 1, maximum: 1000, description: 'Entries in the answer (default 100).' })),
    cursor: t.Optional(t.String({ format: 'uuid', description: 'The nextCursor of the previous page.' })),
  },
  { additionalProperties: false },
)

const ownersOf = {
  token: sql`select id, user_id from rowhouse.tokens union all select token_id, user_id from rowhouse.revoked_tokens`,
  session: sql`select id, user_id from rowhouse.sessions`,
}

/**
 * A page, newest first, for the caller's own credentials; an administrator reads those of all users.
 * @throws Failure not_found for an unknown id or another user's credential
 */
export async function listRefusals(
  db: Db,
  actor: Actor,
  kind: 'token' | 'session',
  id: string,
  { limit = 100, cursor }: typeof RefusalFilter.static,
): Promise<typeof RefusalPage.static> {
  const isAdmin = isAtLeast(actor.user.role, 'admin')
  const owned = await db.orm.execute(
    sql`select 1 from (${ownersOf[kind]}) c where c.id = ${id} and (${isAdmin} or c.user_id = ${actor.user.id})`,
  )
  if (owned.length === 0)
    throw notFound(kind === 'token' ? translatable('There is no such token.') : translatable('You have no such session.'))
  const rows = await db.orm
    .select()
    .from(refusals)
    .where(and(eq(refusals.credentialId, id), cursor ? lt(refusals.id, cursor) : undefined))
    .orderBy(desc(refusals.id))
    .limit(limit + 1)
  const page = rows.slice(0, limit).map(({ userId: _, credentialId: __, minute: ___, foldKey: ____, ...row }) => ({
    ...row,
    at: row.at.toISOString(),
    lastAt: row.lastAt.toISOString(),
  }))
  return { refusals: page, nextCursor: rows.length > limit ? page.at(-1)!.id : null }
}
