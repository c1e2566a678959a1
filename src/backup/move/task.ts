import type { Sql } from 'postgres'
import type { ConnectionTarget } from '../../db/pool/open'
import type { Config } from '../../ops/settings/config'
import type { MovedDefinitions } from './entries'
import type { SilenceLimits } from './heartbeat'
import type { TargetFacts } from './requirements'
import type { DatabaseMove } from './state'
import type { MovedTable } from './tables'

type MoveProgress = {
  begin: (step: string, total: number | null) => void
  add: (bytes: number) => void
  say: (sentence: string) => void
}

export type MoveTask = {
  from: ConnectionTarget
  to: ConnectionTarget
  config: Config
  /** The schemas to move; null for all. */
  schemas: readonly string[] | null
  signal: AbortSignal
  progress: MoveProgress
  silence: SilenceLimits
}

/** Connections to both databases, which read and write values alike. */
export type MoveSessions = { from: Sql; to: Sql; end: () => Promise<void> }

/** What a move is about to do. `isBegun`: an earlier run has begun with it. */
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
