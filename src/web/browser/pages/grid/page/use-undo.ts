import { useEffect } from 'react'
import { queryClient, tablesQuery } from '../../../api/queries'
import { useStableCallbacks } from '../../../components/use-stable-callbacks'
import { useStrings } from '../../../language'
import type { HistoryResult } from '../../../records/mutations/cell-mutations'
import { restoreLosses } from '../../../records/mutations/restoration'
import { useGridModel } from '../model/grid-model'

/**
 * Undo, redo and the deletion of one record, with their notices. The keys work in the grid, and when nothing has the
 * focus, for example after a dialog.
 */
export function useUndo() {
  const { grid } = useStrings()
  const { table, mutations, notifier } = useGridModel()

  async function announce(running: Promise<HistoryResult | null>, message: string) {
    const result = await running
    if (!result) return
    if (result.kind === 'cells') return notifier.show(message)
    if (result.kind === 'removed') return notifier.show(grid.recordsDeleted(result.count))
    const { count, recreated } = result
    const losses = recreated.length ? restoreLosses(table, await queryClient.ensureQueryData(tablesQuery), recreated) : null
    notifier.show([grid.recordsRestored(count), losses ? grid.notRestored(losses) : ''].filter(Boolean).join(' '))
  }
  const undo = () => void announce(mutations.undo(), grid.undone)
  const calls = useStableCallbacks({
    undo,
    redo: () => void announce(mutations.redo(), grid.redone),
    deleteRecord: async (segment: string) => {
      const count = await mutations.rows.deleteByKeys([segment])
      notifier.show(grid.recordsDeleted(count), count && table.can.create ? undo : undefined, table.id)
    },
  })
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const key = event.key.toLowerCase()
      const isFree = event.target === document.body || (event.target instanceof Element && event.target.closest('.grid-status'))
      if (!isFree || event.defaultPrevented || !(event.ctrlKey || event.metaKey) || !['z', 'y'].includes(key)) return
      event.preventDefault()
      key === 'y' || event.shiftKey ? calls.redo() : calls.undo()
    }
    document.addEventListener('keydown', onKeyDown)
    return () => document.removeEventListener('keydown', onKeyDown)
  }, [calls])
  return calls
}
