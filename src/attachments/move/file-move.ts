import type { Db } from '../../db/pool/open'
import type { WorkProgress } from '../../ops/progress'
import type { Finding } from '../check'
import type { MarkedStorage } from '../storage/storage'
import type { Counted } from './ledger'

/** The state of moving a database's files from one storage to another. */
export type FileMove = {
  db: Db
  source: MarkedStorage
  target: MarkedStorage
  /**
   * Whether the database already uses the target: then damaged bytes of the source do not replace damaged bytes there.
   */
  isTargetLive?: true
  /** Space to leave free if the target is a folder. */
  minFreeBytes: number
  /** The bytes of files being copied. */
  bytesUnderWay: { count: number }
  /** Whether files whose bytes are missing or altered in the source may be left out. */
  skipsDamaged: boolean
  /**
   * The maximum time that the switch waits for uploads that are finishing, and the maximum time that it blocks uploads.
   */
  maxLockMs: number
  /** Counts the files that were sent or were already in the target. */
  brought: Counted
  progress: Pick<WorkProgress, 'begin' | 'add'>
  /** Called for each file that cannot be copied. */
  onFinding: (finding: Finding) => void
  signal: AbortSignal
}
