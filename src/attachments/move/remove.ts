import { readStorageRow } from '../storage/identity'
import { idIn, isFileId } from '../storage/storage'
import { copyFiles } from './copy'
import { MoveError } from './errors'
import type { FileMove } from './file-move'
import { countDamaged, forgetAll, forgetFaults, loosenSwept, type MovingFile, noteBegun, unverifiedOf } from './ledger'
import { pagesOf } from './pages'
import { retryWhileAway } from './retries'

/** `kept`: files that are incomplete in the new storage. `removed` includes thumbnails. */
export type Removal = { outcome: 'removed'; removed: number; kept: number } | { outcome: 'damaged' }

/**
 * Empties the storage that the files were moved from. First compares every file in it with the new storage, byte by
 * byte, and copies incomplete files again. Removes nothing unless every file is intact or damaged files may be left
 * out.
 * @throws MoveError if this is not the storage that the files were moved from; Failure, the signal's reason
 */
export async function removeSource(move: FileMove): Promise<Removal> {
  const { db, source } = move
  const id = await requireMovedFrom(move)
  await forgetFaults(db.query)
  await copyFiles({ ...move, isTargetLive: true }, listedFiles(move), true)
  if ((await countDamaged(db.query)) > 0 && !move.skipsDamaged) return { outcome: 'damaged' }
  const { removed, kept } = await removeListed(move)
  if (kept === 0) {
    await source.dissolve()
    await db.query('update rowhouse.storage set moved_from = null where moved_from = $1::uuid', [id])
  }
  // Files that were copied again may have been swept meanwhile.
  await loosenSwept(db.query)
  await forgetAll(db.query)
  return { outcome: 'removed', removed, kept }
}

/**
 * Two locations with two ids are two storages, even if they have the same name. @returns the id of the source @throws
 * MoveError
 */
async function requireMovedFrom({ db, source, target }: FileMove): Promise<string> {
  const row = await readStorageRow(db.query)
  const id = await source.readId()
  if (!row || (await target.readId()) !== row.id)
    throw new MoveError(`${target.place} is not the storage of this database, so nothing is removed. Finish the move first, with --switch.`)
  // Its records would be mixed up with those of the other move in the same table.
  if (row.targetId !== null) throw new MoveError('Another move of the files has begun. Finish that one first, with --switch.')
  if (id === null || id === row.id || id !== row.movedFrom)
    throw new MoveError(
      `${source.place} is not the storage that the files were moved from, so nothing is removed. Name that one with --from.`,
    )
  return id
}

/** Files of the source that have not been compared yet. */
async function* listedFiles({ db, source, signal }: FileMove): AsyncGenerator<MovingFile> {
  for await (const page of pagesOf(source, signal)) {
    const names = page.map(({ name }) => name).filter(isFileId)
    const files = await unverifiedOf(db.query, names)
    await noteBegun(db.query, files)
    yield* files
  }
}

async function removeListed(move: FileMove): Promise<{ removed: number; kept: number }> {
  const { db, source, signal } = move
  const total = { removed: 0, kept: 0 }
  for await (const page of pagesOf(source, signal)) {
    // Comparing may take hours, and "files adopt" may meanwhile have made the source the database's storage.
    await requireMovedFrom(move)
    const names = page.map(({ name }) => name)
    const kept = new Set((await unverifiedOf(db.query, [...new Set(names.map(idIn))])).map(({ id }) => id))
    const removable = names.filter((name) => !kept.has(idIn(name)))
    await retryWhileAway(() => source.remove(removable), signal)
    total.removed += removable.length
    total.kept += names.filter((name) => kept.has(name)).length
  }
  return total
}
