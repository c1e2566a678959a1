import { realpathSync } from 'node:fs'
import { arrayLiteral } from '../../db/arrays'
import { lockKeys } from '../../db/lock-keys'
import type { Query } from '../../db/pool/open'
import { isOwnTable } from '../../db/schema/own-tables'
import { catalogPath } from '../../db/search-path'
import { isOfSameDatabase, isOwnStorage, newIdLike, readStorageRow } from '../storage/identity'
import { idIn, type MarkedStorage, markerName } from '../storage/storage'
import { MoveError } from './errors'
import type { FileMove } from './file-move'
import { type Counted, countAll, countPresent, countUnmoved, forgetAll, forgetFaults, noteBegun } from './ledger'
import { pagesOf } from './pages'

/**
 * `switched`: the database already uses the target. `resumed`: a move to it has begun. `looksForAll`: whether the
 * target may hold files that no move has recorded.
 */
export type MoveState = { stage: 'switched' } | { stage: 'new' | 'resumed'; looksForAll: boolean }

type Places = Pick<FileMove, 'db' | 'source' | 'target'>

type Beginning = Pick<FileMove, 'db' | 'target' | 'signal'>

/**
 * The number of names, from the first on, that are checked to find out whether a storage holds files of this database.
 */
const filesTried = 1000

/**
 * Does not write anything. @throws MoveError, StorageMismatch for a source that the database does not use, Failure
 * unavailable
 */
export async function inspectMove({ db, source, target }: Places): Promise<MoveState> {
  if (!(await isOwnTable(db.sql, 'moved_files')))
    throw new MoveError('The running service is older than this command. Upgrade it first: stop it, and start this version.')
  const row = await readStorageRow(db.query)
  const found = await target.readId()
  const isSame = isSamePlace(source, target)
  if (row?.isClaimed && found === row.id) {
    if (isSame || (await source.readId()) !== row.id) return { stage: 'switched' }
    throw new MoveError(copied(source, target))
  }
  if (isSame) throw new MoveError(samePlace(target, row?.place))
  await isOwnStorage(db.query, source)
  const names = await firstFiles(target)
  const { known, noted } = await countNoted(db.query, names)
  if (found === null && names.length > 0 && known === 0) throw new MoveError(foreign(target, 'it has files of another one'))
  // A service start created an empty storage for this database, for example the folder in the data directory before
  // S3_BUCKET was set.
  const isUnused = found !== null && row !== undefined && names.length === 0 && isOfSameDatabase(found, row.id)
  if (found !== null && found !== row?.targetId && found !== row?.movedFrom && !isUnused)
    throw new MoveError(foreign(target, `its ${markerName} is that of another storage`))
  return { stage: found !== null && found === row?.targetId ? 'resumed' : 'new', looksForAll: noted < names.length }
}

const samePlace = ({ place }: MarkedStorage, recorded: string | undefined) =>
  `The settings name ${place} as the storage of files already, and --to names it, too. Name the storage that the files are in with --from${recorded === undefined || recorded === place ? '' : `=${recorded}`}.`

const copied = ({ place: used }: MarkedStorage, { place }: MarkedStorage) =>
  `${place} has the ${markerName} of the storage that is used now, ${used}: it is the same storage, or a copy of it. To use a copy, start the service with it; to move the files there, remove its ${markerName} first.`

const foreign = ({ place }: MarkedStorage, reason: string) =>
  `${place} is not empty, and not of this database: ${reason}. Choose an empty place. If nothing uses it any more, remove its files and its ${markerName}.`

function isSamePlace({ place: one }: MarkedStorage, { place: other }: MarkedStorage): boolean {
  const real = (path: string) => {
    try {
      return realpathSync(path)
    } catch {
      return path
    }
  }
  return one === other || real(one) === real(other)
}

async function firstFiles(storage: MarkedStorage): Promise<string[]> {
  const ids = new Set<string>()
  for await (const { name } of storage.list()) {
    ids.add(idIn(name))
    if (ids.size >= filesTried) break
  }
  return [...ids]
}

/** The number of files that belong to this database, and the number that a move has recorded. */
async function countNoted(query: Query, ids: readonly string[]): Promise<{ known: number; noted: number }> {
  const text = `select count(*) filter (where m.file_id is not null or f.id is not null or l.id is not null)::int as known, count(m.file_id)::int as noted
    from unnest($1::uuid[]) as n (id) left join rowhouse.moved_files m on m.file_id = n.id left join rowhouse.files f on f.id = n.id
    left join rowhouse.loose_files l on l.id = n.id`
  return (await query<{ known: number; noted: number }>(text, [arrayLiteral(ids)]))[0]!
}

/**
 * The number of files and bytes to copy. A name of the right size in the target counts as that file until it is
 * compared.
 */
export async function countLeft({ db, target, signal }: Beginning, state: MoveState): Promise<Counted> {
  if (state.stage === 'switched') return { files: 0, bytes: 0 }
  if (state.stage === 'resumed') return countUnmoved(db.query)
  const left = await countAll(db.query)
  for await (const page of pagesOf(target, signal)) {
    const { files, bytes } = await countPresent(db.query, page)
    left.files -= files
    left.bytes -= bytes
  }
  return left
}

/**
 * Writes an id into the target. The id marks the target of this move. The database gets it at the switch, so until then
 * no service starts with the target.
 * @returns the id
 */
export async function beginMove({ db, target, signal }: Beginning): Promise<string> {
  const found = await target.readId()
  const wasStorage = found !== null && found === (await readStorageRow(db.query))?.movedFrom
  const id = await db.transaction(async ({ query }) => {
    await query(catalogPath)
    await query(`select pg_advisory_xact_lock(${lockKeys.storageIdentity})`)
    const row = (await readStorageRow(query))!
    const [{ place } = { place: null }] = await query<{ place: string | null }>('select target_place as place from rowhouse.storage')
    // A move that was killed before the target had the id.
    const isBegun = row.targetId !== null && (found === row.targetId || (found === null && place === target.place))
    if (isBegun) return row.targetId!
    const next = newIdLike(row.id)
    await query('update rowhouse.storage set target_id = $1::uuid, target_place = $2::text', [next, target.place])
    await forgetAll(query)
    return next
  })
  // Done before the target gets its id, so that a move that is killed here starts over.
  if (wasStorage) await noteAll(db.query, target, signal)
  if (found !== id) await target.writeId(id)
  await target.removeUnfinished()
  await forgetFaults(db.query)
  return id
}

/** The files of a former storage may have been swept since: they are removed like files swept during the move. */
async function noteAll(query: Query, storage: MarkedStorage, signal: AbortSignal) {
  for await (const page of pagesOf(storage, signal)) {
    const ids = new Set(page.map(({ name }) => idIn(name)))
    await noteBegun(
      query,
      [...ids].map((id) => ({ id })),
    )
  }
}
