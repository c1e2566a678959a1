import { useRouter } from '@tanstack/react-router'
import type { TableView } from '../../../../../tables/model'
import type { Records } from '../data/record-pages'

/** Goes to the form of the record that stands in a row. What is looked for goes along, for the ways to the records before and after. */
export function useRecordOpening(table: TableView, records: Records) {
  const router = useRouter()
  return (row: number) => {
    const key = records.rowAt(row)?.key
    // The key is encoded already, as part of an address; the router decodes the path once.
    if (key)
      router.history.push(`/tables/${encodeURIComponent(table.id)}/records/${encodeURIComponent(key)}${router.state.location.searchStr}`)
  }
}
