import { arrayLiteral, unmeasured } from '../../db/arrays'
import { createBatcher } from '../../db/pool/batcher'
import type { Db } from '../../db/pool/open'
import { outsideOfScopes } from '../../db/pool/scope'
import { catalogVersionSql } from '../../db/schema/catalog-version'
import { timestampText } from '../../db/timestamp-text'
import type { Events } from '../../ops/log/events'
import type { Role, Scope, User } from '../model'
import type { ActorToken, Lookup } from './actor'
import { createIdentityCache } from './identity-cache'
import { identityVersionSql, tokenValidSql, useStaleSql } from './identity-check'

type UserRow = {
  user_id: string
  email: string
  user_name: string
  role: Role
  user_kind: User['kind']
  created_at: string
  last_login_at: string | null
}
type CommonRow = UserRow & { hash: string; id: string; catalog_version: string; is_stale: boolean }
type SessionRow = CommonRow & { viewer_id: string | null; viewer_name: string | null }
type KnownToken = { id: string; name: string; scope: Scope; tables: string | null; expires_at: string | null }
type TokenRow = CommonRow & KnownToken & { identity_version: string; is_url_stale: boolean }
type IssuerRow = UserRow & KnownToken & { catalog_version: string }

const userColumns = `u.id as user_id, u.email, u.name as user_name, u.role, u.kind as user_kind,
  ${timestampText('u.created_at')} as created_at, ${timestampText('u.last_login_at')} as last_login_at, ${catalogVersionSql} as catalog_version`

// An administrator may view the service as another user: the session then belongs to that user and is read-only.
const sessionsByHash = `select s.secret_hash as hash, s.id, s.last_seen_at < now() - interval '1 minute' as is_stale, ${userColumns},
  case when u.id <> o.id then o.id end as viewer_id, case when u.id <> o.id then o.name end as viewer_name
  from rowhouse.sessions s join rowhouse.users o on o.id = s.user_id
  left join rowhouse.users v on v.id = s.viewed_user_id and v.disabled_at is null and o.role = 'admin'
  join rowhouse.users u on u.id = coalesce(v.id, o.id)
  where s.secret_hash = any(${unmeasured('$1::text[]')}::text[]) and s.expires_at > now() and o.disabled_at is null
  and ($2::float8 = 0 or s.last_seen_at > now() - pg_catalog.make_interval(secs => $2::float8))`

const tokensByHash = `select t.secret_hash as hash, t.id, t.name, t.scope, t.tables::text as tables, ${timestampText('t.expires_at')} as expires_at,
  ${identityVersionSql} as identity_version, ${useStaleSql} as is_stale,
  coalesce(t.last_used_in_url_at < now() - interval '1 minute', true) as is_url_stale, ${userColumns}
  from rowhouse.tokens t join rowhouse.users u on u.id = t.user_id
  where t.secret_hash = any(${unmeasured('$1::text[]')}::text[]) and ${tokenValidSql}`

const userById = `select ${userColumns} from rowhouse.users u where u.id = $1::uuid and u.disabled_at is null`

const tokenById = `select t.id, t.name, t.scope, t.tables::text as tables, ${timestampText('t.expires_at')} as expires_at, ${userColumns}
  from rowhouse.tokens t join rowhouse.users u on u.id = t.user_id
  where u.id = $1::uuid and t.id = $2::uuid and ${tokenValidSql}`

// UPDATE only: a request that races with a logout must not recreate the row (SEC-31).
const touchSession = `update rowhouse.sessions set last_seen_at = now() where id = $1::uuid and last_seen_at < now() - interval '1 minute'`
const touchToken = `update rowhouse.tokens set last_used_at = now(),
  last_used_in_url_at = case when $2::boolean then now() else last_used_in_url_at end
  where id = $1::uuid and (coalesce(last_used_at < now() - interval '1 minute', true)
    or ($2::boolean and coalesce(last_used_in_url_at < now() - interval '1 minute', true)))`

/** @param idleLimitMs a session that is unused for this long ends; 0 means never */
export function createLookup(db: Db, events: Events, idleLimitMs: number): Lookup {
  const load =
    <Row extends CommonRow>(statement: string, more: string[]) =>
    async (hashes: string[]): Promise<(Row | undefined)[]> => {
      const rows = await db.query<Row>(statement, [arrayLiteral([...new Set(hashes)]), ...more])
      const byHash = new Map(rows.map((row) => [row.hash, row]))
      return hashes.map((hash) => byHash.get(hash))
    }
  const sessionBy = createBatcher(load<SessionRow>(sessionsByHash, [String(idleLimitMs / 1000)]))
  const tokenBy = createBatcher(load<TokenRow>(tokensByHash, []))

  const identityCache = createIdentityCache()

  /** At most once a minute, not awaited, and a failure does not fail the request (SEC-46). */
  const touching = new Set<string>()
  const touch = (task: string, statement: string, parameters: string[]) => {
    const key = parameters.join(' ')
    if (touching.has(key)) return
    touching.add(key)
    outsideOfScopes(() => db.query(statement, parameters))
      .catch((error) => events.emit({ kind: 'background_failed', task, error }))
      .finally(() => touching.delete(key))
  }

  return {
    session: async (hash, isBackground) => {
      const row = await sessionBy(hash)
      if (!row) return null
      if (row.is_stale && !isBackground) touch('session last seen', touchSession, [row.id])
      return {
        ...{ user: userOf(row), via: 'cookie', sessionId: row.id, catalogVersion: Number(row.catalog_version) },
        ...(row.viewer_id === null ? {} : { viewedBy: { id: row.viewer_id, name: row.viewer_name! } }),
      }
    },
    token: async (hash, from) => {
      const row = await tokenBy(hash)
      const found = row && {
        actor: { user: userOf(row), token: tokenOf(row), catalogVersion: Number(row.catalog_version) },
        identityVersion: row.identity_version,
      }
      // A token whose use must be recorded cannot be verified by a statement.
      identityCache.note(hash, found && !row.is_stale ? found : null)
      if (!found) return null
      const isInUrl = from === 'query'
      if (row.is_stale || (isInUrl && row.is_url_stale)) touch('token last used', touchToken, [row.id, String(isInUrl)])
      return found
    },
    findCached: identityCache.find,
    issuer: async (userId, tokenId) => {
      const [row] =
        tokenId === null ? await db.query<IssuerRow>(userById, [userId]) : await db.query<IssuerRow>(tokenById, [userId, tokenId])
      if (!row) return null
      const identified = { user: userOf(row), catalogVersion: Number(row.catalog_version) }
      return tokenId === null ? { ...identified, via: 'cookie' } : { ...identified, via: 'bearer', token: tokenOf(row) }
    },
  }
}

const userOf = (row: UserRow) => ({
  id: row.user_id,
  email: row.email,
  name: row.user_name,
  role: row.role,
  kind: row.user_kind,
  disabled: false,
  createdAt: row.created_at,
  lastLoginAt: row.last_login_at,
})

const tokenOf = (row: KnownToken): ActorToken => ({
  id: row.id,
  name: row.name,
  scope: row.scope,
  tables: row.tables === null ? null : row.tables.slice(1, -1).split(',').filter(Boolean),
  expiresAt: row.expires_at,
})
