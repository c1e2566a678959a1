import { unmeasured } from '../../db/arrays'
import { catalogVersion } from '../../db/catalog-version'
import { concat, equal, operator } from '../../db/search-path'
import { unavailable } from '../../errors'

/**
 * That a token's caller is still who they were when it was last looked up: one request's, which begins by it. The statement that reads or writes for
 * the request proves it too, and no answer leaves before it is proven (`auth/identity/verified-session.ts`, docs/decisions/007).
 */
export type CachedIdentity = {
  /** What the caller was made from: the token's hash, the versions of its row and of its user's, the version of the definitions of tables. */
  version: string
  state: 'pending' | 'verified' | Unverified
}

/** `undone`: something was not done because nothing proved the claim. `unknown`: whether it was done nobody knows, for the connection was lost. */
type Unverified = 'undone' | 'unknown'

/**
 * What cannot prove by itself who calls is not done for a caller who is only presumed: the request starts over, and they are looked up. The failure is thrown
 * away with the answer.
 * @throws Failure unavailable
 */
export function requireVerified(identity: CachedIdentity | undefined): void {
  if (!identity || identity.state === 'verified') return
  identity.state = 'undone'
  throw unavailable('Who calls is to be looked up first.')
}

const hashLength = 43

/** The claim of a token `t` of a user `u`, as SQL. */
export const identityVersionSql = ['t.secret_hash', 't.xmin::text', 'u.xmin::text', `${catalogVersion}::text`].join(
  ` ${concat} '.' ${concat} `,
)

/** Whether a token `t` of a user `u` opens anything now. Times are the database's. */
export const tokenValidSql = `(t.expires_at is null or t.expires_at ${operator('>')} now()) and u.disabled_at is null`

/** Whether the use of a token `t` is to be noted again. */
export const useStaleSql = `coalesce(t.last_used_at ${operator('<')} (now() ${operator('-')} interval '1 minute'), true)`

/** The text of a select with one more column, `proven`: whether each of the claims holds. @param versions a parameter: an array of texts */
export const withIdentityCheck = (select: string, versions: string): string =>
  select.replace(/^select /, () => `select ${identityCheckSql(versions)} as proven, `)

/**
 * Whether each of the claims holds, as SQL. A token whose use is to be noted is not proven, since that is for the look-up to do.
 * @param versions a parameter: an array of texts
 */
export const identityCheckSql = (
  versions: string,
) => `(select count(*) from pg_catalog.unnest(${unmeasured(versions)}) c join rowhouse.tokens t on t.secret_hash ${equal} pg_catalog.left(c, ${hashLength})
  join rowhouse.users u on u.id ${equal} t.user_id
  where c ${equal} (${identityVersionSql}) and ${tokenValidSql} and not ${useStaleSql}) ${equal} pg_catalog.cardinality(${versions})`
