import type { TableView } from '../../../../tables/model'
import type { RestoreLosses } from '../../strings/en/grid'
import { toText } from '../../values/exact-json'
import { cellFiles, type RecordValues } from '../values/cell-values'
import { type ColumnInfo, isGenerated } from '../values/column'
import { keySegment } from '../values/record-key'
import type { BatchOperation } from './batch'
import { dependentColumns } from './dependents'

/** The maximum number of deleted records that can be restored. */
export const maxRestorable = 2_000

/**
 * The losses when deleted records are created again.
 * @param records null if they are not known
 */
export function restoreLosses(table: TableView, tables: readonly TableView[], records: readonly RecordValues[] | null): RestoreLosses {
  const hasFiles = ({ name }: ColumnInfo) => !records || records.some((record) => cellFiles(record[name]).length > 0)
  const named = (isMeant: (column: ColumnInfo) => boolean) => table.columns.filter(isMeant).map(({ name }) => name)
  const isAnew = (column: ColumnInfo) => isGenerated(column) && column.type !== 'formula'
  const linking = (isDeleted: boolean) =>
    tables.filter((each) => dependentColumns(each, table, isDeleted).length > 0).map(({ name }) => name)
  return {
    files: named((column) => column.type === 'attachment' && hasFiles(column)),
    regenerated: named(isAnew),
    unlinked: linking(false),
    deleted: linking(true),
  }
}

/**
 * The request that creates a deleted record again, with its key where the database allows it. An existing record is not
 * overwritten.
 */
export function restoreOperation(table: TableView, record: RecordValues): BatchOperation {
  const isSent = (column: ColumnInfo) => !isGenerated(column) && column.type !== 'attachment' && column.name in record
  const isKey = ({ name }: { name: string }) => table.primaryKey.includes(name)
  const sent = table.columns.filter(isSent)
  const body = (columns: typeof sent) => Object.fromEntries(columns.map(({ name }) => [name, record[name]]))
  if (table.columns.some((column) => isKey(column) && isGenerated(column))) return { method: 'POST', table: table.id, body: body(sent) }
  const rest = body(sent.filter((column) => !isKey(column)))
  return { method: 'PUT', table: table.id, pk: keySegment(table, record), ifNoneMatch: '*', body: rest }
}

/** The records in an order in which they can be created: linked records first. */
export function inLinkOrder({ id, primaryKey, columns }: TableView, records: readonly RecordValues[]): RecordValues[] {
  const links = columns.filter(({ type, options }) => ['link', 'manyLinks'].includes(type) && options.table === id)
  if (links.length === 0) return [...records]
  const waiting = new Map(records.map((record) => [toText(record[primaryKey[0]!]), record]))
  const ordered: RecordValues[] = []
  const take = (key: string) => {
    const record = waiting.get(key)
    if (!record) return
    waiting.delete(key)
    for (const { name } of links) for (const target of [record[name]].flat()) take(toText(target))
    ordered.push(record)
  }
  for (const key of [...waiting.keys()]) take(key)
  return ordered
}
