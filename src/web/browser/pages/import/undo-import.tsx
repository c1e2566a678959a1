import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { TableView } from '../../../../tables/model'
import { UndoDialog } from '../../fields/history/undo-dialog'
import { useStrings } from '../../language'
import { loggedQuery, type UndoResult } from '../../records/list/change-queries'
import type { ImportOutcome } from './import-upload'

type UndoImportProps = { table: TableView; outcome: ImportOutcome; onUndone: (result: UndoResult) => void }

/** Not rendered if the log lacks the import, or the user may not undo it. */
export function UndoImport({ table, outcome: { inserted, updated = 0, requestId }, onUndone }: UndoImportProps) {
  const { transfer } = useStrings()
  const [isAsking, setAsking] = useState(false)
  const { data: isLogged } = useQuery(loggedQuery(table))
  const canUndo = (inserted === 0 || table.can.delete) && (updated === 0 || table.can.update)
  if (!requestId || !isLogged || !canUndo || inserted + updated === 0) return null
  return (
    <>
      <Button variant="default" size="xs" onClick={() => setAsking(true)}>
        {transfer.undoImport}
      </Button>
      <UndoDialog requestId={requestId} isOpen={isAsking} close={() => setAsking(false)} onUndone={onUndone} />
    </>
  )
}
