import { useRouter } from '@tanstack/react-router'
import type { TableView } from '../../../../tables/model'
import type { Records } from './records'

/** Goes to the form of the record that stands in a row. */
export function useRecordOpening(table: TableView, records: Records) {
  const { history } = useRouter()
  return (row: number) => {
    const key = records.rowAt(row)?.key
    // The key is encoded already, as part of an address; the router decodes the path once.
    if (key) history.push(`/tables/${encodeURIComponent(table.id)}/records/${encodeURIComponent(key)}`)
  }
}
