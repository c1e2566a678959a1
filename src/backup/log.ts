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

/**
 * When the last proven one that is still there and the last attempt of the schedule began; null for none. $1 and $2 are
 * the names and sizes of what is there; null where nobody knows.
 */
export const lastStatement = `select ${timestampText(`max(started_at) filter (where state = 'proven' and ($1::text[] is null
    or (regexp_replace(place, '^.*/', ''), bytes) in (select name, size from unnest($1::text[], $2::bigint[]) as there (name, size))))`)} as proven,
  ${timestampText(`max(started_at) filter (where origin = 'schedule')`)} as scheduled,
  ${timestampText(`(select min(applied_at) from rowhouse.migrations)`)} as installed,
  coalesce((select state <> 'proven' from rowhouse.backups where origin <> 'command' order by finished_at desc, id desc limit 1), false) as failed
  from rowhouse.backups`

/** Those that have a file: where it was written to, who asked for it, and when it began. */
export const placesStatement = `select place, bytes::float8 as bytes, origin, ${timestampText('started_at')} as "startedAt"
  from rowhouse.backups where place is not null`

/** Where the last proven one was written to. */
export const lastProvenStatement = `select place from rowhouse.backups where state = 'proven' order by finished_at desc limit 1`

/** Backups that still exist stay in the list at any age, since it says who made them. $1: the names that exist. */
export const pruneStatement = `delete from rowhouse.backups where finished_at < now() - ${retention}
  and (place is null or regexp_replace(place, '^.*/', '') <> all ($1::text[]))`
