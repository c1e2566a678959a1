import type { Sql } from 'postgres'
import type { ConnectionTarget } from '../../db/pool/open'
import type { ReadBackup } from '../archive/reader'
import { type OpenCopy, withCopy } from '../copy/open-copy'
import { BackupError } from '../errors'
import {
  type BeforeTransaction,
  type Followed,
  type FollowOptions,
  followArchive,
  missingSetting,
  prepareFollowing,
  TargetNotReached,
} from '../wal/follow'

type ManifestOnly = Pick<ReadBackup, 'manifest'>

export type Recovery = {
  copy: OpenCopy
  read: ManifestOnly
  /** The archive to follow. Without it, the backup alone is recovered. */
  following: FollowOptions | undefined
}

type Work<Result> = (sql: Sql, target: ConnectionTarget, followed: Followed | null) => Promise<Result>

/**
 * Lets PostgreSQL recover an unpacked backup, following the archive if there is one, and lets `work` query it. If the
 * archive ends before the requested time, recovers again, to the end of the archive.
 * @throws like `withCopy` and `followArchive`
 */
export async function withRecovered<Result>({ copy, read, following }: Recovery, work: Work<Result>): Promise<Result> {
  if (following) requireAfter(read, following.target)
  let target = following?.target
  const larger: string[] = []
  for (;;) {
    const settings = [...(copy.settings ?? []), ...(target ? prepareFollowing(copy.folder, target) : []), ...larger]
    try {
      return await withCopy({ ...copy, settings }, async (sql, opened) =>
        work(sql, opened, following && target ? await followArchive(sql, { ...following, target }) : null),
      )
    } catch (error) {
      const setting = missingSetting(error)
      const isMissed = error instanceof TargetNotReached
      if (isBeforeTransaction(target) && (isMissed || isTooEarly(error))) throw isInBackup(target)
      if (isTooEarly(error)) throw new BackupError(tooEarly(read))
      if (isMissed && target !== 'latest') target = 'latest'
      else if (setting !== null && !larger.includes(setting)) larger.push(setting)
      else throw error
    }
  }
}

export const isBeforeTransaction = (target: unknown): target is BeforeTransaction =>
  typeof target === 'object' && target !== null && 'xid' in target

/** The log after the backup does not contain the end of the transaction. */
export const isInBackup = ({ requestId }: BeforeTransaction): BackupError =>
  new BackupError(`The request ${requestId} ended before the backup did, so its changes are in it. Choose an earlier backup.`)

const tooEarly = ({ manifest }: ManifestOnly) =>
  `The backup began at ${manifest.createdAt} and ended after the requested time. Choose an earlier backup or a later time.`

/** PostgreSQL's message for a time before the end of the backup. */
const isTooEarly = (error: unknown) => /before consistent recovery point/.test((error as Error).message)

/** @throws BackupError for a time before the backup */
export function requireAfter(read: ManifestOnly, target: unknown): void {
  if (target instanceof Date && target.getTime() < Date.parse(read.manifest.createdAt)) throw new BackupError(tooEarly(read))
}
