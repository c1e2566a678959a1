import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate, useRouter, useSearch } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { ApiError } from '../../../api/api-error'
import { queryClient } from '../../../api/queries'
import { isBareSearch, type UrlSearch, viewIdOf } from '../../../records/list/list-query'
import { fetchOwnView, isSaveQueued, type SavedView, saveView, saveViewMutation, viewQuery } from '../../../records/list/table-queries'
import type { GridModel } from '../model/grid-model'
import { namedViewQuery } from './views/named-view-query'

/** Changes within this delay are saved together. */
const saveDelayMs = 500

/** The user's own view of a table. Changes apply immediately and are saved after a delay. */
function useOwnView(tableId: string) {
  const query = useQuery(viewQuery(tableId))
  const [failure, setFailure] = useState<unknown>(null)
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
    const { queryKey } = viewQuery(tableId)
    // A change of a view that could not be loaded would replace all of it.
    if (!queryClient.getQueryData(queryKey)) return void loadAndChange(patch).catch(setFailure)
    queryClient.setQueryData(queryKey, (view) => view && patch(view))
    clearTimeout(timer.current)
    timer.current = setTimeout(save, saveDelayMs)
  }
  // Not by the query: the page would show that it is loading.
  const loadAndChange = async (patch: (view: SavedView) => SavedView) => {
    const loaded = await fetchOwnView(tableId)
    queryClient.setQueryData(viewQuery(tableId).queryKey, (view) => view ?? loaded)
    change(patch)
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
  return { query, change, failure: query.data ? null : (failure ?? query.error) }
}

/**
 * The named view of the URL or, for a URL without a search, the one that the user had chosen last when they came; else
 * the user's own view, with the failure of either if there is one. A copy holds the changes of a named view.
 */
export function useSavedView(tableId: string) {
  const search = useSearch({ from: '/app/tables/$tableId' })
  const navigate = useNavigate()
  const own = useOwnView(tableId)
  const ownView = own.query.data ?? (own.query.error ? {} : undefined)
  const isBare = Object.keys(search).length === 0
  const entered = useEnteredView(tableId, isBare, ownView)
  const id = viewIdOf(search) ?? (isBare ? entered.current.id : undefined)
  const named = useQuery({ ...namedViewQuery(tableId, id ?? ''), enabled: Boolean(id && ownView) })
  const open = (to: UrlSearch = {}, replace = false) =>
    void navigate({ to: '/tables/$tableId', params: { tableId }, search: to, hash: replace || undefined, replace })
  const turns = useTurns(tableId)
  const choose: GridModel['choose'] = async (opening, rest) => {
    const { pathname } = window.location
    const turn = ++turns.current
    const found = await opening
    if (turn !== turns.current || window.location.pathname !== pathname) return
    // All records: without `rest`, the user's own view keeps its order, but no filter.
    const { order } = rest ?? ownView?.search ?? {}
    const { named, search: to } = found ?? { search: order ? { order } : {} }
    own.change((before) => ({ ...before, current: named?.id, ...(!named && { search: to }) }))
    open({ ...(named && { view: named.id }), ...to, ...(rest?.q && { q: rest.q }) })
  }
  /** Leaves a view that does not exist for this user. What else the URL says stays. */
  const drop = () => {
    const { view: _, ...rest } = search
    entered.current.id = undefined
    if (ownView?.current === id) own.change((before) => ({ ...before, current: undefined }))
    open(isBareSearch(search) ? ownView?.search : rest, true)
  }
  const failure = id && (isMissing(named.error) || !named.data) ? named.error : null
  const actions = { choose, drop, failure: failure ?? own.failure }
  if (!id) return { ...actions, view: ownView, query: own.query, change: own.change }
  if (failure) return { ...actions, view: { ...ownView, search: undefined }, query: own.query, change: own.change }
  const changeCopy: GridModel['change'] = (patch) =>
    queryClient.setQueryData(namedViewQuery(tableId, id).queryKey, (view: SavedView = {}) => patch(view))
  return { ...actions, view: named.data, query: ownView ? named : own.query, change: changeCopy }
}

/**
 * The named view of a URL without a search. It is another one only after a link: the way back, and a query that the
 * user removes from the URL, lead to the user's own view.
 */
function useEnteredView(tableId: string, isBare: boolean, ownView: SavedView | undefined) {
  const { history } = useRouter()
  const entered = useRef<{ tableId?: string; isBare?: boolean; isKnown?: boolean; id?: string }>({})
  if (entered.current.tableId !== tableId) entered.current = { tableId, isBare }
  if (ownView && !entered.current.isKnown)
    entered.current = { ...entered.current, isKnown: true, id: entered.current.isBare ? ownView.current : undefined }
  useEffect(
    () =>
      history.subscribe(({ action, location }) => {
        if (action.type !== 'PUSH' || location.search || !location.pathname.endsWith(`/${encodeURIComponent(tableId)}`)) return
        entered.current = { tableId, isKnown: true, id: queryClient.getQueryData(viewQuery(tableId).queryKey)?.current }
      }),
    [history, tableId],
  )
  // From now on the URL says what the page shows, also when it says nothing again.
  useEffect(() => {
    if (!isBare) entered.current.id = undefined
  }, [isBare])
  return entered
}

/** Counts the choices of the user; on another page nothing of this one counts any more. */
function useTurns(tableId: string) {
  const turns = useRef(0)
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each table
  useEffect(() => () => void turns.current++, [tableId])
  return turns
}

/** Whether there is no such view for this user, or no view can have such an id. */
export const isMissing = (error: unknown): boolean => error instanceof ApiError && [404, 422].includes(error.status)
