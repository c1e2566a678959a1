import { arrayLiteral } from '../../db/arrays'
import type { Db } from '../../db/pool/open'
import { outsideOfScopes } from '../../db/pool/scope'
import type { Event, Events } from '../../ops/log/events'
import { foldKeyOf, maxRequestIds, type PendingRefusal, PendingRefusals } from './pending'

/**
 * Records why requests were rejected, for the owners of the credentials (SEC-75). Nothing is looked up or written
 * before the response: rejections are collected in memory and written together once a second.
 */
export type Refusals = {
  /** Writes pending rejections; never throws. */
  flush: () => Promise<void>
}

const flushEveryMs = 1000
const warnEveryMs = 3_600_000
/** The maximum per credential. */
const maxKept = 1000

export function createRefusals(db: Db, events: Events): Refusals {
  // Strangers with invented secrets must leave room for known credentials.
  const [verified, unproven] = [new PendingRefusals(), new PendingRefusals()]
  let timer: Timer | null = null
  let lastFlush = Promise.resolve()
  let warnedAt = Number.NEGATIVE_INFINITY

  const note = (event: RequestDone) => {
    const { credential, refusal, route } = event.details
    if (!credential) return
    const { requestId, method, status } = event
    const { code, reason, detail } = refusal ?? { code: null, reason: 'endpoint', detail: null }
    const to = credential.id === undefined ? unproven : verified
    to.add({ credential, requestId, method, route, status, code, reason, detail }, Date.now())
    timer ??= setTimeout(() => void flush(), flushEveryMs).unref()
  }
  const warnOfDropped = () => {
    const dropped = verified.dropped + unproven.dropped
    if (dropped === 0 || performance.now() - warnedAt < warnEveryMs) return
    warnedAt = performance.now()
    verified.dropped = 0
    unproven.dropped = 0
    events.emit({ kind: 'warning', message: `The reasons of ${dropped} refused requests were not recorded: there were too many at once.` })
  }
  const flush = () => {
    if (timer) clearTimeout(timer)
    timer = null
    warnOfDropped()
    if (verified.size + unproven.size > 0) {
      const [proven, others] = [verified.takeAll(), unproven.takeAll()]
      lastFlush = lastFlush
        .then(() => outsideOfScopes(() => writeAll(db, proven, others)))
        .catch((error) => events.emit({ kind: 'background_failed', task: 'keeping refusals', error }))
    }
    return lastFlush
  }

  events.subscribe((event) => {
    if (event.kind === 'request_done' && (event.status === 401 || event.status === 403)) note(event)
  })
  return { flush }
}

type RequestDone = Extract<Event, { kind: 'request_done' }>
type Owner = { id: string; userId: string }

async function writeAll(db: Db, proven: PendingRefusal[], unproven: PendingRefusal[]): Promise<void> {
  const owners = unproven.length > 0 ? await findOwners(db, unproven) : new Map<string, OwnerRow>()
  const rows = [
    ...proven.map((pending) => toRow(pending, pending.credential as Owner)),
    ...unproven.flatMap((pending) => {
      const owner = owners.get(ownerKey(pending.credential.kind, pending.credential.secretHash!))
      return owner ? [toRow({ ...pending, reason: owner.reason ?? pending.reason }, { id: owner.id, userId: owner.user_id })] : []
    }),
  ]
  if (rows.length === 0) return
  await db.query(insertStatement, [JSON.stringify(rows), arrayLiteral([...new Set(rows.map(({ user_id }) => user_id))])])
  await db.query(trimStatement, [arrayLiteral([...new Set(rows.map(({ credential_id }) => credential_id))])])
}

const toRow = (pending: PendingRefusal, { id, userId }: Owner) => ({
  id: Bun.randomUUIDv7(),
  user_id: userId,
  credential_id: id,
  minute: new Date(pending.minute).toISOString(),
  fold_key: foldKeyOf(pending),
  method: pending.method,
  route: pending.route,
  status: pending.status,
  code: pending.code,
  reason: pending.reason,
  detail: pending.detail,
  at: new Date(pending.at).toISOString(),
  last_at: new Date(pending.lastAt).toISOString(),
  count: pending.count,
  request_ids: pending.requestIds,
})

type OwnerRow = { kind: 'token' | 'session'; hash: string; id: string; user_id: string; reason: string | null }

const ownerKey = (kind: string, hash: string) => `${kind} ${hash}`

async function findOwners(db: Db, unproven: PendingRefusal[]): Promise<Map<string, OwnerRow>> {
  const hashes = arrayLiteral([...new Set(unproven.map(({ credential }) => credential.secretHash!))])
  const rows = await db.query<OwnerRow>(ownersByHash, [hashes])
  return new Map(rows.map((row) => [ownerKey(row.kind, row.hash), row]))
}

const ownersByHash = `select 'token' as kind, t.secret_hash as hash, t.id, t.user_id,
    case when u.disabled_at is not null then 'owner_disabled' when t.expires_at <= now() then 'token_expired' end as reason
  from rowhouse.tokens t join rowhouse.users u on u.id = t.user_id where t.secret_hash = any($1::pg_catalog.text[])
  union all select 'token', r.secret_hash, r.token_id, r.user_id, 'token_revoked'
  from rowhouse.revoked_tokens r where r.secret_hash = any($1::pg_catalog.text[])
  union all select 'session', s.secret_hash, s.id, s.user_id, case when u.disabled_at is not null then 'owner_disabled' else 'session_expired' end
  from rowhouse.sessions s join rowhouse.users u on u.id = s.user_id where s.secret_hash = any($1::pg_catalog.text[])`

// Locked in the same order on every instance; users who are being deleted are skipped.
const insertStatement = `with owners as materialized (select id from rowhouse.users where id = any($2::pg_catalog.uuid[]) order by id for key share)
  insert into rowhouse.refusals as kept (id, user_id, credential_id, minute, fold_key, method, route, status, code, reason, detail,
    at, last_at, count, request_ids)
  select r.id, r.user_id, r.credential_id, r.minute, r.fold_key, r.method, r.route, r.status, r.code, r.reason, r.detail,
    r.at, r.last_at, r.count, r.request_ids
  from pg_catalog.jsonb_to_recordset($1::pg_catalog.jsonb) as r (id pg_catalog.uuid, user_id pg_catalog.uuid, credential_id pg_catalog.uuid,
    minute pg_catalog.timestamptz, fold_key pg_catalog.text, method pg_catalog.text, route pg_catalog.text, status pg_catalog.int4,
    code pg_catalog.text, reason pg_catalog.text, detail pg_catalog.text, at pg_catalog.timestamptz, last_at pg_catalog.timestamptz,
    count pg_catalog.int4, request_ids pg_catalog.text[])
  join owners o on o.id = r.user_id order by r.credential_id, r.minute, r.fold_key
  on conflict (credential_id, minute, fold_key) do update set count = kept.count + excluded.count,
    last_at = greatest(kept.last_at, excluded.last_at), request_ids = (excluded.request_ids || kept.request_ids)[1:${maxRequestIds}]`

const trimStatement = `delete from rowhouse.refusals where id in (select id from (
    select id, row_number() over (partition by credential_id order by id desc) as position
    from rowhouse.refusals where credential_id = any($1::pg_catalog.uuid[])) numbered where position > ${maxKept})`

/** Tokens are remembered for longer than a week, so that a forgotten script can still be told from a stranger. */
export async function pruneRefusals(db: Db): Promise<void> {
  await db.query(`delete from rowhouse.refusals where last_at < now() - interval '7 days'`)
  await db.query(`delete from rowhouse.revoked_tokens where revoked_at < now() - interval '90 days'`)
}
