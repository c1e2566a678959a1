import type { ColumnTypeName } from '../column-types/descriptors'

/** One value that a function makes of the values of a lookup. */
export type ListSummary = { function: 'sum' | 'avg' | 'min' | 'max' | 'list' | 'count'; separator?: string }

/** A value that a formula uses: it is called `name` in its SQL, and was compiled for the column's `type`. */
export type FormulaUse = { id: string; name: string; type: string; summary?: ListSummary }

/**
 * A formula whose values PostgreSQL does not store. `sql` names the columns as they were called when it was compiled;
 * `uses` finds them, whatever they are called now.
 */
export type ReadFormula = {
  sql: string
  uses: FormulaUse[]
  /** Whether it also reads the time. */
  isTimed: boolean
  valueType: ColumnTypeName
  /** How many times as long as its longest text the result may be. */
  growth: number
}
