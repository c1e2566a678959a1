import { translatable } from '../../../messages/message'
import type { Column, Table } from '../../../tables/model'
import { comparedType } from '../../../tables/sql-types'
import { queryFailure, unknownColumn, unreadableColumn } from '../plan-failure'
import type { ColumnPath } from '../tree'
import { familyOf } from '../type-families'
import { planLimits } from './limits'
import type { PlannedField } from './types'

const byName = new WeakMap<Table, Map<string, Column>>()

/** A table's column by name; a map, since a name may be any word. */
export function findColumn(table: Table, name: string): Column | undefined {
  const known = byName.get(table) ?? new Map(table.columns.map((column) => [column.name, column]))
  byName.set(table, known)
  return known.get(name)
}

/** @throws QueryFailure unknownColumn, unreadableColumn */
function readableColumn(table: Table, name: string): Column {
  const column = findColumn(table, name) ?? throwFieldFailure(unknownColumn(table, name))
  if (column.access?.isHidden) throw unknownColumn(table, name)
  return column.isReadable ? column : throwFieldFailure(unreadableColumn(table, name, column.access?.isUnreadable))
}

/** @throws QueryFailure unknownColumn, unreadableColumn, notJson, tooMuch */
export function planField(table: Table, { name, steps }: ColumnPath): PlannedField {
  const column = readableColumn(table, name)
  if (steps.length > planLimits.steps)
    throw queryFailure(
      'tooMuch',
      translatable('The path into "{name}" has too many steps; at most {steps} are allowed.', { name, steps: planLimits.steps }),
    )
  // Steps into arrays and composite types also work: PostgreSQL converts them to JSON.
  if (steps.length && !['json', 'array', 'other'].includes(familyOf(column.comparedAs))) {
    throw queryFailure(
      'notJson',
      translatable('The column "{name}" does not hold JSON, so "->" does not work on it.', { name }),
      translatable('Leave the "->" out.'),
    )
  }
  if (steps.slice(0, -1).some(({ as }) => as === 'text')) {
    throw queryFailure(
      'notJson',
      translatable('In the path into "{name}", "->>" is not the last arrow.', { name }),
      translatable('"->>" returns text, so only the last arrow may be "->>".'),
    )
  }
  return { table, column, steps }
}

/** The schema of the operators for a field's values; undefined for PostgreSQL's own. */
export const operatorSchema = ({ column, steps }: PlannedField): string | undefined => (steps.length ? undefined : column.operatorSchema)

/** The type that a value to compare with is cast to. */
export function fieldType({ column, steps }: PlannedField): string {
  const last = steps.at(-1)
  if (!last) return comparedType(column.comparedAs)
  // `json`, unlike `jsonb`, has no comparison.
  return last.as === 'text' ? 'text' : 'jsonb'
}

function throwFieldFailure(failure: Error): never {
  throw failure
}
