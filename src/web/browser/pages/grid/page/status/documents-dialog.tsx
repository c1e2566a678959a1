import { lazy, Suspense, useState } from 'react'
import { useGridModel } from '../../model/grid-model'

const LazyDocumentChoice = lazy(async () => ({ default: (await import('../../../lazy-pages')).DocumentChoice }))

/** The records for a document, as URL segments; null while the dialog is closed. */
export function useDocumentsDialog() {
  const [segments, setSegments] = useState<readonly string[] | null>(null)
  return { segments, open: setSegments, close: () => setSegments(null) }
}

export type DocumentsDialogState = ReturnType<typeof useDocumentsDialog>

export function DocumentsDialog({ segments, close }: DocumentsDialogState) {
  const { table } = useGridModel()
  const [last, setLast] = useState(segments)
  if (segments && segments !== last) setLast(segments)
  if (!last) return null
  return (
    <Suspense fallback={null}>
      <LazyDocumentChoice table={table} segments={last} isOpen={segments !== null} close={close} />
    </Suspense>
  )
}
