import { unmeasured } from '../../db/arrays'
import { catalogVersionSql } from '../../db/schema/catalog-version'
import { concat, equal, operator } from '../../db/search-path'
import { unavailable } from '../../errors'
import { translatable } from '../../messages/message'

/**
 * The identity of a token's caller as of the last lookup, used optimistically by one request. The statement that reads
 * or writes for the request also verifies it, and no response is sent before (`auth/identity/deferred-verification.ts`,
 * docs/decisions/007).
 */
export type CachedIdentity = {
  /** The identity version: the token's hash, the row versions of the token and its user, and the catalog version. */
  version: string
  userId: string
  state: 'pending' | 'verified' | Unverified
}

/**
 * `refused`: an operation was refused because the caller was not verified. `unknown`: the connection was lost, so the
 * outcome is unknown.
 */
type Unverified = 'refused' | 'unknown'

/**
 * Guards work whose statements do not verify the caller themselves. With an unverified caller the request starts over
 * with a lookup, and this failure is discarded with its response.
 * @throws Failure unavailable
 */
export function requireVerified(identity: CachedIdentity | undefined): void {
  if (!identity || identity.state === 'verified') return
  identity.state = 'refused'
  throw unavailable(translatable('The caller must be looked up first.'))
}

const hashLength = 43

/** The identity version of a token `t` of a user `u`, as SQL. */
export const identityVersionSql = ['t.secret_hash', 't.xmin::text', 'u.xmin::text', `${catalogVersionSql}::text`].join(
  ` ${concat} '.' ${concat} `,
)

/** SQL: whether a token `t` of a user `u` is valid now, by the database's clock. */
export const tokenValidSql = `(t.expires_at is null or t.expires_at ${operator('>')} now()) and u.disabled_at is null`

/** SQL: whether the time of last use of a token `t` must be recorded again. */
export const useStaleSql = `coalesce(t.last_used_at ${operator('<')} (now() ${operator('-')} interval '1 minute'), true)`

/**
 * Adds the column `verified` to a select: whether each identity version is current.
 * @param versions a parameter: an array of texts
 */
export const withIdentityCheck = (select: string, versions: string): string =>
  select.replace(/^select /, () => `select ${identityCheckSql(versions)} as verified, `)

/**
 * SQL: whether each of the identity versions is current. A token whose use must be recorded is not verified: the lookup
 * records it.
 * @param versions a parameter: an array of texts
 */
export const identityCheckSql = (
  versions: string,
) => `(select count(*) from pg_catalog.unnest(${unmeasured(versions)}) c join rowhouse.tokens t on t.secret_hash ${equal} pg_catalog.left(c, ${hashLength})
  join rowhouse.users u on u.id ${equal} t.user_id
  where c ${equal} (${identityVersionSql}) and ${tokenValidSql} and not ${useStaleSql}) ${equal} pg_catalog.cardinality(${versions})`
