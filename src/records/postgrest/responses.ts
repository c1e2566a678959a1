import type { Rows } from './reads'
import type { Call } from './request/call'
import { appliedPreferences, type Preferences } from './request/preferences'
import { contentRange, rangeStatus } from './request/range'
import type { Called } from './rpc/function-call'
import type { WriteOutcome } from './writes/representation'
import type { RestWrite } from './writes/write-plan'

const responseHeaders = (
  preferences: Preferences,
  applicable: readonly (keyof Preferences)[],
  range: string | null,
): Record<string, string> => {
  const applied = appliedPreferences(preferences, applicable)
  return { ...(range === null ? {} : { 'content-range': range }), ...(applied ? { 'preference-applied': applied } : {}) }
}

/** @throws RestFailure PGRST103 (416) */
export function answerRead({ media, preferences }: Call, { body, length, offset, total }: Rows): Response {
  const headers = responseHeaders(preferences, ['count', 'tx', 'handling'], contentRange(offset, length, total))
  return new Response(body, { status: rangeStatus(offset, length, total), headers: { ...headers, 'content-type': media.contentType } })
}

/** @throws RestFailure PGRST103 (416) */
export function answerCall({ preferences }: Call, { rows, contentType }: Called): Response {
  const known = ['count', 'tx', 'handling', 'maxAffected'] as const
  if (!rows) return new Response(null, { status: 204, headers: responseHeaders(preferences, known, contentRange(0, 1, undefined)) })
  const { body, length, offset, total } = rows
  const headers = responseHeaders(preferences, known, contentRange(offset, length, total))
  return new Response(body, { status: rangeStatus(offset, length, total), headers: { ...headers, 'content-type': contentType } })
}

/** The preferences that each kind of write supports. */
const applicable = {
  POST: ['resolution', 'missing', 'return', 'count', 'tx', 'handling', 'maxAffected'],
  PATCH: ['missing', 'return', 'count', 'tx', 'handling', 'maxAffected'],
  PUT: ['return', 'count', 'tx', 'handling'],
  DELETE: ['return', 'count', 'tx', 'handling', 'maxAffected'],
} as const

export function answerWrite(write: RestWrite, outcome: WriteOutcome): Response {
  const { method, preferences, returned, media, table } = write
  const known = applicable[method as keyof typeof applicable]
  const total = preferences.count ? outcome.count : undefined
  const range = method === 'PUT' ? null : method === 'PATCH' ? contentRange(0, outcome.count, total) : `*/${total ?? '*'}`
  const headers = responseHeaders(preferences, known, range)
  if (method === 'POST' && outcome.key) headers.location = locationOf(table, JSON.parse(outcome.key))
  const status = writeStatus(write, outcome)
  if (!returned) return new Response(null, { status, headers })
  return new Response(outcome.body, { status, headers: { ...headers, 'content-type': media.contentType } })
}

/** An upsert that created no row does not respond with 201. */
function writeStatus({ method, preferences, returned }: RestWrite, { hasNew }: WriteOutcome): number {
  if (method === 'POST') return preferences.resolution !== 'merge-duplicates' || hasNew ? 201 : 200
  if (!returned) return 204
  return method === 'PUT' && hasNew ? 201 : 200
}

const locationOf = ({ name, primaryKey }: RestWrite['table'], key: string[]): string => {
  const filters = primaryKey.map((column, index) => `${encodeURIComponent(column)}=eq.${encodeURIComponent(key[index]!)}`)
  return `/rest/v1/${encodeURIComponent(name)}?${filters.join('&')}`
}
