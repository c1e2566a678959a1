import { useEffect } from 'react'
import type { TableView } from '../../../../../tables/model'
import { followChanges } from '../../../records/pages/live-changes'

/** Lets the initial requests of the page go first. */
const startDelayMs = 500

/** Refreshes the list when others change its records, while the window is visible. */
export function useLiveChanges(table: TableView, refresh: () => Promise<unknown>) {
  useEffect(() => {
    let following: AbortController | null = null
    const follow = () => {
      following?.abort()
      following = document.visibilityState === 'visible' ? new AbortController() : null
      if (following) void followChanges(table, refresh, following.signal)
    }
    const timer = setTimeout(follow, startDelayMs)
    document.addEventListener('visibilitychange', follow)
    return () => {
      clearTimeout(timer)
      document.removeEventListener('visibilitychange', follow)
      following?.abort()
    }
  }, [table, refresh])
}
