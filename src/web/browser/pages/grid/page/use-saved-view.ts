import { useMutation, useQuery } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { queryClient } from '../../../api/queries'
import { isSaveQueued, type SavedView, saveView, saveViewMutation, viewQuery } from '../../../records/list/table-queries'

/** Changes within this delay are saved together. */
const saveDelayMs = 500

/** The user's view of a table. Changes apply immediately and are saved after a delay. */
export function useSavedView(tableId: string) {
  const query = useQuery(viewQuery(tableId))
  const { mutate } = useMutation(saveViewMutation(tableId))
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const stopTimer = () => {
    const isRunning = timer.current !== undefined
    clearTimeout(timer.current)
    timer.current = undefined
    return isRunning
  }
  const save = () => {
    // A queued save sends the view of the moment when it starts.
    if (stopTimer() && !isSaveQueued(tableId)) mutate()
  }
  const change = (patch: (view: SavedView) => SavedView) => {
    queryClient.setQueryData(viewQuery(tableId).queryKey, (view: SavedView = {}) => patch(view))
    clearTimeout(timer.current)
    timer.current = setTimeout(save, saveDelayMs)
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: the functions use only refs and what belongs to the table
  useEffect(() => {
    // A closing window does not wait for the save before.
    const close = () => void ((stopTimer() || isSaveQueued(tableId)) && saveView(tableId).catch(() => {}))
    window.addEventListener('pagehide', close)
    return () => {
      window.removeEventListener('pagehide', close)
      save()
    }
  }, [tableId])
  return { query, change }
}
