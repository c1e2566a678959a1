import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { send } from '../../../api/client'
import { queryClient } from '../../../api/queries'
import type { SavedView } from '../data/table-queries'
import { viewQuery, viewUrl } from '../data/table-queries'

/** Changes within this delay are saved together. */
const pauseMs = 500

/** The user's view of a table. Changes apply immediately and are saved after a delay. */
export function useSavedView(tableId: string) {
  const query = useQuery(viewQuery(tableId))
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const change = (patch: (view: SavedView) => SavedView) => {
    queryClient.setQueryData(viewQuery(tableId).queryKey, (view: SavedView = {}) => patch(view))
    clearTimeout(timer.current)
    timer.current = setTimeout(() => void saveView(tableId), pauseMs)
  }
  // Save pending changes when the page is left.
  useEffect(() => {
    const leave = () => {
      if (timer.current) void saveView(tableId)
      timer.current = undefined
    }
    window.addEventListener('pagehide', leave)
    return () => {
      window.removeEventListener('pagehide', leave)
      leave()
    }
  }, [tableId])
  return { query, change }
}

async function saveView(tableId: string) {
  const view = queryClient.getQueryData(viewQuery(tableId).queryKey)
  const body = JSON.stringify(view ?? {})
  // Ignore the error: the view is not worth a message.
  await send(viewUrl(tableId), { method: 'PUT', headers: { 'content-type': 'application/json' }, body, keepalive: true }).catch(() => {})
}
