import type { Db } from '../../db/pool/open'
import type { Finding } from '../check'
import type { MarkedStorage } from '../storage/storage'
import type { Counted } from './ledger'

/** Receives the progress of a move. */
type MoveProgress = {
  /** Begins a step. `totalBytes` is the approximate number of bytes it processes. */
  begin: (step: 'Copying' | 'Comparing', totalBytes: number) => void
  add: (bytes: number) => void
}

/** The state of moving a database's files from one storage to another. */
export type FileMove = {
  db: Db
  source: MarkedStorage
  target: MarkedStorage
  /** Whether the database already uses it. Then damaged bytes in it are not replaced by damaged ones. */
  isTargetLive: boolean
  /** Space to leave free if the target is a folder. */
  minFreeBytes: number
  /** The bytes of files being copied. */
  bytesUnderWay: { count: number }
  /** Whether files whose bytes are missing or altered in the source may be left out. */
  skipsDamaged: boolean
  /** The longest time that the switch waits for finishing uploads, and the longest that it holds them up at a time. */
  maxLockMs: number
  /** Counts the files that were sent or are in the target already. */
  brought: Counted
  progress: MoveProgress
  /** Called for each file that cannot be copied. */
  onFinding: (finding: Finding) => void
  signal: AbortSignal
}
