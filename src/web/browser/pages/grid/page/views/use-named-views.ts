import { queryOptions } from '@tanstack/react-query'
import type { NamedView } from '../../../../../../tables/views/model'
import { unwrap } from '../../../../api/client'
import { queryClient } from '../../../../api/queries'
import { useUser } from '../../../../api/use-user'
import { fetchNamedView, namedViewsApi, toArrangement } from '../../../../records/list/named-view'
import { namedViewKey, type SavedView } from '../../../../records/list/table-queries'
import { useGridModel } from '../../model/grid-model'

/** The named views of the table, and the actions for them. Those for the present one need one. */
export function useNamedViews() {
  const { table, view, choose, gridQuery } = useGridModel()
  const canShare = useUser().role !== 'viewer'
  const { named } = view
  const views = namedViewsApi(table.id)
  const present = () => views({ viewId: named!.id })
  const settings = () => toArrangement(view, gridQuery.query, table)
  const listQuery = queryOptions({ queryKey: ['views', table.id], queryFn: async () => (await unwrap(views.get())).views })
  /** Opens a view as it is saved. */
  const show = async (id: string) => {
    const saved = await fetchNamedView(table.id, id)
    queryClient.setQueryData(namedViewKey(table.id, id), saved)
    choose(id, saved)
  }
  const showSaved = async (saved: Promise<NamedView>) => {
    const { id } = await saved
    await Promise.all([show(id), queryClient.invalidateQueries(listQuery)])
  }
  return {
    listQuery,
    canShare,
    canChange: named ? canShare || !named.isShared : false,
    show,
    create: (name: string, isShared: boolean) => showSaved(unwrap(views.post({ name, isShared, settings: settings() }))),
    save: () => showSaved(unwrap(present().patch({ settings: settings() }))),
    rename: async (name: string) => {
      const { name: saved } = await unwrap(present().patch({ name }))
      const renamed = (before?: SavedView) => before && { ...before, named: { ...named!, name: saved } }
      queryClient.setQueryData(namedViewKey(table.id, named!.id), renamed)
      await queryClient.invalidateQueries(listQuery)
    },
    remove: async () => {
      await unwrap(present().delete())
      choose()
      await queryClient.invalidateQueries(listQuery)
    },
  }
}
