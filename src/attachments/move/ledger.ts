import { arrayLiteral } from '../../db/arrays'
import { pagesById } from '../../db/id-pages'
import type { Db, Query } from '../../db/pool/open'
import { isFileId } from '../storage/storage'
import type { FileFault } from '../storage/verified-bytes'
import type { StoredName } from './pages'
import { retryWhileAway } from './retries'

/** The progress of a move by file: `rowhouse.moved_files`, from which an interrupted move continues. */

/** A file that is not in the target yet. `isBegun`: a killed process may have sent it, which has not been checked. */
export type MovingFile = { id: string; name: string; tableId: string; size: number; sha256: string; isBegun: boolean }

export type Counted = { files: number; bytes: number }

const pageSize = 500

const unmoved = `from rowhouse.files f left join rowhouse.moved_files m on m.file_id = f.id
  where m.verified_at is null and m.fault is null`

const unmovedColumns = `f.id::text as id, f.name, f.table_id::text as "tableId", f.size::float8 as size, f.sha256, m.file_id is not null as "isBegun"`

/** Ordered by id, from `after`, exclusive, to `last`, inclusive. */
function unmovedPage(query: Query, after: string, last: string): Promise<MovingFile[]> {
  const text = `select ${unmovedColumns} ${unmoved} and f.id > $1::uuid and f.id <= $2::uuid order by f.id limit $3::int`
  return query<MovingFile>(text, [after, last, String(pageSize)])
}

async function lastUnmoved(query: Query): Promise<string | undefined> {
  return (await query<{ id: string }>(`select f.id::text as id ${unmoved} order by f.id desc limit 1`))[0]?.id
}

/**
 * Every file that is not in the target at the start. Later uploads, whose ids are higher, are left out: they may arrive
 * faster than files are moved. Each file is recorded before it is returned, so that sent files can be found.
 */
export async function* unmovedFiles({ query }: Db, signal: AbortSignal): AsyncGenerator<MovingFile> {
  const last = await retryWhileAway(() => lastUnmoved(query), signal)
  if (last === undefined) return
  const pages = pagesById(pageSize, (after) => retryWhileAway(() => unmovedPage(query, after, last), signal))
  for await (const page of pages) {
    await retryWhileAway(() => noteBegun(query, page), signal)
    yield* page
  }
}

/** The files among these ids that are not recorded as verified. */
export function unverifiedOf(query: Query, ids: readonly string[]): Promise<MovingFile[]> {
  const text = `select ${unmovedColumns} from rowhouse.files f left join rowhouse.moved_files m on m.file_id = f.id
    where f.id = any($1::uuid[]) and m.verified_at is null`
  return query<MovingFile>(text, [arrayLiteral(ids)])
}

export async function noteBegun(query: Query, files: readonly Pick<MovingFile, 'id'>[]): Promise<void> {
  const text = 'insert into rowhouse.moved_files (file_id) select unnest($1::uuid[]) on conflict do nothing'
  if (files.length > 0) await query(text, [arrayLiteral(files.map(({ id }) => id))])
}

export async function noteVerified(query: Query, ids: readonly string[]): Promise<void> {
  if (ids.length > 0)
    await query('update rowhouse.moved_files set verified_at = now() where file_id = any($1::uuid[])', [arrayLiteral(ids)])
}

export async function noteFault(query: Query, id: string, fault: FileFault): Promise<void> {
  await query('update rowhouse.moved_files set fault = $2::text where file_id = $1::uuid', [id, fault])
}

/**
 * Finds verified files that are no longer in the target, without reading them. `see` takes the names and sizes in the
 * target; `end` records all other files as missing, and returns their number.
 */
export async function lookForLost(
  query: Query,
): Promise<{ see: (page: readonly StoredName[]) => Promise<void>; end: () => Promise<number> }> {
  // Later than the time of every earlier verification, even if the clock has been set back since; in milliseconds, like
  // the column.
  const [begun] = await query<{ at: string }>(
    `select greatest(now(), max(verified_at) + interval '1 millisecond')::timestamptz(3)::text as at from rowhouse.moved_files`,
  )
  const see = async (page: readonly StoredName[]) => {
    const text = `update rowhouse.moved_files m set verified_at = $3::timestamptz ${present}
      where m.file_id = f.id and m.verified_at is not null`
    await query(text, [...presentParameters(page), begun!.at])
  }
  const end = async () => {
    const text = `with lost as (update rowhouse.moved_files m set verified_at = null from rowhouse.files f
      where f.id = m.file_id and m.verified_at < $1::timestamptz returning 1) select count(*)::int as files from lost`
    return (await query<{ files: number }>(text, [begun!.at]))[0]!.files
  }
  return { see, end }
}

/** The damaged files may have been repaired since. */
export async function forgetFaults(query: Query): Promise<void> {
  await query('update rowhouse.moved_files set fault = null where fault is not null')
}

export async function forgetAll(query: Query): Promise<void> {
  await query('delete from rowhouse.moved_files')
}

async function count(query: Query, from: string, parameters: string[] = []): Promise<Counted> {
  const text = `select count(*)::float8 as files, coalesce(sum(f.size), 0)::float8 as bytes ${from}`
  return (await query<Counted>(text, parameters))[0]!
}

export const countUnmoved = (query: Query): Promise<Counted> => count(query, unmoved)

export const countAll = (query: Query): Promise<Counted> => count(query, 'from rowhouse.files f')

export const countDamaged = async (query: Query): Promise<number> =>
  (await count(query, 'from rowhouse.files f join rowhouse.moved_files m on m.file_id = f.id where m.fault is not null')).files

const present = `from unnest($1::uuid[], $2::bigint[]) as n (id, size) join rowhouse.files f on f.id = n.id and f.size = n.size`

function presentParameters(found: readonly StoredName[]): string[] {
  const files = found.filter(({ name }) => isFileId(name))
  return [arrayLiteral(files.map(({ name }) => name)), arrayLiteral(files.map(({ size }) => String(size)))]
}

/** Counts the files with these names and sizes. */
export const countPresent = (query: Query, found: readonly StoredName[]): Promise<Counted> =>
  count(query, present, presentParameters(found))

/** For a target that the database already uses: leaves files swept after they were sent to the service's sweep. */
export async function loosenSwept(query: Query): Promise<void> {
  await query(`insert into rowhouse.loose_files (id, expires_at) select m.file_id, now() from rowhouse.moved_files m
    where not exists (select from rowhouse.files f where f.id = m.file_id) on conflict do nothing`)
}

/** Yields, in batches, files that were sent to the target and have since been swept from the database. */
export async function sweptPage(query: Query): Promise<string[]> {
  const text = `select m.file_id::text as id from rowhouse.moved_files m
    where not exists (select from rowhouse.files f where f.id = m.file_id) limit $1::int`
  return (await query<{ id: string }>(text, [String(pageSize)])).map(({ id }) => id)
}

export async function forgetSwept(query: Query, ids: readonly string[]): Promise<void> {
  const text = `delete from rowhouse.moved_files m where m.file_id = any($1::uuid[])
    and not exists (select from rowhouse.files f where f.id = m.file_id)`
  await query(text, [arrayLiteral(ids)])
}
