import { createBatcher } from '../../db/pool/batcher'
import type { FileFault } from '../storage/verified-bytes'
import { thumbnailNames } from '../thumbnail-names'
import type { FileMove } from './file-move'
import { countUnmoved, forgetSwept, type MovingFile, noteFault, noteVerified, sweptPage, unmovedFiles } from './ledger'
import { retryWhileAway } from './retries'
import { transferFile } from './transfer'
import { workOnFiles } from './workers'

/**
 * Copies all files, then those that were uploaded meanwhile, until a pass no longer halves the number of remaining
 * files: uploads may arrive faster than they can be moved, and then the switch delays them.
 * @param looksForAll whether the target may hold files that this move has not sent
 * @throws MoveError, Failure, the signal's reason
 */
export async function copyAll(move: FileMove, looksForAll: boolean): Promise<void> {
  for (;;) {
    const before = move.brought.files
    await copyFiles(move, unmovedFiles(move.db, move.signal), looksForAll)
    await removeSwept(move)
    const { files: left } = await countUnmoved(move.db.query)
    if (left === 0 || left > (move.brought.files - before) / 2) return
  }
}

/** Copies each of the files, or records why it cannot be copied. @throws like `copyAll` */
export async function copyFiles(move: FileMove, files: AsyncIterable<MovingFile>, looksForAll: boolean): Promise<void> {
  const { brought, db } = move
  const note = createBatcher(async (ids: string[]) => {
    await noteVerified(db.query, ids)
    return ids
  })
  await workOnFiles(files, move.signal, async (file, signal) => {
    const copy = (tries: number) => transferFile({ ...move, signal }, file, looksForAll || file.isBegun || tries > 1)
    const fault = await retryWhileAway(copy, signal)
    if (fault) return report(move, file, fault)
    brought.files++
    brought.bytes += file.size
    await retryWhileAway(() => note(file.id), signal)
  })
}

/** The sweep deletes a file's row before its bytes. */
async function report({ db, onFinding }: FileMove, { id, name, tableId }: MovingFile, kind: FileFault) {
  if ((await db.query('select from rowhouse.files where id = $1::uuid', [id])).length === 0) return
  await noteFault(db.query, id, kind)
  onFinding({ kind, name: id, about: `${name}, of the table ${tableId}` })
}

/** Removes files from the new storage that were swept from the old one after they were sent. */
async function removeSwept({ db, target, signal }: FileMove): Promise<void> {
  for (;;) {
    signal.throwIfAborted()
    const ids = await sweptPage(db.query)
    if (ids.length === 0) return
    const names = ids.flatMap((id) => [id, ...thumbnailNames(id)])
    await retryWhileAway(() => target.remove(names), signal)
    await forgetSwept(db.query, ids)
  }
}
