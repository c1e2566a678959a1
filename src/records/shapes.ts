import type { Table } from '../tables/model'
import type { Statement } from './query/sql'

/** Of one table and one kind of statement. */
const mostPrepared = 20

/**
 * A statement whose text depends on the columns that a body names. A prepared one stays with its connection for good, and of columns
 * there are more sets than memory has room for: the first few sets of a table are prepared, the others are not.
 */
export function shaped(build: (table: Table, names: readonly string[]) => Statement) {
  const kept = new WeakMap<Table, Map<string, Statement>>()
  return (table: Table, names: readonly string[]): { statement: Statement; prepare: boolean } => {
    const known = kept.get(table) ?? new Map<string, Statement>()
    kept.set(table, known)
    const shape = JSON.stringify(names)
    const statement = known.get(shape) ?? build(table, names)
    if (known.size < mostPrepared) known.set(shape, statement)
    return { statement, prepare: known.has(shape) }
  }
}
