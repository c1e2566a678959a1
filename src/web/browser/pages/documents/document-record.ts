import { useQuery } from '@tanstack/react-query'
import type { TableView } from '../../../../tables/model'
import type { Template } from '../../api/documents-query'
import { tablesQuery } from '../../api/queries'
import { toFileName } from '../../records/list/record-templates'
import { tableByName } from '../../records/values/column'
import { fetchLabels } from '../../records/values/linked-records'

/** The record that a document is about, and the name for its file, without the ending. */
type DocumentRecord = { record: { table: TableView; key: string } | null; fileName: string }

/** @param address the URL of the document; null while there is none. Only a template with `for` names its record. */
export function useDocumentRecord(template: Template, address: string | null): DocumentRecord {
  const { data: tables = [] } = useQuery(tablesQuery)
  const record = findRecord(template, address, tables)
  const { data: labels } = useQuery({
    queryKey: ['records', record?.table.id, 'labels', record?.key],
    enabled: record !== null,
    retry: false,
    queryFn: ({ signal }) => fetchLabels(record!.table, [record!.key], signal),
  })
  if (!record) return { record, fileName: template.template }
  const subject = template.for?.tableParam === undefined ? template.title : record.table.name
  return { record, fileName: toFileName(`${subject} ${labels?.[0]?.label ?? record.key}`) || template.template }
}

function findRecord({ for: records }: Template, address: string | null, tables: readonly TableView[]): DocumentRecord['record'] {
  if (!records || address === null) return null
  const parameters = new URLSearchParams(address.slice(address.indexOf('?')))
  const keys = parameters.getAll(records.key)
  const table = tableByName(tables, records.table ?? parameters.get(records.tableParam ?? '') ?? '')
  return table?.primaryKey.length === 1 && keys.length === 1 ? { table, key: keys[0]! } : null
}
