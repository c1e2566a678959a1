import { arrayLiteral } from '../db/arrays'
import type { Db } from '../db/pool/open'
import { timestampText } from '../db/timestamp-text'
import type { BackupContents } from './archive/manifest'
import type { Stored } from './store'

/** The origin of a backup: the schedule, a person over HTTP, or the command line. */
export type BackupRequest = { origin: 'schedule' | 'request' | 'command'; requestedBy: string | null }

/** A backup that has ended. `unproven`: it was written, but its test restore failed. `failed`: no file exists. */
export type EndedBackup = BackupRequest & {
  state: 'proven' | 'unproven' | 'failed'
  place: string | null
  bytes: number | null
  contents: BackupContents | null
  problem: string | null
  startedAt: Date
}

/**
 * The beginning of the problem's text for a backup that was interrupted because its service stopped. It does not count
 * as a failure.
 */
export const stoppedProblem = 'The service was stopped while the backup was made.'

type Send = (text: string, values: (string | null)[]) => PromiseLike<unknown>

/** How long the list retains an entry; the files have their own retention. */
const retention = `interval '400 days'`

/** The list is in the connection's own database, where an older release may not have created its table. */
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

/** The columns of `Backup` in `model.ts`, without those that can only be read from the disk. */
const columns = `id, state, origin, requested_by as "requestedBy", place, bytes::float8 as bytes, contents,
  problem, ${timestampText('started_at')} as "startedAt", ${timestampText('finished_at')} as "finishedAt"`

export const listStatement = `select ${columns} from rowhouse.backups order by finished_at desc, id desc limit $1::int`

export const oneStatement = `select ${columns} from rowhouse.backups where id = $1::uuid`

/**
 * `proven` is when the last proven backup that still exists began, and `scheduled` is when the last attempt of the
 * schedule began; null for none. `hasFailed`: the last backup that the service has made is not proven, and was not
 * interrupted by a stop of the service. `failures` counts those of the schedule since its last proven one; `failedAt`
 * is when the last of them ended.
 */
export type LastBackups = {
  proven: Date | null
  scheduled: Date | null
  installed: Date
  hasFailed: boolean
  failures: number
  failedAt: Date | null
}

/**
 * Ignores times in the future, from when the clock was ahead: they would delay the next backup and prolong a failure.
 */
const isNotAhead = `greatest(started_at, finished_at) <= now() + interval '5 minutes'`

const isFailure = `origin = 'schedule' and state <> 'proven' and finished_at > coalesce(
    (select max(finished_at) from rowhouse.backups where origin = 'schedule' and state = 'proven' and ${isNotAhead}), '-infinity')`

/** $1 and $2 are the names and sizes of stored backups; null if the store does not respond. */
const lastStatement = `select ${timestampText(`max(started_at) filter (where state = 'proven' and ($1::text[] is null
    or (regexp_replace(place, '^.*/', ''), bytes) in (select name, size from unnest($1::text[], $2::bigint[]) as there (name, size))))`)} as proven,
  ${timestampText(`max(started_at) filter (where origin = 'schedule')`)} as scheduled,
  ${timestampText(`(select least(min(applied_at), now()) from rowhouse.migrations)`)} as installed,
  coalesce((select state <> 'proven' from rowhouse.backups where origin <> 'command' and ${isNotAhead}
      and coalesce(problem, '') not like '${stoppedProblem}%'
    order by finished_at desc, id desc limit 1), false) as "hasFailed",
  count(*) filter (where ${isFailure})::int as failures,
  ${timestampText(`max(finished_at) filter (where ${isFailure})`)} as "failedAt"
  from rowhouse.backups where ${isNotAhead}`

type LastRow = Pick<LastBackups, 'hasFailed' | 'failures'> & {
  proven: string | null
  scheduled: string | null
  installed: string
  failedAt: string | null
}

/**
 * @param stored the files in the backup store; null if the store does not respond. A damaged file counts as missing.
 */
export async function readLastBackups(db: Db, stored: ReadonlyMap<string, Stored & { isDamaged?: boolean }> | null): Promise<LastBackups> {
  const intact = stored && [...stored].filter(([, { isDamaged }]) => !isDamaged)
  const [row] = await db.query<LastRow>(
    lastStatement,
    intact ? [arrayLiteral(intact.map(([name]) => name)), arrayLiteral(intact.map(([, { bytes }]) => String(bytes)))] : [null, null],
  )
  const date = (text: string | null) => (text === null ? null : new Date(text))
  const { proven, scheduled, installed, failedAt, ...others } = row!
  return {
    ...{ proven: date(proven), scheduled: date(scheduled), installed: new Date(installed), failedAt: date(failedAt) },
    ...others,
  }
}

/** The backups that have a file, with its location and size, and the origin and start of the backup. */
export const placesStatement = `select place, bytes::float8 as bytes, origin, ${timestampText('started_at')} as "startedAt"
  from rowhouse.backups where place is not null`

/** The location of the last proven backup. */
export const lastProvenStatement = `select place from rowhouse.backups where state = 'proven' order by finished_at desc limit 1`

/**
 * Existing backups stay in the list at any age, because only the list knows their origin. $1: the names of existing
 * backups.
 */
export const pruneStatement = `delete from rowhouse.backups where finished_at < now() - ${retention}
  and (place is null or regexp_replace(place, '^.*/', '') <> all ($1::text[]))`
