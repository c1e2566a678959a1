import type { ColumnTypeName } from '../column-types/descriptors'

/** A function that reduces the values of a lookup to one value. */
export type ListSummary = { function: 'sum' | 'avg' | 'min' | 'max' | 'list' | 'count'; separator?: string }

/** A value that a formula uses: it is called `name` in its SQL, and was compiled for the column's `type`. */
export type FormulaUse = { id: string; name: string; type: string; summary?: ListSummary }

/**
 * A formula whose values PostgreSQL does not store. `sql` contains the names that the columns had when it was compiled;
 * `uses` finds the columns by id after a rename.
 */
export type ReadFormula = {
  sql: string
  uses: FormulaUse[]
  /** Whether it also reads the time. */
  isTimed: boolean
  valueType: ColumnTypeName
  /** The maximum ratio of the result's length to its longest text. */
  growth: number
}
