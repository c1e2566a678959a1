import type { BackupManifest } from '../../backup/archive/manifest'
import type { ReadBackup } from '../../backup/archive/reader'
import type { RequestedTarget } from '../../backup/restore/before-request'
import type { Restored } from '../../backup/restore/restore'
import type { Followed } from '../../backup/wal/follow'
import { describeContents } from './backup'

/** Both services would delete files that only the other one's records name. */
export const inBucket =
  'Attachments were in a bucket and are not in the backup: set S3_BUCKET as before. If another service still uses that bucket, give this one a copy of it: each deletes files that its own records do not name.'

/** The lines of the result. Those in `missing` say what could not be restored; `--quiet` also prints them. */
export function describeRestored(
  { dataDir, followed, lost, bucket }: Restored,
  { manifest, contents }: Pick<ReadBackup, 'manifest' | 'contents'>,
  target: RequestedTarget | null,
): { lines: string[]; missing: string[] } {
  const times = describeTimes(manifest, followed, target)
  const lostFiles =
    lost.count > 0 && bucket === null
      ? [
          `${lost.count} attachments are neither in the backup nor in the archive, ${lost.first?.name} (${lost.first?.id}) among them: rowhouse files check names them all.`,
        ]
      : []
  // Attachments added after the move to the bucket are in no WAL archive.
  const onlyThere = lost.count > 0 ? `, and ${lost.count} of them only there` : ''
  const moved = bucket === null ? [] : [`Attachments were in ${bucket} by then${onlyThere}: set S3_BUCKET and S3_PREFIX to that.`]
  const isElsewhere = bucket === null && manifest.attachments === 'bucket' && lost.brought === 0
  return {
    lines: [
      // The changes replayed from the WAL were not counted.
      `Restored into ${dataDir}${followed ? '' : `: ${describeContents(contents)}`}.`,
      times,
      ...lostFiles,
      ...moved,
      ...(isElsewhere ? [inBucket] : []),
      `Start it with: rowhouse serve --data-dir=${dataDir}`,
    ],
    missing: [...(followed && endsEarly(followed, target) ? [times] : []), ...lostFiles, ...(lost.count > 0 ? moved : [])],
  }
}

const endsEarly = ({ isTargetReached }: Followed, target: RequestedTarget | null) => !isTargetReached && target !== 'latest'

/**
 * A copy of the embedded database contains the changes until the end of the copy; a logical copy contains those until
 * its beginning.
 */
export function describeTimes({ createdAt, logical }: BackupManifest, followed: Followed | null, target: RequestedTarget | null): string {
  if (followed) return `The backup is of ${createdAt}; ${describeFollowed(followed, target)}`
  return logical
    ? `The backup is of ${createdAt}; what was changed since then is not in it.`
    : `The backup began at ${createdAt}; what was changed after the database was copied is not in it.`
}

function describeFollowed(followed: Followed, target: RequestedTarget | null): string {
  const { lastChangeAt, isTargetReached } = followed
  const last = lastChangeAt && `the last change in it is of ${lastChangeAt.toISOString()}.`
  if (endsEarly(followed, target))
    return `the archive of the log ends before the requested time${last ? `: ${last}` : ', and has no change after the backup.'}`
  return last ?? (isTargetReached ? 'nothing has changed since then.' : 'the archive of the log has no change after it.')
}
