import type { ColumnTypeName } from '../column-types/descriptors'

/**
 * A formula whose values PostgreSQL does not store. `sql` names the columns as they were called when it was compiled;
 * `uses` finds them, whatever they are called now.
 */
export type ReadFormula = {
  sql: string
  uses: { id: string; name: string; type: string }[]
  /** Whether it also reads the time. */
  isTimed: boolean
  valueType: ColumnTypeName
  /** How many times as long as its longest text the result may be. */
  growth: number
  /** The same, counting the formulas that it uses. */
  total?: number
}
