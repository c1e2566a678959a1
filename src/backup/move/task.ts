import type { Sql } from 'postgres'
import type { ConnectionTarget } from '../../db/pool/open'
import type { WorkProgress } from '../../ops/progress'
import type { Config } from '../../ops/settings/config'
import type { MovedDefinitions } from './entries'
import type { SilenceLimits } from './heartbeat'
import type { TargetFacts } from './requirements'
import type { DatabaseMove } from './state'
import type { MovedTable } from './tables'

export type MoveTask = {
  from: ConnectionTarget
  to: ConnectionTarget
  config: Config
  /** The schemas to move; null for all. */
  schemas: readonly string[] | null
  signal: AbortSignal
  progress: WorkProgress
  silence: SilenceLimits
}

/**
 * Connections to both databases, which read and write values in the same form. `pulse` is a second connection to the
 * new database, which shows whether it still responds while `to` is busy.
 */
export type MoveSessions = { from: Sql; to: Sql; pulse: Sql; end: () => Promise<void> }

/** The plan of a move. `isBegun`: an earlier run has begun it. */
export type MovePlan = {
  state: DatabaseMove | null
  isBegun: boolean
  schemas: string[]
  tables: MovedTable[]
  definitions: MovedDefinitions
  dump: string
  fingerprint: string
  facts: TargetFacts
  sourceCollation: string
}
