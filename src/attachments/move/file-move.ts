import type { Db } from '../../db/open'
import type { Finding } from '../check'
import type { MarkedStorage } from '../storage/storage'
import type { Counted } from './ledger'

/** Is told how far a move is. */
type MoveProgress = {
  /** Begins a step. `totalBytes` are the bytes that it takes, about. */
  begin: (step: 'Copying' | 'Comparing', totalBytes: number) => void
  add: (bytes: number) => void
}

/** The files of a database on their way from one storage to another. */
export type FileMove = {
  db: Db
  source: MarkedStorage
  target: MarkedStorage
  /** Whether it is the storage of the database already. Then damaged bytes in it are not replaced by damaged ones. */
  isTargetLive: boolean
  /** Room that stays free where the target is a folder. */
  minFreeBytes: number
  /** Of files that are on their way. */
  bytesUnderWay: { count: number }
  /** Whether files whose bytes are missing or altered in the source may stay behind. */
  skipsDamaged: boolean
  /** Counts what is sent, or is in the target already. */
  brought: Counted
  progress: MoveProgress
  /** Is told of each file that cannot be brought. */
  onFinding: (finding: Finding) => void
  signal: AbortSignal
}
