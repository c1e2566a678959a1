import { touchingRows } from '../../../db/search-path'
import { validationFailed } from '../../../errors'
import { type Message, translatable } from '../../../messages/message'
import { columnTypes } from '../../column-types'
import { addColumnStatements, type ColumnDescription, defaultExpression, type TableDescription } from '../../ddl'
import type { Column } from '../../model'
import { identifier, qualifiedName } from '../../sql-text'

/** Files belong to one cell, and the values of the other types come from the database or other tables. */
const isCopyable = ({ type }: Pick<Column, 'type'>): boolean =>
  type !== 'attachment' && columnTypes[type].filledBy === undefined && !columnTypes[type].isVirtual

/** @throws Failure validation_failed unless the new column can hold the values of the other one */
export function requireCopyable(from: Column, to: ColumnDescription): void {
  const fail = (message: Message) => validationFailed([{ path: '/copyValuesFrom', message }])
  if (!isCopyable(from)) throw fail(translatable('Values of the type {type} cannot be copied.', { type: from.type }))
  if (from.type !== to.type || from.sqlType !== to.sqlType) throw fail(translatable('The column has another type.'))
  // Only links have the option; the same key is another record in another table.
  if (from.options.table !== to.options.table) throw fail(translatable('The column links to another table.'))
}

/**
 * Adds a column with the values of another one. The table is rewritten as in a change of type, so that no trigger runs
 * and `updatedAt` stays.
 */
export function addCopyStatements(table: TableDescription, from: Column, to: ColumnDescription): string[] {
  if (from.joinTable && to.joinTable) {
    const columns = ({ ownColumns, targetColumns }: NonNullable<Column['joinTable']>) =>
      [...ownColumns, ...targetColumns].map(identifier).join(', ')
    return [
      ...addColumnStatements(table, to),
      ...touchingRows(
        `insert into ${qualifiedName(to.joinTable)} (${columns(to.joinTable)}) select ${columns(from.joinTable)} from ${qualifiedName(from.joinTable)}`,
      ),
    ]
  }
  const column = `alter table ${qualifiedName(table)} alter column ${identifier(to.name)}`
  const expression = defaultExpression(to)
  return [
    // All records would have the default until they are given their values, which a unique column refuses.
    ...addColumnStatements(table, { ...to, required: false, default: null }),
    ...touchingRows(`${column} type ${to.sqlType} using (${identifier(from.name)})`),
    ...(expression === null ? [] : [`${column} set default ${expression}`]),
    ...(to.required ? [`${column} set not null`] : []),
  ]
}
