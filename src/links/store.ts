import { eq, getTableColumns, sql } from 'drizzle-orm'
import { hashSecret } from '../auth/secret'
import type { Db } from '../db/pool/open'
import { shareLinks } from '../db/schema/links'
import { users } from '../db/schema/tables'
import type { LinkedDocument, LinkState } from './model'

/** The state of a link, which decides whether it opens: the first that applies. Times are the database's. */
export const stateSql = sql<LinkState>`case
  when ${shareLinks.revokedAt} is not null then 'revoked'
  when ${shareLinks.expiresAt} <= now() then 'expired'
  when ${users.disabledAt} is not null then 'issuerDisabled'
  when ${shareLinks.tokenId} is not null and not exists (select from rowhouse.tokens t where t.id = ${shareLinks.tokenId}
    and t.user_id = ${shareLinks.userId} and (t.expires_at is null or t.expires_at > now())) then 'tokenEnded'
  when ${shareLinks.opens} >= ${shareLinks.maxOpens} then 'usedUp'
  else 'active' end`

export type StoredLink = Omit<typeof shareLinks.$inferSelect, 'document'> & { document: LinkedDocument | null; state: LinkState }

/** A link by the secret in its URL; null if there is none. Always one query, whatever the secret. */
export async function findLink(db: Db, secret: string): Promise<StoredLink | null> {
  const [row] = await db.orm
    .select({ ...getTableColumns(shareLinks), state: stateSql })
    .from(shareLinks)
    .innerJoin(users, eq(users.id, shareLinks.userId))
    .where(eq(shareLinks.secretHash, hashSecret(secret)))
  return row ? { ...row, document: row.document as LinkedDocument | null } : null
}

/**
 * Counts one opening, also when several instances count at the same time.
 * @returns false if the link has none left, or has ended meanwhile
 */
export async function countOpening(db: Db, linkId: string, address: string): Promise<boolean> {
  const statement = 'select rowhouse.open_link($1::uuid, $2::uuid, $3) as is_open'
  const [row] = await db.query<{ is_open: boolean }>(statement, [linkId, Bun.randomUUIDv7(), address])
  return row!.is_open
}

/** Ended links stay listed for a month. */
export async function pruneLinks(db: Db): Promise<void> {
  await db.query(`delete from rowhouse.share_links
    where revoked_at < now() - interval '30 days' or expires_at < now() - interval '30 days'`)
}
