import { useEffect, useState } from 'react'
import { queryClient } from '../../../../api/queries'
import { lazyComponent } from '../../../../components/lazy-component'
import { loggedQuery } from '../../../../records/list/change-queries'
import { takeFinishedImport } from '../../../../session/finished-import'
import { useGridModel } from '../../model/grid-model'

const LazyUndoDialog = lazyComponent(async () => (await import('../../../lazy-pages')).UndoDialog)

/** Reports the import that has just created the table, with a button to undo it. */
export function ImportNotice() {
  const { table, notifier } = useGridModel()
  const [requestId, setRequestId] = useState<string | null>(null)
  useEffect(() => {
    const done = takeFinishedImport(table.id)
    if (!done) return
    const show = (canUndo: boolean) => notifier.show(done.text, canUndo && done.requestId ? () => setRequestId(done.requestId) : undefined)
    queryClient.fetchQuery(loggedQuery(table)).then(show, () => show(false))
  }, [table, notifier])
  return requestId ? <LazyUndoDialog requestId={requestId} isOpen close={() => setRequestId(null)} onUndone={() => {}} /> : null
}
