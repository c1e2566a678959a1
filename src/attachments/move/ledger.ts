import { arrayLiteral } from '../../db/arrays'
import type { Db, Query } from '../../db/pool/open'
import { isFileId } from '../storage/storage'
import type { StoredName } from './pages'
import { withRetries } from './retries'

/** The progress of a move by file: `rowhouse.moved_files`, from which an interrupted move continues. */

/** A file that is not in the target yet. `isBegun`: a killed process may have sent it, which has not been checked. */
export type MovingFile = { id: string; name: string; tableId: string; size: number; sha256: string; isBegun: boolean }

type Fault = 'missing' | 'altered'

export type Counted = { files: number; bytes: number }

const pageSize = 500

const lowest = '00000000-0000-0000-0000-000000000000'

const unmoved = `from rowhouse.files f left join rowhouse.moved_files m on m.file_id = f.id
  where m.verified_at is null and m.fault is null`

type UnmovedRow = Omit<MovingFile, 'size'> & { size: string }

const unmovedColumns = `f.id::text as id, f.name, f.table_id::text as "tableId", f.size::text as size, f.sha256, m.file_id is not null as "isBegun"`

const toMovingFile = ({ size, ...file }: UnmovedRow): MovingFile => ({ ...file, size: Number(size) })

/** Ordered by id, from `after`, exclusive, to `last`, inclusive. */
async function unmovedPage(query: Query, after: string, last: string): Promise<MovingFile[]> {
  const text = `select ${unmovedColumns} ${unmoved} and f.id > $1::uuid and f.id <= $2::uuid order by f.id limit $3::int`
  return (await query<UnmovedRow>(text, [after, last, String(pageSize)])).map(toMovingFile)
}

async function lastUnmoved(query: Query): Promise<string | undefined> {
  return (await query<{ id: string }>(`select f.id::text as id ${unmoved} order by f.id desc limit 1`))[0]?.id
}

/**
 * Every file that is not in the target when this begins. Later uploads, whose ids are higher, are left out: they may
 * arrive faster than files are moved. Each file is recorded before it is returned, so that sent files can be found.
 */
export async function* unmovedFiles({ query }: Db, signal: AbortSignal): AsyncGenerator<MovingFile> {
  const last = await withRetries(() => lastUnmoved(query), signal)
  if (last === undefined) return
  for (let after = lowest; ; ) {
    const page = await withRetries(() => unmovedPage(query, after, last), signal)
    await withRetries(() => noteBegun(query, page), signal)
    yield* page
    if (page.length < pageSize) return
    after = page.at(-1)!.id
  }
}

/** The files among these ids that are not recorded as verified. */
export async function unverifiedOf(query: Query, ids: readonly string[]): Promise<MovingFile[]> {
  const text = `select ${unmovedColumns} from rowhouse.files f left join rowhouse.moved_files m on m.file_id = f.id
    where f.id = any($1::uuid[]) and m.verified_at is null`
  return (await query<UnmovedRow>(text, [arrayLiteral(ids)])).map(toMovingFile)
}

export async function noteBegun(query: Query, files: readonly Pick<MovingFile, 'id'>[]): Promise<void> {
  const text = 'insert into rowhouse.moved_files (file_id) select unnest($1::uuid[]) on conflict do nothing'
  if (files.length > 0) await query(text, [arrayLiteral(files.map(({ id }) => id))])
}

export async function noteVerified(query: Query, ids: readonly string[]): Promise<void> {
  if (ids.length > 0)
    await query('update rowhouse.moved_files set verified_at = now() where file_id = any($1::uuid[])', [arrayLiteral(ids)])
}

export async function noteFault(query: Query, id: string, fault: Fault): Promise<void> {
  await query('update rowhouse.moved_files set fault = $2::text where file_id = $1::uuid', [id, fault])
}

/** Files that turned out to be missing in the target. */
export async function noteLost(query: Query, ids: readonly string[]): Promise<void> {
  if (ids.length > 0) await query('update rowhouse.moved_files set verified_at = null where file_id = any($1::uuid[])', [arrayLiteral(ids)])
}

/** They may have been repaired since. */
export async function forgetFaults(query: Query): Promise<void> {
  await query('update rowhouse.moved_files set fault = null where fault is not null')
}

export async function forgetAll(query: Query): Promise<void> {
  await query('delete from rowhouse.moved_files')
}

type CountedRow = { files: string; bytes: string }

async function count(query: Query, from: string, parameters: string[] = []): Promise<Counted> {
  const text = `select count(*)::text as files, coalesce(sum(f.size), 0)::text as bytes ${from}`
  const [row] = await query<CountedRow>(text, parameters)
  return { files: Number(row!.files), bytes: Number(row!.bytes) }
}

export const countUnmoved = (query: Query): Promise<Counted> => count(query, unmoved)

export const countAll = (query: Query): Promise<Counted> => count(query, 'from rowhouse.files f')

export const countVerified = (query: Query): Promise<Counted> =>
  count(query, 'from rowhouse.files f join rowhouse.moved_files m on m.file_id = f.id where m.verified_at is not null')

export const countDamaged = async (query: Query): Promise<number> =>
  (await count(query, 'from rowhouse.files f join rowhouse.moved_files m on m.file_id = f.id where m.fault is not null')).files

const present = `from unnest($1::uuid[], $2::bigint[]) as n (id, size) join rowhouse.files f on f.id = n.id and f.size = n.size`

function countFound(query: Query, from: string, found: readonly StoredName[]): Promise<Counted> {
  const files = found.filter(({ name }) => isFileId(name))
  return count(query, from, [arrayLiteral(files.map(({ name }) => name)), arrayLiteral(files.map(({ size }) => String(size)))])
}

/** How many of these names and sizes are those of files. */
export const countPresent = (query: Query, found: readonly StoredName[]): Promise<Counted> => countFound(query, present, found)

/** How many of these names and sizes are those of files in the target. */
export const countKnown = async (query: Query, found: readonly StoredName[]): Promise<number> =>
  (await countFound(query, `${present} join rowhouse.moved_files m on m.file_id = f.id where m.verified_at is not null`, found)).files

/** Files in the target, ordered by id. */
export async function* verifiedPages(query: Query): AsyncGenerator<{ id: string; size: number }[]> {
  for (let after = lowest; ; ) {
    const text = `select f.id::text as id, f.size::text as size from rowhouse.files f join rowhouse.moved_files m on m.file_id = f.id
      where m.verified_at is not null and f.id > $1::uuid order by f.id limit $2::int`
    const page = await query<{ id: string; size: string }>(text, [after, String(pageSize)])
    yield page.map(({ id, size }) => ({ id, size: Number(size) }))
    if (page.length < pageSize) return
    after = page.at(-1)!.id
  }
}

/** Files swept after they were sent are left to the service's sweep, for a target that the database already uses. */
export async function loosenSwept(query: Query): Promise<void> {
  await query(`insert into rowhouse.loose_files (id, expires_at) select m.file_id, now() from rowhouse.moved_files m
    where not exists (select from rowhouse.files f where f.id = m.file_id) on conflict do nothing`)
}

/** Files that were sent to the target and swept from the database since; some at a time. */
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
