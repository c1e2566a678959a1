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
    // A queued save sends the view as it is when the save starts.
    if (stopTimer() && !isSaveQueued(tableId)) mutate()
  }
  const change: GridModel['change'] = (patch) => {
    const { queryKey } = viewQuery(tableId)
    // If the view could not be loaded, saving a change would replace the whole view.
    if (!queryClient.getQueryData(queryKey)) return void loadAndChange(patch).catch(setFailure)
    queryClient.setQueryData(queryKey, (view) => view && patch(view))
    clearTimeout(timer.current)
    timer.current = setTimeout(save, saveDelayMs)
  }
  // Does not use the query, because the page would show that it is loading.
  const loadAndChange = async (patch: (view: SavedView) => SavedView) => {
    const loaded = await fetchOwnView(tableId)
    queryClient.setQueryData(viewQuery(tableId).queryKey, (view) => view ?? loaded)
    change(patch)
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: the functions use only refs and what belongs to the table
  useEffect(() => {
    // A window that closes cannot wait for the pending save.
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
 * The named view in the URL; without a search in the URL, the named view that the user chose last; otherwise the user's
 * own view. Includes the failure to load either of them. Changes of a named view are made in a copy.
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
  /** Leaves a view that does not exist for this user. The rest of the URL stays. */
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
 * The named view for a URL without a search. Only following a link changes it. Going back, or removing the query from
 * the URL, leads to the user's own view.
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
  // Once the URL has a search, it decides what the page shows, even if the search is removed again.
  useEffect(() => {
    if (!isBare) entered.current.id = undefined
  }, [isBare])
  return entered
}

/** Counts the user's choices, so that an outdated choice, or one made on another page, has no effect. */
function useTurns(tableId: string) {
  const turns = useRef(0)
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each table
  useEffect(() => () => void turns.current++, [tableId])
  return turns
}

/** Whether the view does not exist for this user, or its id is invalid. */
export const isMissing = (error: unknown): boolean => error instanceof ApiError && [404, 422].includes(error.status)
