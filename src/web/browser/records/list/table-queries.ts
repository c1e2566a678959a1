import { mutationOptions, queryOptions } from '@tanstack/react-query'
import type { NamedView } from '../../../../tables/views/model'
import { api, send, unwrap } from '../../api/client'
import { cachedTables, queryClient, visitorQuery } from '../../api/queries'
import { jsonHeaders } from '../../api/urls'
import { readJson } from '../values/cell-values'
import { firstPageQuery } from './first-page'
import { isBareSearch, parseListQuery, queryStringFor, type UrlSearch, viewIdOf } from './list-query'
import { followRenames } from './renamed-columns'

/**
 * A user's view of a table, saved on the server. Columns are referenced by id, which does not change when a column is
 * renamed.
 */
export type SavedView = {
  widths?: Record<string, number>
  order?: string[]
  hidden?: string[]
  pinned?: string[]
  /** The summary of each column (`SummaryName`), by id. */
  summaries?: Record<string, string>
  /** The height of rows; short if it is missing. */
  rowSize?: string
  /** Whether rows of several lines wrap their text. */
  wraps?: boolean
  /** Whether a phone, too, shows the grid instead of a list of cards. */
  isGridOnPhone?: boolean
  /** The last filter and order of the page, as in its URL. */
  search?: Record<string, string | string[]>
  /** The id of the named view that the user chose last. */
  current?: string
  /** The named view that this is an edited copy of. */
  named?: NamedViewCopy
}

/** `saved` is the arrangement of the saved view, as JSON, and `version` counts its changes. */
type NamedViewCopy = Omit<NamedView, 'settings'> & { saved: string }

queryClient.getQueryCache().subscribe(followRenames)

export const tableQuery = (tableId: string) =>
  queryOptions({ queryKey: ['tables', tableId], queryFn: () => unwrap(api.tables({ tableId: encodeURIComponent(tableId) }).get()) })

const viewUrl = (tableId: string) => `/api/v1/tables/${encodeURIComponent(tableId)}/view`

/** @throws ApiError */
export const fetchOwnView = async (tableId: string): Promise<SavedView> => readJson<SavedView>(await send(viewUrl(tableId)))

export const viewQuery = (tableId: string) =>
  queryOptions({
    queryKey: ['view', tableId],
    staleTime: Number.POSITIVE_INFINITY,
    // Changes that are not saved yet are in the cache only.
    refetchOnWindowFocus: false,
    queryFn: () => fetchOwnView(tableId),
  })

/** The key of the copy of a named view that the user edits. */
export const namedViewKey = (tableId: string, id: string) => ['view', tableId, id]

/**
 * Saves the cached view. After a sign-out the cache has none, so it does not overwrite the next user's view. An
 * administrator who views the service as another user does not overwrite that user's view either.
 */
export async function saveView(tableId: string) {
  const view = queryClient.getQueryData(viewQuery(tableId).queryKey)
  const visitor = queryClient.getQueryData(visitorQuery.queryKey)
  const isViewing = visitor?.state === 'signedIn' && visitor.viewedBy !== undefined
  if (view && !isViewing) await send(viewUrl(tableId), { method: 'PUT', headers: jsonHeaders, body: JSON.stringify(view), keepalive: true })
}

/** Saves of one view run one after the other: overlapping requests may arrive in any order. */
export const saveViewMutation = (tableId: string) =>
  mutationOptions({ mutationKey: ['view', tableId], scope: { id: `view ${tableId}` }, mutationFn: () => saveView(tableId) })

/** Whether a save is waiting for the previous one. */
export const isSaveQueued = (tableId: string): boolean =>
  queryClient.isMutating({ mutationKey: saveViewMutation(tableId).mutationKey, predicate: ({ state }) => state.isPaused }) > 0

/** The table and the user's view. @throws errors that the grid reports itself */
export const prefetchDefinition = (tableId: string) =>
  Promise.all([queryClient.fetchQuery(tableQuery(tableId)), queryClient.fetchQuery(viewQuery(tableId))])

/**
 * Prefetches everything that a grid displays first, in parallel.
 * @param fetchNamed fetches a named view
 * @throws see `prefetchDefinition`
 */
export async function prefetchTable(tableId: string, search: UrlSearch, fetchNamed: (id: string) => Promise<SavedView>) {
  const isBare = isBareSearch(search)
  const inUrl = viewIdOf(search)
  const cachedView = queryClient.getQueryData(viewQuery(tableId).queryKey)
  // Usually the right query: most saved views have no search.
  const listed = cachedTables().find(({ id }) => id === tableId)
  if (isBare && !inUrl && !cachedView?.search && !cachedView?.current && listed?.can.read !== false)
    void queryClient.prefetchQuery(firstPageQuery(tableId, ''))
  const [table, own] = await prefetchDefinition(tableId)
  const id = inUrl ?? (isBare ? own.current : undefined)
  // The grid reports the failure, and opens without the view.
  const named = id ? await fetchNamed(id).catch(() => null) : null
  const query = parseListQuery((isBare && (named ?? own).search) || search)
  if (table.can.read) await queryClient.prefetchQuery(firstPageQuery(table.id, queryStringFor(query, table)))
}
