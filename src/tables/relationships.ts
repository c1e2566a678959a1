import type { Table } from './model'

/** How rows of `from` lead to rows of `to`. Column names pair up: `columns` are pairs of a column of `from` and one of `to`. */
export type Relationship = {
  from: Table
  to: Table
  /** `toOne` where a row has at most one counterpart: it holds the foreign key, or the other side's foreign key is unique. */
  cardinality: 'toOne' | 'toMany' | 'manyToMany'
  /** The foreign key that makes it; of `manyToMany` the one from the join table to `to`. What `!hint` may name. */
  constraint: string
  columns: [string, string][]
  /** The table in between: pairs of a column of `from` and one of it, and of one of it and a column of `to`. */
  through?: { table: Table; constraint: string; columns: [string, string][]; targetColumns: [string, string][] }
}
