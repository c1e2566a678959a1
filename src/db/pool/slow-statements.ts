import { displayStatement } from '../../ops/log/shown-statement'
import type { DriverStatement } from './scope'

export type OnSlowStatement = (text: string, durationMs: number) => void

/** Measured here rather than by PostgreSQL, so that it also works for an external database, whose log is elsewhere. */
export const watchStatements =
  (limitMs: number, onSlow: OnSlowStatement) =>
  (statement: DriverStatement): void => {
    const startedAt = performance.now()
    const look = () => {
      const durationMs = performance.now() - startedAt
      if (durationMs >= limitMs) onSlow(displayStatement(statement.strings.join('?')), durationMs)
    }
    statement.then(look, look)
  }
