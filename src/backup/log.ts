import { timestampText } from '../db/timestamp-text'
import type { BackupContents } from './archive/manifest'

/** Who asked for a backup: the schedule, a person over HTTP, or the command line. */
export type BackupRequest = { origin: 'schedule' | 'request' | 'command'; requestedBy: string | null }

/**
 * A backup that has ended. `unproven`: it was written, and could not be restored as it should. `failed`: there is no
 * file.
 */
export type EndedBackup = BackupRequest & {
  state: 'proven' | 'unproven' | 'failed'
  place: string | null
  bytes: number | null
  contents: BackupContents | null
  problem: string | null
  startedAt: Date
}

type Send = (text: string, values: (string | null)[]) => PromiseLike<unknown>

/** So long one can look back; the files have a time of their own. */
const retention = `interval '400 days'`

/** The connection's own database has the list; an older release may have no table for it. */
export async function recordBackup(send: Send, ended: EndedBackup): Promise<void> {
  const { state, origin, requestedBy, place, bytes, contents, problem, startedAt } = ended
  await send(
    `insert into rowhouse.backups (id, state, origin, requested_by, place, bytes, contents, problem, started_at)
      values ($1::uuid, $2::text, $3::text, $4::uuid, $5::text, $6::bigint, $7::text::json, $8::text, $9::timestamptz)`,
    [
      Bun.randomUUIDv7(),
      state,
      origin,
      requestedBy,
      place,
      bytes === null ? null : String(bytes),
      contents === null ? null : JSON.stringify(contents),
      problem,
      startedAt.toISOString(),
    ],
  )
}

/** Rows as `Backup` of `model.ts` has them, but for what only the disk knows. */
const columns = `id, state, origin, requested_by as "requestedBy", place, bytes::float8 as bytes, contents,
  problem, ${timestampText('started_at')} as "startedAt", ${timestampText('finished_at')} as "finishedAt"`

export const listStatement = `select ${columns} from rowhouse.backups order by finished_at desc, id desc limit $1::int`

export const oneStatement = `select ${columns} from rowhouse.backups where id = $1::uuid`

/** When the last proven one and the last attempt of the schedule began; null for none. */
export const lastStatement = `select ${timestampText(`max(started_at) filter (where state = 'proven')`)} as proven,
  ${timestampText(`max(started_at) filter (where origin = 'schedule')`)} as scheduled,
  ${timestampText(`(select min(applied_at) from rowhouse.migrations)`)} as installed from rowhouse.backups`

/** Where those that have a file were written to, and when they began. */
export const placesStatement = `select place, ${timestampText('started_at')} as "startedAt" from rowhouse.backups where place is not null`

export const pruneStatement = `delete from rowhouse.backups where finished_at < now() - ${retention}`
