import type { TableView } from '../../../../tables/model'
import type { Template } from '../../api/documents-query'
import { tableByName } from '../../records/values/column'

export type DocumentRecord = { table: TableView; key: string }

/**
 * The record that a document is about; only templates with `for` specify it.
 * @param address the URL of the document; null while there is none
 */
export function documentRecord({ for: records }: Template, address: string | null, tables: readonly TableView[]): DocumentRecord | null {
  if (!records || address === null) return null
  const parameters = new URLSearchParams(address.slice(address.indexOf('?')))
  const keys = parameters.getAll(records.key)
  const table = tableByName(tables, records.table ?? parameters.get(records.tableParam ?? '') ?? '')
  return table?.primaryKey.length && keys.length === 1 ? { table, key: keys[0]! } : null
}
