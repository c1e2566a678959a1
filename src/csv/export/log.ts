import { t } from 'elysia'
import type { Actor } from '../../auth/identity/actor'
import type { Db } from '../../db/pool/open'
import { besideRequest } from '../../db/pool/scope'
import { timestampText } from '../../db/timestamp-text'
import { notFound } from '../../errors'
import { translatable } from '../../messages/message'
import { isUuid } from '../../tables/column-types/uuid'

/** The outcome of an export. Complete exports have `rows` and `sha256`, ended ones have `bytes`. */
export const ExportView = t.Object({
  id: t.String({ format: 'uuid' }),
  tableId: t.String({ format: 'uuid' }),
  state: t.Union([t.Literal('running'), t.Literal('complete'), t.Literal('failed'), t.Literal('cancelled')]),
  rows: t.Union([t.Integer(), t.Null()]),
  bytes: t.Union([t.Integer(), t.Null()]),
  sha256: t.Union([t.String(), t.Null()], { description: 'SHA-256 of the whole body, in hex.' }),
  startedAt: t.String({ format: 'date-time' }),
  finishedAt: t.Union([t.String({ format: 'date-time' }), t.Null()]),
})
export type ExportView = typeof ExportView.static

export type ExportOutcome = { state: 'complete' | 'failed' | 'cancelled'; rows: number | null; bytes: number; sha256: string | null }

const retention = `interval '1 day'`

export async function beginExport(db: Db, userId: string, tableId: string): Promise<string> {
  const id = Bun.randomUUIDv7()
  const insert = 'insert into rowhouse.exports (id, user_id, table_id) values ($1::uuid, $2::uuid, $3::uuid)'
  await besideRequest(() => db.query(insert, [id, userId, tableId]))
  return id
}

export async function endExport(db: Db, id: string, { state, rows, bytes, sha256 }: ExportOutcome): Promise<void> {
  await db.query(
    `update rowhouse.exports set state = $2::text, rows = $3::bigint, bytes = $4::bigint, sha256 = $5::text,
      finished_at = greatest(clock_timestamp(), started_at) where id = $1::uuid`,
    [id, state, rows === null ? null : String(rows), String(bytes), sha256],
  )
}

/** An export that is past its time limit was lost: its instance ended without recording the outcome. */
const findOne = `select pg_catalog.json_build_object('id', id, 'tableId', table_id,
    'state', case when state = 'running' and started_at < now() - pg_catalog.make_interval(secs => $3::double precision) then 'failed' else state end,
    'rows', rows, 'bytes', bytes, 'sha256', sha256, 'startedAt', ${timestampText('started_at')}, 'finishedAt', ${timestampText('finished_at')})::text as view
  from rowhouse.exports where id = $1::uuid and user_id = $2::uuid and started_at > now() - ${retention}`

/**
 * Returns one of the caller's own exports, for a day.
 * @throws Failure not_found, also for another user's export and for a table that the token does not reach
 */
export async function getExport(db: Db, { user, token }: Actor, id: string, limitMs: number): Promise<ExportView> {
  const [row] = isUuid(id) ? await db.query<{ view: string }>(findOne, [id, user.id, String(limitMs / 1000 + 60)]) : []
  const view: ExportView | undefined = row && JSON.parse(row.view)
  if (!view || (token?.tables && !token.tables.includes(view.tableId))) throw notFound(translatable('You have no such export.'))
  return view
}

export async function pruneExports(db: Db): Promise<void> {
  await db.query(`delete from rowhouse.exports where started_at < now() - ${retention}`)
}
