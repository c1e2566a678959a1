import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { send } from '../../../api/client'
import { queryClient } from '../../../api/queries'
import { viewAddress, viewQuery } from '../data/table-queries'
import type { View } from '../view/column-layout'

/** Several changes in a row are kept at once. */
const pauseMs = 500

/** How this user looks at this table. What is changed is seen at once and kept on the server a little later. */
export function useView(tableId: string) {
  const query = useQuery(viewQuery(tableId))
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const change = (patch: (view: View) => View) => {
    queryClient.setQueryData(viewQuery(tableId).queryKey, (view: View = {}) => patch(view))
    clearTimeout(timer.current)
    timer.current = setTimeout(() => void keep(tableId), pauseMs)
  }
  // Whoever leaves at once loses nothing.
  useEffect(() => {
    const leave = () => {
      if (timer.current) void keep(tableId)
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

async function keep(tableId: string) {
  const view = queryClient.getQueryData(viewQuery(tableId).queryKey)
  const body = JSON.stringify(view ?? {})
  // A view that could not be kept is one that looks otherwise next time: no reason to disturb anybody.
  await send(viewAddress(tableId), { method: 'PUT', headers: { 'content-type': 'application/json' }, body, keepalive: true }).catch(
    () => {},
  )
}
