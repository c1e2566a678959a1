import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { UndoReport } from '../../../../changes/model'
import { queryClient } from '../../api/queries'
import { CancelButton, Dialog } from '../../components/dialog'
import { Form } from '../../components/form/form'
import { Await } from '../../components/query-state'
import { useStrings } from '../../language'
import { invalidateAllRecords, isChangedSince, previewUndo, type UndoResult, undoChanges } from '../../records/list/change-queries'
import type { Strings } from '../../strings/en'
import { AuthorName, Moment } from './author'

type UndoDialogProps = { requestId: string; isOpen: boolean; close: () => void; onUndone: (result: UndoResult) => void }

/** Says what the undo of a request would do, by a dry run, and does it. */
export function UndoDialog({ isOpen, close, ...props }: UndoDialogProps) {
  const { history } = useStrings()
  return (
    <Dialog title={history.undoTitle} isOpen={isOpen} close={close} size="lg">
      <UndoPreview close={close} {...props} />
    </Dialog>
  )
}

function UndoPreview({ close, onUndone, ...props }: Omit<UndoDialogProps, 'isOpen'>) {
  const { history } = useStrings()
  // While the dialog closes, its owner may name the next request already.
  const [requestId] = useState(props.requestId)
  const preview = { queryKey: ['undo', requestId], queryFn: () => previewUndo(requestId) }
  const query = useQuery({ ...preview, staleTime: 0, gcTime: 0, retry: false })
  const undo = async ({ skipped }: UndoReport) => {
    try {
      const result = await undoChanges(requestId, skipped > 0 ? { skipChanged: true } : {})
      close()
      onUndone(result)
      void invalidateAllRecords()
    } catch (error) {
      // Somebody has changed one of the records since the dry run: they are listed, then.
      if (isChangedSince(error)) await queryClient.invalidateQueries({ queryKey: preview.queryKey })
      throw error
    }
  }
  return (
    <Await query={query}>
      {(report) => {
        const effects = undoEffects(report, history)
        if (report.skipped > 0 && effects.length === 0)
          return (
            <div className="form">
              <SkippedRecords report={report} />
              <p>{history.nothingLeft}</p>
            </div>
          )
        return (
          <Form
            action={report.skipped > 0 ? history.leaveChanged : history.undo}
            submit={() => undo(report)}
            beside={<CancelButton close={close} />}
          >
            {report.skipped > 0 ? <SkippedRecords report={report} /> : null}
            <div className="stack">
              <p>{report.skipped > 0 ? history.undoesOthers : history.undoes}</p>
              <ul className="effects">
                {(effects.length ? effects : [history.onlyLinks]).map((effect) => (
                  <li key={effect}>{effect}</li>
                ))}
              </ul>
            </div>
            <p className="soft">{history.otherTables}</p>
          </Form>
        )
      }}
    </Await>
  )
}

/** Sentences for what an undo does with the records of a request. */
const undoEffects = ({ created, updated, deleted }: UndoReport, { effects }: Strings['history']): string[] =>
  (['created', 'updated', 'deleted'] as const).flatMap((kind) => {
    const count = { created, updated, deleted }[kind]
    return count > 0 ? [effects[kind](count)] : []
  })

/** What an undo has done, and how many records it has left as they are. */
export const undoneText = ({ report }: UndoResult, history: Strings['history']): string =>
  [history.undone, ...undoEffects(report, history), ...(report.skipped > 0 ? [history.effects.left(report.skipped)] : [])].join(' ')

/** The records that somebody has changed since, which an undo would overwrite. */
function SkippedRecords({ report: { skipped, changedSince } }: { report: UndoReport }) {
  const { history } = useStrings()
  return (
    <div className="stack" role="alert">
      <p>{history.changedSince(skipped)}</p>
      <ul className="effects">
        {changedSince.map(({ table, tableId, pk, at, by }) => (
          <li key={`${tableId} ${pk}`}>
            <Link to="/tables/$tableId/records/$pk" params={{ tableId, pk }}>
              {table} {decodeURIComponent(pk)}
            </Link>
            {': '}
            <AuthorName by={by} />, <Moment at={at} />
          </li>
        ))}
      </ul>
      {skipped > changedSince.length ? <p className="soft">{history.more(skipped - changedSince.length)}</p> : null}
    </div>
  )
}
