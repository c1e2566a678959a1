import { createHash } from 'node:crypto'
import type { Actor } from '../auth/identity/actor'
import { requireVerified } from '../auth/identity/identity-check'
import type { Db, Executor, Query } from '../db/pool/open'
import { Failure, invalidRequest } from '../errors'
import { pathOf, searchOf } from '../http/request/url'
import { translatable } from '../messages/message'
import type { Tables } from '../tables/catalog/catalog'
import { runAtomically } from './store/writes/transaction'

/**
 * A request that may be sent again unchanged: its user, its Idempotency-Key, a hash of its contents, and the access
 * rules that apply to the caller.
 */
export type KeyedRequest = { userId: string; key: string; fingerprint: string; rulesKey: string }

const keptFor = `interval '24 hours'`

/** For responses about files that the caller has sent, which do not depend on access rules. */
export const withoutRules = { rulesKey: '' }

/** Describes the header of all requests that take the key. */
export const idempotencyKeyParameter = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  schema: { type: 'string' },
  description:
    'A new one for each request, at most 255 characters. The same request with the same key gets the same response for 24 hours, and is performed once.',
} as const

/** RFC 8941, 3.3.3: a string. */
const quotedKey = /^"((?:[ !#-[\]-~]|\\["\\])*)"$/
/**
 * Sent by clients that do not know structured fields: a token of RFC 9110, with the characters of base64 and of paths.
 */
const bareKey = /^[\w!#$%&'*+.^`|~:/=-]+$/
const longestKey = 255

/** Headers that change the meaning of a request or its response. */
const fingerprintedHeaders = ['prefer', 'content-profile', 'content-type', 'accept']
/** A form's boundary, which is random in each attempt. */
const boundary = /;\s*boundary=.*$/i

/**
 * Null without the header, which then costs nothing.
 * @param body the body as it was sent, or its hash
 * @param tables the caller's tables
 * @throws Failure invalid_request; unavailable like `requireVerified`
 */
export function readKeyedRequest(request: Request, actor: Actor, body: string, tables: Pick<Tables, 'rulesKey'>): KeyedRequest | null {
  const header = request.headers.get('idempotency-key')
  if (header === null) return null
  const key = readIdempotencyKey(header.trim())
  // The stored response is read without verifying the caller.
  requireVerified(actor.cachedIdentity)
  return { userId: actor.user.id, key, fingerprint: fingerprintOf(request, actor, body), rulesKey: tables.rulesKey }
}

function readIdempotencyKey(header: string): string {
  const key = quotedKey.exec(header)?.[1]?.replace(/\\(.)/g, '$1') ?? (bareKey.test(header) ? header : '')
  if (key.length > 0 && key.length <= longestKey) return key
  throw invalidRequest(
    translatable('The header Idempotency-Key takes one key of 1 to {longestKey} characters.', { longestKey }),
    translatable('Send a string in quotes: Idempotency-Key: "8e03978e-40d5-43dd-bc93-6894a57f9324".'),
  )
}

/** Includes the token's rights: another token of the same user must not see responses that it may not read itself. */
function fingerprintOf({ method, url, headers }: Request, { token }: Actor, body: string): string {
  const said = [
    method,
    pathOf(url),
    searchOf(url),
    ...fingerprintedHeaders.map((name) => headers.get(name)?.replace(boundary, '') ?? null),
    token?.tables?.toSorted() ?? null,
  ]
  return createHash('sha256').update(JSON.stringify(said)).update('\n').update(body).digest('hex')
}

/**
 * Answers a write once: the write and its response are committed together, and a repeated request gets the stored
 * response. A rejected request has written nothing, and its response is not stored.
 * @param answer writes only with the given executor
 * @param refuse converts an error of the commit (a deferred constraint) to a failure, and throws it
 * @throws Failure request_in_progress, idempotency_key_reused
 */
export async function respondOnce(
  db: Db,
  keyed: KeyedRequest | null,
  answer: (executor: Executor) => Promise<Response>,
  refuse: (error: unknown) => never,
): Promise<Response> {
  if (!keyed) return answer(db)
  let isAnswered = false
  return runAtomically(db, { needsTransaction: true }, async (inside) => {
    isAnswered = false
    const kept = await findAnswer(inside.query, keyed)
    if (kept) return kept
    const response = await answer(inside)
    const body = await response.text()
    await keepAnswer(inside.query, keyed, response, body)
    isAnswered = true
    return toResponse(response.status, [...response.headers], body)
  }).catch((error) => {
    if (isAnswered) refuse(error)
    throw error
  })
}

const toResponse = (status: number, headers: [string, string][], body: string): Response => new Response(body || null, { status, headers })

type Kept = { fingerprint: string; status: number; headers: string; body: string }

/** Locks the key until the end of the transaction, across all instances. */
export async function findAnswer(query: Query, { userId, key, fingerprint, rulesKey }: KeyedRequest): Promise<Response | null> {
  const [lock] = await query<{ taken: boolean }>(
    'select pg_catalog.pg_try_advisory_xact_lock(pg_catalog.hashtextextended($1, 0)) as taken',
    [`rowhouse.idempotency_keys ${userId} ${key}`],
  )
  if (!lock?.taken) throw inProgress()
  // A separate statement, which sees the commit of the key's last holder.
  const [kept] = await query<Kept>(
    `select fingerprint, status, headers, body from rowhouse.idempotency_keys
      where user_id = $1::pg_catalog.uuid and key = $2 and created_at > now() - ${keptFor}`,
    [userId, key],
  )
  if (!kept) return null
  const [asked, rules = ''] = kept.fingerprint.split(' ')
  if (asked !== fingerprint) throw reused()
  const headers = JSON.parse(kept.headers) as [string, string][]
  return rules === rulesKey
    ? toResponse(kept.status, [...headers, ['idempotent-replayed', 'true']], kept.body)
    : toBareResponse(kept.status, headers)
}

/** The rules have changed since: the response may contain hidden data, so only its status is repeated. */
const toBareResponse = (status: number, headers: [string, string][]): Response =>
  toResponse(
    status === 200 ? 204 : status,
    [...headers.filter(([name]) => bareHeaders.includes(name)), ['idempotent-replayed', 'true']],
    '',
  )

const bareHeaders = ['location', 'dry-run']

/** Whether a response is stored for this key, whether to this request or to another one. */
export async function hasAnswer({ query }: Executor, { userId, key }: KeyedRequest): Promise<boolean> {
  const kept = await query(
    `select from rowhouse.idempotency_keys where user_id = $1::pg_catalog.uuid and key = $2 and created_at > now() - ${keptFor}`,
    [userId, key],
  )
  return kept.length > 0
}

export const keepAnswer = (
  query: Query,
  { userId, key, fingerprint, rulesKey }: KeyedRequest,
  { status, headers }: Response,
  body: string,
) =>
  query(
    `insert into rowhouse.idempotency_keys (user_id, key, fingerprint, status, headers, body) values ($1::pg_catalog.uuid, $2, $3, $4::int, $5, $6)
      on conflict (user_id, key) do update set fingerprint = excluded.fingerprint, status = excluded.status, headers = excluded.headers,
        body = excluded.body, created_at = excluded.created_at`,
    [userId, key, rulesKey ? `${fingerprint} ${rulesKey}` : fingerprint, String(status), JSON.stringify([...headers]), body],
  )

const inProgress = () =>
  new Failure('request_in_progress', translatable('A request with this Idempotency-Key is under way.'), {
    hint: translatable('Send it again when that request has ended; the answer will be the same.'),
    headers: { 'retry-after': '1' },
  })

const reused = () =>
  new Failure('idempotency_key_reused', translatable('This Idempotency-Key belongs to another request.'), {
    hint: translatable('Use a new key for each request, and the same key only to send a request again unchanged.'),
  })

export async function pruneIdempotencyKeys(db: Db): Promise<void> {
  await db.query(`delete from rowhouse.idempotency_keys where created_at < now() - ${keptFor}`)
}
