import type { TableView } from '../../../../tables/model'
import type { Arrangement } from '../../../../tables/views/model'
import { cachedTables, cachedUser, queryClient, tablesQuery } from '../../api/queries'
import { readItem, writeItem } from '../../session/storage'
import { isViewChanged, toArrangement } from './arrangement'
import { parseListQuery } from './list-query'
import { fetchNamedView, toSavedView } from './named-view'
import { type SavedView, tableQuery } from './table-queries'

type UnsavedView = { version: number; settings: Arrangement }

/** Contains the user: an administrator who views the service as another user may open the same view. */
const keyOf = (viewId: string) => `rowhouse-view-${cachedUser()?.id}-${viewId}`

/** A reload loses the cache, so this tab keeps the changes of a named view until they are saved or discarded. */
queryClient.getQueryCache().subscribe(({ type, query: { queryKey, state } }) => {
  const [kind, tableId, viewId] = queryKey as string[]
  if (kind !== 'view' || !viewId || type !== 'updated') return
  const copy = state.data as SavedView | undefined
  const table = queryClient.getQueryData(tableQuery(tableId!).queryKey)
  if (!copy?.named || !table) return
  const query = parseListQuery(copy.search ?? {})
  const { version } = copy.named
  const tables = cachedTables()
  const unsaved = isViewChanged(copy, query, table, tables) ? { version, settings: toArrangement(copy, query, table, tables) } : null
  writeItem(keyOf(viewId), unsaved, 'sessionStorage')
})

/**
 * A copy to edit, with the changes that this tab holds. Changes of an older version are dropped: someone has saved the
 * view since.
 * @throws ApiError, TypeError
 */
export async function fetchEditedView(tableId: string, viewId: string): Promise<SavedView> {
  const unsaved = readItem(keyOf(viewId), 'sessionStorage') as UnsavedView | null
  const saved = await fetchNamedView(tableId, viewId)
  if (!unsaved || unsaved.version !== saved.named?.version) return saved
  const [table, tables] = await Promise.all([queryClient.ensureQueryData(tableQuery(tableId)), queryClient.ensureQueryData(tablesQuery)])
  const edited = toSavedView({ ...saved.named, settings: withoutDeleted(unsaved.settings, table) }, table, tables)
  return { ...edited, named: saved.named }
}

/** Removes deleted columns from the layout. `toSavedView` removes them from conditions and sort columns. */
function withoutDeleted(settings: Arrangement, { columns }: TableView): Arrangement {
  const exists = (id: string) => columns.some((column) => column.id === id)
  const list = (ids?: string[]) => ids?.filter(exists)
  const map = <Value>(values?: Record<string, Value>) => values && Object.fromEntries(Object.entries(values).filter(([id]) => exists(id)))
  const { order, hidden, pinned, widths, summaries } = settings
  const layout = { order: list(order), hidden: list(hidden), pinned: list(pinned), widths: map(widths), summaries: map(summaries) }
  return { ...settings, ...layout } as Arrangement
}
