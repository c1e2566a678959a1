import { useEffect, useRef, useSyncExternalStore } from 'react'
import type { RecordPages } from '../../../records/pages/record-pages'

/**
 * Returns the list to display: the previous one until the wanted one has loaded, so that the rows stay while the user
 * edits a filter. Both receive updates.
 */
export function useShownPages(wanted: RecordPages): RecordPages {
  const last = useRef(wanted)
  const opened = useRef(new Map<RecordPages, () => void>())
  useSyncExternalStore(wanted.subscribe, () => wanted.version)
  const shown = wanted.isLoaded || !last.current.isLoaded || last.current.source.tableId !== wanted.source.tableId ? wanted : last.current
  useSyncExternalStore(shown.subscribe, () => shown.version)
  useEffect(() => {
    last.current = shown
    const needed = new Set([wanted, shown])
    for (const list of needed) if (!opened.current.has(list)) opened.current.set(list, list.open())
    for (const [list, close] of opened.current) {
      if (needed.has(list)) continue
      close()
      opened.current.delete(list)
    }
  }, [wanted, shown])
  useEffect(() => {
    const all = opened.current
    return () => {
      for (const close of all.values()) close()
      all.clear()
    }
  }, [])
  return shown
}
