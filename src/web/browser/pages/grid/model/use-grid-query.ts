import { useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect, useMemo, useRef, useState } from 'react'
import type { TableView } from '../../../../../tables/model'
import {
  isBareSearch,
  type ListQuery,
  parseListQuery,
  queryStringFor,
  toUrlSearch,
  validQuery,
  withoutRefused,
} from '../../../records/list/list-query'
import { findRefused, isRefusal } from '../../../records/list/refused-conditions'
import type { SavedView } from '../../../records/list/table-queries'
import type { RecordPages } from '../../../records/pages/record-pages'

type GridQueryOptions = { table: TableView; view: SavedView; change: (patch: (view: SavedView) => SavedView) => void }

export type GridQuery = ReturnType<typeof useGridQuery>

/**
 * The query of the page's URL; without one, the query of the saved view. `applied` is the query without conditions
 * that cannot be applied, and `parameters` its query string.
 */
export function useGridQuery({ table, view, change }: GridQueryOptions) {
  const search = useSearch({ from: '/app/tables/$tableId' })
  const navigate = useNavigate()
  const viewId = view.named?.id
  const opened = useRef<string | null | undefined>(null)
  const isOpened = opened.current === viewId && (!viewId || search.view === viewId)
  const savedSearch = !isOpened && isBareSearch(search) ? view.search : undefined
  const key = JSON.stringify(savedSearch ?? search)
  const query = useMemo(() => parseListQuery(JSON.parse(key)), [key])
  const [refused, setRefused] = useState<ReadonlyMap<string, string>>(new Map())
  const applied = useMemo(() => validQuery(withoutRefused(query, refused), table), [query, refused, table])
  // The URL changes a moment after `setQuery`; until then, the view must not remember the query.
  const [isSet, isUnsaved] = [useRef(false), useRef(false)]
  const setQuery = (next: ListQuery) => {
    isSet.current = true
    void navigate({ to: '.', search: toUrlSearch(next, viewId), hash: true, replace: true })
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: the flags are refs
  useEffect(() => {
    isUnsaved.current ||= isSet.current
    isSet.current = false
  }, [query])
  useEffect(() => {
    opened.current = viewId
    const next = { ...(viewId && { view: viewId }), ...savedSearch }
    if (savedSearch && Object.keys(next).length) void navigate({ to: '.', search: next, hash: true, replace: true })
  }, [savedSearch, viewId, navigate])
  /** Saves a changed query with the view, without the search. */
  const remember = () => {
    if (isUnsaved.current) change((before) => ({ ...before, search: toUrlSearch({ ...applied, q: '' }) }))
    isUnsaved.current = false
  }
  return { query, applied, parameters: queryStringFor(applied, table), refused, setRefused, setQuery, remember }
}

/**
 * Remembers a query only after its list has loaded, so that no broken query is remembered, and looks for the conditions
 * that the service refuses.
 * @returns whether the search for refused conditions is still running
 */
export function useQueryOutcome(
  table: TableView,
  list: RecordPages,
  { applied, parameters, setRefused, remember, query }: GridQuery,
): boolean {
  const [checked, setChecked] = useState<RecordPages | null>(null)
  const isCurrent = list.source.query === parameters
  const isRefused = isCurrent && !list.isLoaded && isRefusal(list.error)
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each query and list
  useEffect(() => {
    if (isCurrent && list.isLoaded) remember()
  }, [query, list, isCurrent, list.isLoaded])
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each list
  useEffect(() => {
    if (!isRefused) return
    void findRefused(table, applied).then((found) => {
      if (found.size) setRefused((before) => new Map([...before, ...found]))
      setChecked(list)
    })
  }, [list, isRefused])
  return isRefused && checked !== list
}
