import { queryOptions } from '@tanstack/react-query'
import type { NamedView } from '../../../../../../tables/views/model'
import { unwrap } from '../../../../api/client'
import { cachedTables, queryClient, tablesQuery } from '../../../../api/queries'
import { useUser } from '../../../../api/use-user'
import { isViewChanged, toArrangement } from '../../../../records/list/arrangement'
import { parseListQuery, toUrlSearch } from '../../../../records/list/list-query'
import { fetchNamedView, namedViewsApi, toSavedView } from '../../../../records/list/named-view'
import { namedViewKey, type SavedView } from '../../../../records/list/table-queries'
import { fetchEditedView } from '../../../../records/list/unsaved-view'
import { useGridModel } from '../../model/grid-model'

/** A save waits for the previous one, which returns the version that it needs. */
let lastSave = Promise.resolve()

/** The named views of the table, and the actions for them. Those for the current view require a named view. */
export function useNamedViews() {
  const { table, view, choose, gridQuery } = useGridModel()
  const canShare = useUser().role !== 'viewer'
  const { named } = view
  const views = namedViewsApi(table.id)
  const present = () => views({ viewId: named!.id })
  const settings = () => toArrangement(view, gridQuery.query, table, cachedTables())
  const listQuery = queryOptions({ queryKey: ['views', table.id], queryFn: async () => (await unwrap(views.get())).views })
  const patchCopy = (id: string, patch: (copy: SavedView) => SavedView) =>
    queryClient.setQueryData<SavedView>(namedViewKey(table.id, id), (before) => before && patch(before))
  const toCopy = async (saved: NamedView) => toSavedView(saved, table, await queryClient.ensureQueryData(tablesQuery))
  const keep = (copy: SavedView) => queryClient.setQueryData<SavedView>(namedViewKey(table.id, copy.named!.id), copy)!
  const copyOf = (id: string) => queryClient.getQueryData<SavedView>(namedViewKey(table.id, id))
  const changedCopy = (id: string) => {
    const copy = copyOf(id)
    return copy && isViewChanged(copy, parseListQuery(copy.search ?? {}), table, cachedTables()) ? copy : undefined
  }
  const fetchUnlessChanged = async (id: string) =>
    changedCopy(id) ?? (await fetchEditedView(table.id, id).then((saved) => changedCopy(id) ?? keep(saved)))
  return {
    listQuery,
    canShare,
    canChange: named?.canChange ?? false,
    /** Opens a view as saved, or with the user's unsaved changes. */
    show: (id: string) => choose(fetchUnlessChanged(id)),
    discard: () => choose(fetchNamedView(table.id, named!.id).then(keep)),
    create: async (name: string, isShared: boolean) => {
      // The page shows the content of the view already, perhaps with conditions that only a URL can have.
      const search = toUrlSearch({ ...gridQuery.query, q: '' })
      const created = unwrap(views.post({ name, isShared, settings: settings() }))
      await choose(created.then(toCopy).then((copy) => ({ ...keep(copy), search })))
      await queryClient.invalidateQueries(listQuery)
    },
    save: () => {
      const id = named!.id
      const send = async () => {
        const version = copyOf(id)?.named?.version
        const saved = await toCopy(await unwrap(present().patch({ settings: settings(), version })))
        // Changes that were made during the save stay unsaved.
        patchCopy(id, (before) => (before === view ? { ...saved, search: before.search } : { ...before, named: saved.named }))
      }
      lastSave = lastSave.then(send, send)
      return lastSave
    },
    rename: async (name: string) => {
      const { name: saved } = await unwrap(present().patch({ name }))
      patchCopy(named!.id, (before) => ({ ...before, named: before.named && { ...before.named, name: saved } }))
      await queryClient.invalidateQueries(listQuery)
    },
    remove: async () => {
      await choose(unwrap(present().delete()).then(() => undefined))
      await queryClient.invalidateQueries(listQuery)
      // If the user goes back, the page fetches the view again and finds that it no longer exists.
      await queryClient.invalidateQueries({ queryKey: namedViewKey(table.id, named!.id), refetchType: 'none' })
    },
  }
}
