import { useRouter } from '@tanstack/react-router'
import type { TableView } from '../../../../../tables/model'
import type { RecordPages } from '../data/record-pages'

/**
 * Opens a record's form. The search stays in the URL, for the links to the previous and next record.
 *
 * @param keepPlace keeps the place in the list for the way back
 */
export function useOpenRecord(table: TableView, records: RecordPages, keepPlace: (row: number) => void) {
  const router = useRouter()
  return (row: number) => {
    const key = records.rowAt(row)?.key
    // The key is already encoded as a path segment, and the router decodes the path once.
    if (!key) return
    keepPlace(row)
    router.history.push(`/tables/${encodeURIComponent(table.id)}/records/${encodeURIComponent(key)}${router.state.location.searchStr}`)
  }
}
