import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { queryClient } from '../../../api/queries'
import { viewIdOf } from '../../../records/list/list-query'
import { isSaveQueued, type SavedView, saveView, saveViewMutation, viewQuery } from '../../../records/list/table-queries'
import type { GridModel } from '../model/grid-model'
import { namedViewQuery } from './views/named-view-query'

/** Changes within this delay are saved together. */
const saveDelayMs = 500

/** The user's own view of a table. Changes apply immediately and are saved after a delay. */
function useOwnView(tableId: string) {
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
  const change: GridModel['change'] = (patch) => {
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

/**
 * The named view of the URL or, for a URL without a search, the last one that the user chose; else the user's own view.
 * A copy holds the changes of a named view until it is chosen again.
 */
export function useSavedView(tableId: string) {
  const search = useSearch({ from: '/app/tables/$tableId' })
  const navigate = useNavigate()
  const own = useOwnView(tableId)
  const isBare = Object.keys(search).length === 0
  // A query that the user removes from the URL does not lead to another view.
  const entered = useRef({ tableId: '', isBare })
  if (entered.current.tableId !== tableId) entered.current = { tableId, isBare }
  const id = viewIdOf(search) ?? (isBare && entered.current.isBare ? own.query.data?.current : undefined)
  const named = useQuery({ ...namedViewQuery(tableId, id ?? ''), enabled: Boolean(id && own.query.data) })
  const ownView = own.query.data ?? (own.query.error ? {} : undefined)
  /** @param next undefined for the user's own view */
  const choose: GridModel['choose'] = (next, found, isReplaced = false) => {
    own.change((before) => ({ ...before, current: next }))
    void navigate({ to: '.', search: { ...(next && { view: next }), ...(next ? found : ownView)?.search }, replace: isReplaced })
  }
  if (!id) return { view: ownView, query: own.query, change: own.change, choose }
  const changeCopy: GridModel['change'] = (patch) =>
    queryClient.setQueryData(namedViewQuery(tableId, id).queryKey, (view: SavedView = {}) => patch(view))
  if (named.data?.named === null) return { view: { ...ownView, named: null }, query: named, change: own.change, choose }
  return { view: named.data, query: own.query.data ? named : own.query, change: changeCopy, choose }
}
