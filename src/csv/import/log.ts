import { t } from 'elysia'
import type { Actor } from '../../auth/identity/actor'
import type { Db, Query } from '../../db/pool/open'
import { timestampText } from '../../db/timestamp-text'
import { conflict, notFound, unavailable } from '../../errors'
import { problemText } from '../../http/response/errors'
import { translatable } from '../../messages/message'
import { isUuid } from '../../tables/column-types/uuid'

/** The state of an import that continues after its request. */
export const ImportView = t.Object({
  id: t.String({ format: 'uuid' }),
  tableId: t.Union([t.String({ format: 'uuid' }), t.Null()], { description: 'Null until the table of a new file exists.' }),
  state: t.Union([t.Literal('queued'), t.Literal('running'), t.Literal('complete'), t.Literal('failed'), t.Literal('cancelled')]),
  rows: t.Union([t.Integer(), t.Null()], {
    description: 'The number of records in the file; null while the import is queued, and until they are counted.',
  }),
  bytes: t.Integer(),
  result: t.Unknown({ description: 'For a complete import, the response to the request without `Prefer: respond-async`; otherwise null.' }),
  problem: t.Unknown({ description: 'For a failed import, the body of the error; otherwise null.' }),
  startedAt: t.String({ format: 'date-time', description: 'When the file had arrived.' }),
  finishedAt: t.Union([t.String({ format: 'date-time' }), t.Null()]),
})
export type ImportView = Omit<typeof ImportView.static, 'result' | 'problem'> & { result: object | null; problem: object | null }

/** How much of a file has been read so far. */
export type FileSize = { rows: number; bytes: number }

const retention = `interval '1 day'`

/** An import counts as lost when its instance has not renewed it for this long. */
const maxSilence = `interval '1 minute'`
export const renewEveryMs = 1000

/**
 * `now()` is the time at which the transaction began, and an import's own transaction begins before the import is
 * recorded. `greatest` keeps the end after the start even when the clock was set back.
 */
const finished = 'greatest(clock_timestamp(), started_at)'

/** The import waits for its turn, or runs. */
const isUnfinished = `state in ('queued', 'running')`

type NewImport = { userId: string; tableId: string | null; state: 'queued' | 'running'; rows: number | null; bytes: number }

export async function beginImport(db: Db, { userId, tableId, state, rows, bytes }: NewImport): Promise<string> {
  const id = Bun.randomUUIDv7()
  await db.query(
    `insert into rowhouse.imports (id, user_id, table_id, state, rows, bytes)
      values ($1::uuid, $2::uuid, $3::uuid, $4::text, $5::bigint, $6::bigint)`,
    [id, userId, tableId, state, rows === null ? null : String(rows), String(bytes)],
  )
  return id
}

/**
 * Records that a queued import begins to run. @throws Failure conflict if it was cancelled or counted as lost before
 * that
 */
export async function startQueuedImport(db: Db, id: string): Promise<void> {
  const rows = await db.query(`update rowhouse.imports set state = 'running' where id = $1::uuid and state = 'queued' returning 1`, [id])
  if (rows.length === 0) throw importCancelled()
}

/** Records the number of records of an import that was queued. */
export async function noteRows(db: Db, id: string, rows: number): Promise<void> {
  await db.query('update rowhouse.imports set rows = $2::bigint where id = $1::uuid', [id, String(rows)])
}

/** Records that the import still waits or runs. @returns false when another request has ended it */
export async function renewImport(db: Db, id: string): Promise<boolean> {
  const rows = await db.query(`update rowhouse.imports set seen_at = now() where id = $1::uuid and ${isUnfinished} returning 1`, [id])
  return rows.length > 0
}

/**
 * Every way to end an import changes this one row, so exactly one of them succeeds. It runs in the transaction of the
 * import, so the records exist if and only if the import is complete.
 * @throws Failure conflict if it was cancelled or counted as lost before that
 */
export async function completeImport(query: Query, id: string, result: object): Promise<void> {
  const tableId = (result as { table?: { id: string } }).table?.id ?? null
  const rows = await query(
    `update rowhouse.imports set state = 'complete', result = $2::text, table_id = coalesce($3::uuid, table_id), finished_at = ${finished}
      where id = $1::uuid and state = 'running' returning 1`,
    [id, JSON.stringify(result), tableId],
  )
  if (rows.length === 0) throw importCancelled()
}

export async function failImport(db: Db, id: string, problem: string): Promise<void> {
  await db.query(
    `update rowhouse.imports set state = 'failed', problem = $2::text, finished_at = ${finished} where id = $1::uuid and ${isUnfinished}`,
    [id, problem],
  )
}

export const importCancelled = () => conflict(translatable('The import was cancelled; nothing was imported.'))

const findOne = `select json_build_object('id', id, 'tableId', table_id, 'state', state, 'rows', rows, 'bytes', bytes,
    'result', result::json, 'problem', problem::json, 'startedAt', ${timestampText('started_at')}, 'finishedAt', ${timestampText('finished_at')})::text as view
  from rowhouse.imports where id = $1::uuid and user_id = $2::uuid and started_at > now() - ${retention}`

/**
 * Returns one of the caller's own imports, for a day.
 * @throws Failure not_found, also for another user's import and for a table that the token may not reach
 */
export async function getImport(db: Db, { user, token }: Actor, id: string): Promise<ImportView> {
  if (isUuid(id)) await giveUp(db, id)
  const [row] = isUuid(id) ? await db.query<{ view: string }>(findOne, [id, user.id]) : []
  const view: ImportView | undefined = row && JSON.parse(row.view)
  if (!view || (token?.tables && !token.tables.includes(view.tableId ?? ''))) throw notFound(translatable('You have no such import.'))
  return view
}

/**
 * Records that an import is lost. If its instance was only slow, its last statement finds the row changed, so it
 * imports nothing.
 */
async function giveUp(db: Db, id: string): Promise<void> {
  const lost = unavailable(translatable('The instance that had the import has stopped; nothing was imported.'))
  await db.query(
    `update rowhouse.imports set state = 'failed', problem = $2::text, finished_at = ${finished}
      where id = $1::uuid and ${isUnfinished} and seen_at < now() - ${maxSilence}`,
    [id, problemText(lost, id, 'en')],
  )
}

/** Ends an import that waits or runs. @returns its state, which may be complete already */
export async function cancelImport(db: Db, actor: Actor, id: string): Promise<ImportView> {
  const { state } = await getImport(db, actor, id)
  if (state === 'queued' || state === 'running') {
    await db.query(
      `update rowhouse.imports set state = 'cancelled', finished_at = ${finished} where id = $1::uuid and user_id = $2::uuid and ${isUnfinished}`,
      [id, actor.user.id],
    )
  }
  return getImport(db, actor, id)
}

export async function pruneImports(db: Db): Promise<void> {
  await db.query(`delete from rowhouse.imports where started_at < now() - ${retention}`)
}
