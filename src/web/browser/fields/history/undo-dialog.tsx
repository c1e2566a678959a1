import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { UndoneTable, UndoReport } from '../../../../changes/model'
import { queryClient, tablesQuery } from '../../api/queries'
import { CancelButton, Dialog } from '../../components/dialog'
import { Form } from '../../components/form/form'
import { Await } from '../../components/query-state'
import { useStrings } from '../../language'
import { invalidateAllRecords, isChangedSince, previewUndo, type UndoResult, undoChanges } from '../../records/list/change-queries'
import type { Strings } from '../../strings/en'
import { AuthorName, Moment } from './author'

type UndoDialogProps = { requestId: string; isOpen: boolean; close: () => void; onUndone: (result: UndoResult) => void }

/** Shows the effect of undoing a request, by a dry run, and undoes it. */
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
  // The parent may pass the next request while the dialog is still closing.
  const [requestId] = useState(props.requestId)
  const preview = { queryKey: ['undo', requestId], queryFn: () => previewUndo(requestId) }
  const query = useQuery({ ...preview, staleTime: 0, gcTime: 0, retry: false })
  const navigate = useNavigate()
  const undo = async ({ skipped, confirm, tables }: UndoReport) => {
    try {
      const result = await undoChanges(requestId, { ...(skipped > 0 ? { skipChanged: true } : {}), ...(confirm ? { confirm } : {}) })
      close()
      if (tables) {
        // The current page may belong to the deleted table.
        await navigate({ to: '/' })
        void queryClient.invalidateQueries(tablesQuery)
      } else onUndone(result)
      void invalidateAllRecords()
    } catch (error) {
      // A record has changed since the dry run: a new one lists it.
      if (isChangedSince(error)) await queryClient.invalidateQueries({ queryKey: preview.queryKey })
      throw error
    }
  }
  return (
    <Await query={query}>
      {(report) => {
        const effects = undoEffects(report, history)
        const { tables = [] } = report
        if (report.skipped > 0 && effects.length + tables.length === 0)
          return (
            <div className="form">
              <SkippedRecords report={report} />
              <p>{history.nothingLeft}</p>
            </div>
          )
        return (
          <Form
            action={tables.length ? history.deleteTable : report.skipped > 0 ? history.leaveChanged : history.undo}
            isDangerous={tables.length > 0}
            submit={() => undo(report)}
            beside={<CancelButton close={close} />}
          >
            {report.skipped > 0 ? <SkippedRecords report={report} /> : null}
            {tables.map((table) => (
              <DeletedTable key={table.id} table={table} />
            ))}
            {effects.length || !tables.length ? (
              <div className="stack">
                <p>{report.skipped > 0 ? history.undoesOthers : history.undoes}</p>
                <ul className="effects">
                  {(effects.length ? effects : [history.onlyLinks]).map((effect) => (
                    <li key={effect}>{effect}</li>
                  ))}
                </ul>
                <p className="soft">{history.otherTables}</p>
              </div>
            ) : null}
          </Form>
        )
      }}
    </Await>
  )
}

/** A table that the request has created, and the later changes to it. */
function DeletedTable({ table: { name, records, since } }: { table: UndoneTable }) {
  const { history } = useStrings()
  const uses = (Object.keys(history.since) as (keyof UndoneTable['since'])[]).filter((kind) => since[kind] > 0)
  return (
    <>
      <p>{history.deletesTable(name, records)}</p>
      {uses.length ? (
        <div className="stack" role="alert">
          <p>{history.losesSince}</p>
          <ul className="effects">
            {uses.map((kind) => (
              <li key={kind}>{history.since[kind](since[kind])}</li>
            ))}
          </ul>
        </div>
      ) : null}
    </>
  )
}

/** Sentences about the effects of an undo on the records of a request. */
const undoEffects = ({ created, updated, deleted }: UndoReport, { effects }: Strings['history']): string[] =>
  (['created', 'updated', 'deleted'] as const).flatMap((kind) => {
    const count = { created, updated, deleted }[kind]
    return count > 0 ? [effects[kind](count)] : []
  })

/** The effects of a finished undo, and the number of records that it skipped. */
export const undoneText = ({ report }: UndoResult, history: Strings['history']): string =>
  [history.undone, ...undoEffects(report, history), ...(report.skipped > 0 ? [history.effects.left(report.skipped)] : [])].join(' ')

/** The records that have changed since, which an undo would overwrite. */
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
