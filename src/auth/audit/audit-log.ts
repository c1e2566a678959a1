import { and, desc, eq, gte, lt, sql } from 'drizzle-orm'
import { t } from 'elysia'
import type { Db, Tx } from '../../db/pool/open'
import { audit } from '../../db/schema/tables'
import { Failure } from '../../errors'
import { infoOf } from '../../http/request/request-info'
import { translatable } from '../../messages/message'
import type { Actor } from '../identity/actor'
import { networkOf } from '../network'
import { isTimestamp, notATimestamp } from '../timestamp'

/** The closed list of recorded events (SEC-70). Public: `GET /api/v1/audit?kind=…` filters by these values. */
export const auditKinds = [
  'setup',
  'login',
  'logout',
  'password_changed',
  'session_revoked',
  'token_created',
  'token_revoked',
  'user_created',
  'user_changed',
  'user_deleted',
  'user_reset',
  'invite_accepted',
  'group_created',
  'group_changed',
  'group_deleted',
  'csrf_rejected',
  'backup_requested',
  'backup_downloaded',
  'backup_held',
  'backup_released',
  'database_moved',
  'access_changed',
  'view_began',
  'view_ended',
  'link_created',
  'link_opened',
  'link_revoked',
  'form_created',
  'form_changed',
  'form_deleted',
  'history_on',
  'history_off',
  'import_undone',
] as const
export type AuditKind = (typeof auditKinds)[number]

const AuditKindSchema = t.Unsafe<AuditKind>(t.Union(auditKinds.map((kind) => t.Literal(kind))))
const AuditResult = t.Union([t.Literal('ok'), t.Literal('failed'), t.Literal('throttled'), t.Literal('refused')])
const AuditCredential = t.Union([t.Literal('cookie'), t.Literal('bearer'), t.Literal('query'), t.Literal('none'), t.Literal('command')])

const maxMembersNamed = 100

const Members = t.Array(t.String({ format: 'uuid' }), { description: `Ids of users; the first ${maxMembersNamed}.` })
const MemberChange = t.Object(
  { added: Members, removed: Members, addedCount: t.Integer(), removedCount: t.Integer() },
  { description: 'Members who were added to a group and removed from it.' },
)
type MemberChange = typeof MemberChange.static

/**
 * One recorded event. `credentialId` is the id of the session or token, never the secret; `subjectId` is its target.
 */
export const AuditEntry = t.Object({
  id: t.String({ format: 'uuid' }),
  at: t.String({ format: 'date-time' }),
  kind: AuditKindSchema,
  result: AuditResult,
  actorId: t.Nullable(t.String({ format: 'uuid' })),
  credential: AuditCredential,
  credentialId: t.Nullable(t.String({ format: 'uuid' })),
  subjectId: t.Nullable(t.String({ format: 'uuid' })),
  address: t.String(),
  members: t.Optional(MemberChange),
  count: t.Integer({ description: 'The number of times. Failed attempts of the same kind within an hour share one entry.' }),
  lastAt: t.String({ format: 'date-time', description: 'The last time; `at` is the first.' }),
})
export type AuditEntry = typeof AuditEntry.static

export type NewAuditEntry = Pick<AuditEntry, 'kind' | 'result' | 'credential' | 'address'> &
  Partial<Pick<AuditEntry, 'actorId' | 'credentialId' | 'subjectId'>>

export const AuditFilter = t.Object(
  {
    actor: t.Optional(t.String({ format: 'uuid', description: 'Id of the user who did it.' })),
    kind: t.Optional(AuditKindSchema),
    from: t.Optional(t.String({ format: 'date-time', description: 'This time or later.' })),
    to: t.Optional(t.String({ format: 'date-time', description: 'Before this time.' })),
    limit: t.Optional(t.Integer({ minimum: 1, maximum: 1000, description: 'Entries in the answer (default 100).' })),
    cursor: t.Optional(t.String({ format: 'uuid', description: 'The nextCursor of the previous page.' })),
  },
  { additionalProperties: false },
)
export type AuditFilter = typeof AuditFilter.static

/** The types of the parameters of `rowhouse.record_audit`. */
const parameterTypes = ['uuid', 'text', 'text', 'uuid', 'text', 'uuid', 'uuid', 'text', 'text']

/** The call of `rowhouse.record_audit`, with the nine parameters of `auditValues` starting at number `first`. */
export const auditCall = (first: number): string =>
  `rowhouse.record_audit(${parameterTypes.map((type, index) => `$${first + index}::${type}`).join(', ')})`

/** The database sets the time; the id is a UUIDv7, so that entries sort by time. */
export const auditValues = ({ kind, result, actorId, credential, credentialId, subjectId, address }: NewAuditEntry): (string | null)[] => [
  Bun.randomUUIDv7(),
  kind,
  result,
  actorId ?? null,
  credential,
  credentialId ?? null,
  subjectId ?? null,
  address,
  networkOf(address),
]

const recordStatement = `select ${auditCall(1)}`

/** Writes one entry. A failed attempt raises the count of this hour's entry for the same attempt, if there is one. */
export async function recordAudit({ query }: Pick<Db, 'query'>, entry: NewAuditEntry): Promise<void> {
  await query(recordStatement, auditValues(entry))
}

/** The actor of an event, and where they acted from. */
export type AuditSource = Pick<NewAuditEntry, 'actorId' | 'credential' | 'credentialId' | 'address'>

/** The operator, on the command line. */
export const commandSource: AuditSource = { credential: 'command', address: '' }

/**
 * Writes an entry in the transaction of the change that it reports, so that both are committed or neither is.
 * @param source null if no caller requested the change, as in a test of plugins: such a change has no entry
 */
export async function recordChange(tx: Tx, source: AuditSource | null, kind: AuditKind, subjectId?: string): Promise<void> {
  if (source) await recordInside(tx, source, kind, subjectId)
}

/** Like `recordChange`, with the users added to a group and removed from it. */
export async function recordMembers(
  tx: Tx,
  source: AuditSource,
  kind: AuditKind,
  groupId: string,
  { added, removed }: { added: readonly string[]; removed: readonly string[] },
): Promise<void> {
  const id = await recordInside(tx, source, kind, groupId)
  if (added.length + removed.length === 0) return
  const [addedNamed, removedNamed] = [added, removed].map((ids) => [...ids].sort().slice(0, maxMembersNamed)) as [string[], string[]]
  const members: MemberChange = { added: addedNamed, removed: removedNamed, addedCount: added.length, removedCount: removed.length }
  await tx.update(audit).set({ members }).where(eq(audit.id, id))
}

/** @returns the id of the entry */
async function recordInside(tx: Tx, source: AuditSource, kind: AuditKind, subjectId?: string): Promise<string> {
  const values = auditValues({ ...source, kind, result: 'ok', subjectId })
  const parameters = values.map((value, index) => sql`${value}::${sql.raw(parameterTypes[index]!)}`)
  await tx.execute(sql`select rowhouse.record_audit(${sql.join(parameters, sql`, `)})`)
  return values[0]!
}

const wrongSecrets = ['invalid_credentials', 'wrong_password', 'setup_code_required']

/**
 * The result of an attempt that threw an error: `refused` is any error except a throttled attempt or a wrong secret.
 */
export function toAuditResult(error: unknown): 'failed' | 'throttled' | 'refused' {
  const kind = error instanceof Failure ? error.kind : 'internal'
  if (kind === 'too_many_requests') return 'throttled'
  return wrongSecrets.includes(kind) ? 'failed' : 'refused'
}

/** A page, newest first. @throws Failure invalid_request for a time that does not exist */
export async function listAudit(db: Db, filter: AuditFilter): Promise<{ entries: AuditEntry[]; nextCursor: string | null }> {
  const limit = filter.limit ?? 100
  const rows = await db.orm
    .select()
    .from(audit)
    .where(
      and(
        filter.actor ? eq(audit.actorId, filter.actor) : undefined,
        filter.kind ? eq(audit.kind, filter.kind) : undefined,
        filter.from ? gte(sql`coalesce(${audit.lastAt}, ${audit.at})`, readTime('from', filter.from).toISOString()) : undefined,
        filter.to ? lt(audit.at, readTime('to', filter.to)) : undefined,
        filter.cursor ? lt(audit.id, filter.cursor) : undefined,
      ),
    )
    .orderBy(desc(audit.id))
    .limit(limit + 1)
  const entries = rows.slice(0, limit).map(({ foldedHour: _, foldKey: __, members, ...row }): AuditEntry => {
    const lastAt = row.lastAt ?? row.at
    const ofGroup = members ? { members: members as MemberChange } : {}
    return { ...row, ...ofGroup, kind: row.kind as AuditKind, at: row.at.toISOString(), lastAt: lastAt.toISOString() }
  })
  return { entries, nextCursor: rows.length > limit ? entries.at(-1)!.id : null }
}

function readTime(path: string, text: string): Date {
  if (isTimestamp(text)) return new Date(text)
  throw new Failure('invalid_request', translatable('A query parameter cannot be read.'), { errors: [{ path, message: notATimestamp }] })
}

/** Deletes entries older than `days`, the setting ROWHOUSE_AUDIT_RETENTION_DAYS. */
export async function pruneAudit(db: Db, days: number): Promise<void> {
  await db.orm.delete(audit).where(lt(audit.at, sql`now() - pg_catalog.make_interval(days => ${days})`))
}

/**
 * The source of an action: the IP and, if known, the caller. During a view as another user, the administrator acts.
 * Holds no secret.
 */
export const auditSourceOf = (request: Request, actor?: Actor): AuditSource => ({
  address: infoOf(request).address,
  credential: actor?.via ?? 'none',
  actorId: actor?.viewedBy?.id ?? actor?.user.id,
  credentialId: actor?.token?.id ?? actor?.sessionId,
})
