import { useLocation, useNavigate, useRouter } from '@tanstack/react-router'
import { useGridModel } from '../model/grid-model'

/** In pixels. In a narrower window, a record opens on its own page. */
const minWidthBeside = 900

/**
 * Opens records beside the grid. The URL names the open record after the `#`, where no column name can occur, so that
 * links to it work.
 */
export function useOpenRecord() {
  const { table, records, keepPlace } = useGridModel()
  const router = useRouter()
  const navigate = useNavigate()
  const hash = useLocation({ select: (location) => location.hash })
  const segment = new URLSearchParams(hash).get('record')

  /** @param next the key as a path segment; null closes */
  const showBeside = (next: string | null) =>
    void navigate({
      to: '.',
      search: true,
      hash: next === null ? '' : String(new URLSearchParams({ record: next })),
      hashScrollIntoView: false,
      // The next record replaces the previous one in the history, so that Back closes the record.
      replace: segment !== null,
    })
  const openRecord = (row: number) => {
    const key = records.rowAt(row)?.key
    if (!key) return
    if (window.innerWidth >= minWidthBeside) {
      // Until the record has loaded, keys have no effect.
      if (document.activeElement instanceof HTMLElement) document.activeElement.blur()
      return showBeside(key)
    }
    keepPlace(row)
    // The key is already encoded as a path segment, and the router decodes the path once. The search stays in the
    // URL for the links to the previous and next record.
    router.history.push(`/tables/${encodeURIComponent(table.id)}/records/${encodeURIComponent(key)}${router.state.location.searchStr}`)
  }
  const newRecord = () => void navigate({ to: '/tables/$tableId/records/new', params: { tableId: table.id } })
  return { segment, openRecord, showBeside, newRecord }
}
