import { and, desc, eq, sql } from 'drizzle-orm'
import type { Db, Tx } from '../../db/pool/open'
import { sessions, tokens, users } from '../../db/schema/tables'
import { conflict, forbidden, notFound, validationFailed } from '../../errors'
import { type Message, translatable } from '../../messages/message'
import { type AuditSource, recordChange } from '../audit/audit-log'
import { type Actor, type ActorToken, covers, invalidSession, invalidToken } from '../identity/actor'
import type { NewToken, Scope, Token } from '../model'
import { hashSecret, newSecret } from '../secret'
import { isTimestamp, notATimestamp } from '../timestamp'
import { readUserName } from './accounts'

/** SEC-46. */
const maxTokens = 100

/**
 * Resolves tables named by id or name to ids; passed in as a parameter, because the folder of tables ranks above this
 * one.
 * @throws Failure validation_failed
 */
export type TableIds = (actor: Actor, references: string[], path: string) => Promise<string[]>

const publicColumns = {
  id: tokens.id,
  name: tokens.name,
  scope: tokens.scope,
  tables: tokens.tables,
  expiresAt: tokens.expiresAt,
  createdAt: tokens.createdAt,
  lastUsedAt: tokens.lastUsedAt,
  lastUsedInUrlAt: tokens.lastUsedInUrlAt,
}

type StoredToken = { [K in keyof typeof publicColumns]: (typeof tokens.$inferSelect)[K] }

const toToken = (row: StoredToken): Token => ({
  ...row,
  expiresAt: row.expiresAt?.toISOString() ?? null,
  createdAt: row.createdAt.toISOString(),
  lastUsedAt: row.lastUsedAt?.toISOString() ?? null,
  lastUsedInUrlAt: row.lastUsedInUrlAt?.toISOString() ?? null,
})

/**
 * Creates a token. Only this response ever contains its value. A token that a token creates never has more rights or a
 * later expiry than its parent, and is revoked with it (SEC-47).
 * @throws Failure validation_failed (an expiry in the past), forbidden, conflict (too many tokens)
 */
export async function createToken(db: Db, actor: Actor, input: NewToken, source: AuditSource | null): Promise<Token & { token: string }> {
  const parent = actor.token
  const scope = input.scope ?? 'full'
  if (parent && !covers(parent.scope, scope)) throw forbidden(translatable('A token cannot create a token with more rights than its own.'))
  const owner: TokenOwner = {
    id: actor.user.id,
    parent,
    tooMany: translatable('You have {maxTokens} tokens already; revoke one that you no longer need.', { maxTokens }),
  }
  return issueToken(db, actor, owner, { ...input, scope }, source)
}

/**
 * Creates a service user's token for an administrator. It outlives the administrator and the token that made the
 * request.
 * @throws Failure not_found, conflict (the owner is a person, or has too many), validation_failed
 */
export async function createServiceToken(
  db: Db,
  actor: Actor,
  userId: string,
  input: NewToken,
  source: AuditSource,
): Promise<Token & { token: string }> {
  const [owner] = await db.orm.select({ kind: users.kind }).from(users).where(eq(users.id, userId))
  if (!owner) throw notFound(translatable('There is no such user.'))
  // A user's kind never changes.
  if (owner.kind !== 'service')
    throw conflict(translatable('People create their own API tokens. Administrators create only those of service users.'))
  const tooMany = translatable('This user has {maxTokens} tokens already; revoke one that is no longer needed.', { maxTokens })
  return issueToken(db, actor, { id: userId, tooMany }, { ...input, scope: input.scope ?? 'full' }, source)
}

type TokenOwner = { id: string; parent?: ActorToken; tooMany: Message }

async function issueToken(
  db: Db,
  actor: Actor,
  { id: userId, parent, tooMany }: TokenOwner,
  input: NewToken & { scope: Scope },
  source: AuditSource | null,
): Promise<Token & { token: string }> {
  const value = newSecret()
  const values = {
    id: Bun.randomUUIDv7(),
    secretHash: hashSecret(value),
    userId,
    parentId: parent?.id,
    name: readUserName(input.name),
    scope: input.scope,
    tables: input.tables,
    expiresAt: expiry(input.expiresAt, parent?.expiresAt ?? null),
  }
  const row = await db.orm.transaction(async (tx) => {
    // Locks the owner, so that concurrent calls count each other's tokens.
    const locked = await tx.execute(sql`select 1 from rowhouse.users where id = ${userId} for update`)
    // The caller's session or token may have ended since the lookup; a new token must not outlive it (SEC-47).
    if (!(await isStillValid(tx, actor))) throw actor.token ? invalidToken() : invalidSession()
    if (locked.length === 0) throw notFound(translatable('There is no such user.'))
    const count = await tx.$count(tokens, eq(tokens.userId, userId))
    if (count >= maxTokens) throw conflict(tooMany)
    const [created] = await tx.insert(tokens).values(values).returning(publicColumns)
    await recordChange(tx, source, 'token_created', values.id)
    return created!
  })
  return { ...toToken(row), token: value }
}

/**
 * Locks the row that it finds: a concurrent revocation either completes before this returns, or runs once the new token
 * exists.
 */
export async function isStillValid(tx: Tx, { token, sessionId }: Actor): Promise<boolean> {
  if (!token && sessionId === undefined) return true
  const found = token
    ? await tx.select({ id: tokens.id }).from(tokens).where(eq(tokens.id, token.id)).for('key share')
    : await tx.select({ id: sessions.id }).from(sessions).where(eq(sessions.id, sessionId!)).for('key share')
  return found.length === 1
}

function expiry(expiresAt: string | null | undefined, parentsText: string | null): Date | null {
  const limit = parentsText === null ? null : new Date(parentsText)
  if (expiresAt === undefined || expiresAt === null) return limit
  if (!isTimestamp(expiresAt)) throw validationFailed([{ path: '/expiresAt', message: notATimestamp }])
  const date = new Date(expiresAt)
  if (date.getTime() <= Date.now()) throw validationFailed([{ path: '/expiresAt', message: translatable('This time is in the past.') }])
  return limit && limit < date ? limit : date
}

export async function listTokens(db: Db, userId: string): Promise<Token[]> {
  const rows = await db.orm
    .select(publicColumns)
    .from(tokens)
    .where(eq(tokens.userId, userId))
    .orderBy(desc(tokens.createdAt), desc(tokens.id))
  return rows.map(toToken)
}

/** @throws Failure not_found for an unknown id or another user's token: the caller cannot tell them apart (SEC-44) */
export async function revokeToken(db: Db, userId: string, id: string, source: AuditSource): Promise<void> {
  await db.orm.transaction(async (tx) => {
    const revoked = await tx
      .delete(tokens)
      .where(and(eq(tokens.id, id), eq(tokens.userId, userId)))
      .returning({ id: tokens.id })
    if (revoked.length === 0) throw notFound(translatable('There is no such token.'))
    await recordChange(tx, source, 'token_revoked', id)
  })
}
