import { and, desc, eq, getTableColumns, inArray, isNull, lt, or, sql } from 'drizzle-orm'
import { isStillValid } from '../auth/accounts/tokens'
import { type AuditSource, recordChange } from '../auth/audit/audit-log'
import { type Actor, invalidSession, invalidToken } from '../auth/identity/actor'
import { hashSecret, newSecret } from '../auth/secret'
import { lockKeys } from '../db/lock-keys'
import type { Db, Tx } from '../db/pool/open'
import { shareLinks } from '../db/schema/links'
import { users } from '../db/schema/tables'
import { conflict, notFound } from '../errors'
import { translatable } from '../messages/message'
import type { Tables } from '../tables/catalog/catalog'
import { readCatalogVersion } from '../tables/catalog/table-in-transaction'
import { type LinkedDocument, type LinkSubject, maxLinks, type ShareLink } from './model'
import { type StoredLink, stateSql } from './store'

/** How long, how often and with what password a link opens. */
export type LinkTerms = { expiresAt: Date | null; maxOpens: number | null; passwordHash: string | null }

/** `lastChange` is the last change of the record's key (`StoredLink`). */
export type ResolvedSubject = LinkSubject & Pick<StoredLink, 'lastChange'>

/**
 * Creates a link. Only this response ever contains its secret.
 * @param version of the tables whose names the query contains
 * @returns null if the tables have changed, so that the names may mean something else
 * @throws Failure conflict (too many), invalid_token or invalid_session if the caller's has ended meanwhile
 */
export function createLink(
  db: Db,
  actor: Actor,
  { subject, version }: { subject: ResolvedSubject; version: number },
  terms: LinkTerms,
  source: AuditSource,
): Promise<{ secret: string; link: StoredLink } | null> {
  const secret = newSecret()
  const values = { id: Bun.randomUUIDv7(), secretHash: hashSecret(secret), userId: actor.user.id, tokenId: actor.token?.id ?? null }
  return db.orm.transaction(async (tx) => {
    // Locks the owner, so that parallel calls count each other's links.
    await tx.execute(sql`select 1 from rowhouse.users where id = ${actor.user.id} for update`)
    if (!(await isStillValid(tx, actor))) throw actor.token ? invalidToken() : invalidSession()
    if (subject.query !== null && !(await hasPresentNames(tx, version))) return null
    await makeRoom(tx, actor.user.id)
    await tx.insert(shareLinks).values({ ...values, ...subject, ...terms })
    const [link] = await selectLinks(tx).where(eq(shareLinks.id, values.id))
    await recordChange(tx, source, 'link_created', values.id)
    return { secret, link: toStored(link!) }
  })
}

/** Renames wait until the transaction ends. It does not lock the version itself: a large import does so for minutes. */
async function hasPresentNames(tx: Tx, version: number): Promise<boolean> {
  await tx.execute(sql`set local lock_timeout = '5s'`)
  await tx.execute(sql`select pg_catalog.pg_advisory_xact_lock_shared(${lockKeys.linkQueries})`)
  return (await readCatalogVersion(tx)) === version
}

/** Deletes the oldest ended links. @throws Failure conflict */
async function makeRoom(tx: Tx, userId: string): Promise<void> {
  const own = eq(shareLinks.userId, userId)
  if ((await tx.$count(shareLinks, own)) < maxLinks) return
  const ended = tx
    .select({ id: shareLinks.id })
    .from(shareLinks)
    .innerJoin(users, eq(users.id, shareLinks.userId))
    .where(and(own, sql`${stateSql} in ('revoked', 'expired', 'usedUp', 'tokenEnded')`))
    .orderBy(shareLinks.id)
    .limit(1)
  const gone = await tx.delete(shareLinks).where(inArray(shareLinks.id, ended)).returning({ id: shareLinks.id })
  if (gone.length === 0)
    throw conflict(translatable('You have {maxLinks} links already; revoke one that you no longer need.', { maxLinks }))
}

const selectLinks = (db: Db['orm'] | Tx) =>
  db
    .select({ ...getTableColumns(shareLinks), state: stateSql })
    .from(shareLinks)
    .innerJoin(users, eq(users.id, shareLinks.userId))
    .$dynamic()

type SelectedLink = Omit<StoredLink, 'document'> & { document: unknown }

const toStored = (row: SelectedLink): StoredLink => ({ ...row, document: row.document as LinkedDocument | null })

/** The links that the caller's token reaches: those to its tables, and its own, which may have no table. */
const reachedBy = ({ token }: Pick<Actor, 'token'>) =>
  token?.tables ? or(inArray(shareLinks.tableId, token.tables), eq(shareLinks.tokenId, token.id)) : undefined

/** Selects links: of one user or of all, to one table or record, after a given link. */
export type LinkQuery = {
  userId: string | null
  /** A restricted one lists the links that it reaches. */
  token: Actor['token']
  tableId: string | null
  recordKey: string | null
  limit: number
  cursor: string | null
}

/** A page, newest first. */
export async function listLinks(db: Db, query: LinkQuery): Promise<{ links: StoredLink[]; nextCursor: string | null }> {
  const rows = await selectLinks(db.orm)
    .where(
      and(
        query.userId === null ? undefined : eq(shareLinks.userId, query.userId),
        reachedBy(query),
        query.tableId === null ? undefined : eq(shareLinks.tableId, query.tableId),
        query.recordKey === null ? undefined : eq(shareLinks.recordKey, query.recordKey),
        query.cursor === null ? undefined : lt(shareLinks.id, query.cursor),
      ),
    )
    .orderBy(desc(shareLinks.id))
    .limit(query.limit + 1)
  const links = rows.slice(0, query.limit).map(toStored)
  return { links, nextCursor: rows.length > query.limit ? links.at(-1)!.id : null }
}

/**
 * Ends a link from the very next request on, on every instance.
 * @param isEverybodys whether links of other users may also be ended
 * @throws Failure not_found for an unknown id, an ended link, or another user's
 */
export async function revokeLink(db: Db, actor: Actor, id: string, isEverybodys: boolean, source: AuditSource): Promise<void> {
  const reach = reachedBy(actor)
  const isMine = eq(shareLinks.userId, actor.user.id)
  await db.orm.transaction(async (tx) => {
    const revoked = await tx
      .update(shareLinks)
      .set({ revokedAt: sql`now()` })
      .where(and(eq(shareLinks.id, id), isEverybodys ? undefined : isMine, reach, sql`${shareLinks.revokedAt} is null`))
      .returning({ id: shareLinks.id })
    if (revoked.length === 0) throw notFound(translatable('There is no such link.'))
    await recordChange(tx, source, 'link_revoked', id)
  })
}

/** The source of the service's own actions. */
const ownSource: AuditSource = { credential: 'none', address: '' }

/** Ends a link whose record is gone. */
export async function endLink(db: Db, id: string): Promise<void> {
  await db.orm.transaction(async (tx) => {
    const isOpen = and(eq(shareLinks.id, id), isNull(shareLinks.revokedAt))
    const ended = await tx.update(shareLinks).set({ revokedAt: sql`now()` }).where(isOpen).returning({ id: shareLinks.id })
    if (ended.length > 0) await recordChange(tx, ownSource, 'link_revoked', id)
  })
}

/** Remembers up to which change the record of a link is known to have its key. */
export async function rememberChange(db: Db, id: string, change: bigint): Promise<void> {
  const isEarlier = or(isNull(shareLinks.lastChange), lt(shareLinks.lastChange, change))
  await db.orm
    .update(shareLinks)
    .set({ lastChange: change })
    .where(and(eq(shareLinks.id, id), isEarlier))
}

/** A link as its owner sees it. */
export const toShareLink = (link: StoredLink, tables: Tables): ShareLink => ({
  id: link.id,
  kind: link.kind,
  table: (link.tableId !== null && tables.byId.get(link.tableId)?.name) || null,
  tableId: link.tableId,
  pk: link.recordKey,
  column: link.columnId,
  fileId: link.fileId,
  document: link.document,
  query: link.query,
  state: link.state,
  expiresAt: link.expiresAt?.toISOString() ?? null,
  hasPassword: link.passwordHash !== null,
  maxOpens: link.maxOpens,
  opens: link.opens,
  lastOpenedAt: link.lastOpenedAt?.toISOString() ?? null,
  createdAt: link.createdAt.toISOString(),
  userId: link.userId,
  tokenId: link.tokenId,
})
