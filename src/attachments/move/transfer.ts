import { chunksOf, discardBytes, type FileFault, faultOf, writeVerified } from '../storage/verified-bytes'
import { MoveError } from './errors'
import type { FileMove } from './file-move'
import type { MovingFile } from './ledger'

type Sent = Pick<MovingFile, 'id' | 'size' | 'sha256'>

/** Some storages return new objects only after a delay. */
const readBackWaitsMs = [0, 100, 400, 1500]

/**
 * Copies one file and reads it back: the target must return exactly the uploaded bytes.
 * @param mayBeThere whether to look for it in the target first
 * @returns the fault of the source's bytes that prevents the copy
 * @throws MoveError if the target stores other bytes; Failure of the storages; the signal's reason
 */
export async function transferFile(move: FileMove, file: Sent, mayBeThere: boolean): Promise<FileFault | null> {
  const { source, target, signal, progress, isTargetLive } = move
  if (mayBeThere && (await faultOf(target, file, signal)) === null) {
    progress.add(file.size)
    return null
  }
  const fault = isTargetLive ? await faultOf(source, file, signal) : null
  if (fault) return fault
  const bytes = await source.read(file.id, { size: file.size })
  if (!bytes) return (await faultOf(source, file, signal)) ?? 'missing'
  const isSent = await withRoom(move, file, () => writeVerified(target, file, chunksOf(bytes, signal, progress.add))).finally(() =>
    discardBytes(bytes),
  )
  if (!isSent) return 'altered'
  for (const waitMs of readBackWaitsMs) {
    await Bun.sleep(waitMs)
    if ((await faultOf(target, file, signal)) === null) return null
  }
  await target.remove([file.id])
  throw new MoveError(`${target.place} returned other bytes for the file ${file.id} than were sent; they were removed. Check that storage.`)
}

/** The database may be on the same disk. @throws MoveError */
async function withRoom<Result>(move: FileMove, { size }: Sent, work: () => Promise<Result>): Promise<Result> {
  const { target, minFreeBytes, bytesUnderWay } = move
  const free = await target.freeBytes()
  if (free === null || free - bytesUnderWay.count - size >= minFreeBytes) {
    bytesUnderWay.count += size
    return work().finally(() => {
      bytesUnderWay.count -= size
    })
  }
  throw new MoveError(
    `The disk of ${target.place} has no room for the next file of ${size} bytes: it keeps ROWHOUSE_MIN_FREE_BYTES (${minFreeBytes}) free. Free some space, and run the same command again to continue.`,
  )
}
