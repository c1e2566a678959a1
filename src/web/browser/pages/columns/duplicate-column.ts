import { findColumnType } from '../../../../tables/column-types/descriptors'
import type { TableView } from '../../../../tables/model'
import type { ColumnInfo } from '../../records/values/column'
import { createColumn, invalidateTable } from '../../records/values/column-data'
import { decimalMark } from '../../values/decimal'
import { toColumnBody, toColumnDraft } from './column-draft'

/** Excludes files, which belong to one cell, and types whose values are generated. */
const hasCopyableValues = ({ type }: ColumnInfo): boolean => findColumnType(type)?.filledBy === undefined

/**
 * Creates a copy of a column after it, with its definition and, if they can be copied, its values.
 * @throws ApiError
 */
export async function duplicateColumn(table: TableView, column: ColumnInfo, name: string) {
  const body = { ...toColumnBody(toColumnDraft(column, decimalMark()), decimalMark()), name, position: column.position + 1 }
  const hasValues = hasCopyableValues(column)
  const created = await createColumn(table, hasValues ? { ...body, copyValuesFrom: column.id } : body)
  await invalidateTable()
  return { created, hasValues }
}
