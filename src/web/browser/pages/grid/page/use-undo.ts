import { useEffect } from 'react'
import type { TableView } from '../../../../../tables/model'
import { queryClient, tablesQuery } from '../../../api/queries'
import { useStable } from '../../../components/use-stable-callbacks'
import { useStrings } from '../../../language'
import type { Turn, Writer } from '../data/cell-mutations'
import { lossesOf } from '../data/restoration'
import type { Tell } from '../view/use-notice'

/** Undo and redo, and what is said of them. The keys work on the grid, and where nothing has the focus, as after a dialog. */
export function useUndo({ table, writer, tell }: { table: TableView; writer: Writer; tell: Tell }) {
  const { grid } = useStrings()

  async function say(turn: Promise<Turn | null>, done: string) {
    const made = await turn
    if (!made) return
    if (made.kind === 'cells') return tell.say(done)
    if (made.kind === 'away') return tell.say(grid.recordsDeleted(made.count))
    const tables = made.isRestored ? await queryClient.ensureQueryData(tablesQuery) : []
    tell.say([grid.recordsRestored(made.count), made.isRestored ? grid.notRestored(lossesOf(table, tables)) : ''].filter(Boolean).join(' '))
  }
  const calls = useStable({
    undo: () => void say(writer.undo(), grid.undone),
    redo: () => void say(writer.redo(), grid.redone),
  })
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const key = event.key.toLowerCase()
      const isFree = event.target === document.body || (event.target instanceof Element && event.target.closest('.grid-status'))
      if (!isFree || event.defaultPrevented || !(event.ctrlKey || event.metaKey) || !['z', 'y'].includes(key)) return
      event.preventDefault()
      key === 'y' || event.shiftKey ? calls.redo() : calls.undo()
    }
    document.addEventListener('keydown', press)
    return () => document.removeEventListener('keydown', press)
  }, [calls])
  return calls
}
