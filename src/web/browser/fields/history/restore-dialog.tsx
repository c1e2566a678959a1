import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { TableView } from '../../../../tables/model'
import { ApiError } from '../../api/api-error'
import { queryClient } from '../../api/queries'
import { CancelButton, Dialog } from '../../components/dialog'
import { Form } from '../../components/form/form'
import { Await } from '../../components/query-state'
import { useStrings } from '../../language'
import { type Restoration, restoreChange } from '../../records/list/change-queries'
import { isGeneratedType } from '../../records/values/column'
import { isUnseen, type TableRecord } from '../../records/values/record-key'
import { invalidateRecords, recordQuery, type WriteResult } from '../../records/values/record-queries'
import { formatTimestamp } from '../../values/format'
import { ChangedValues, type ValueChange } from './changed-values'

type RestoreDialogProps = Restoration & {
  at: string
  record: TableRecord
  isOpen: boolean
  close: () => void
  onRestored?: (restored: WriteResult, changes: readonly ValueChange[]) => void
}

/** Shows the effect of restoring a record, by a dry run, and restores it. */
export function RestoreDialog({ isOpen, close, ...props }: RestoreDialogProps) {
  const { history } = useStrings()
  return (
    <Dialog title={history.restoreTitle} isOpen={isOpen} close={close} size="lg">
      <RestoreForm close={close} {...props} />
    </Dialog>
  )
}

function RestoreForm({ at, record, close, onRestored, ...restoration }: Omit<RestoreDialogProps, 'isOpen'>) {
  const { history } = useStrings()
  const { table, segment, changeId, etag } = restoration
  const query = useQuery({
    queryKey: ['restoration', table.id, segment, changeId, etag],
    staleTime: 0,
    gcTime: 0,
    retry: false,
    structuralSharing: false,
    queryFn: () => restoreChange(restoration, true),
  })
  const [isOutdated, setOutdated] = useState(false)
  const restore = async (changes: readonly ValueChange[]) => {
    const restored = await restoreChange(restoration, false).catch((error) => {
      setOutdated(error instanceof ApiError && error.status === 412)
      throw error
    })
    const shown = recordQuery(table, segment)
    if (isUnseen(restored.record)) await queryClient.invalidateQueries(shown)
    else queryClient.setQueryData(shown.queryKey, restored)
    close()
    onRestored?.(restored, changes)
    void invalidateRecords(table)
  }
  return (
    <Await query={query}>
      {(then) => {
        const changes = differences(table, record, then.record)
        return changes.length === 0 ? (
          <p>{history.restoresNothing}</p>
        ) : (
          <Form action={history.restore} submit={() => restore(changes)} beside={<CancelButton close={close} />}>
            {isOutdated ? <p role="alert">{history.changedMeanwhile}</p> : null}
            <p>{history.restoreText(formatTimestamp(at))}</p>
            <ChangedValues changes={changes} />
          </Form>
        )
      }}
    </Await>
  )
}

/** The values that differ, except those that the service generates. */
const differences = (table: TableView, before: TableRecord, after: TableRecord): ValueChange[] =>
  table.columns
    .filter(({ name, type }) => !isGeneratedType(type) && JSON.stringify(before[name]) !== JSON.stringify(after[name]))
    .map((column) => ({ name: column.name, column, before: before[column.name], after: after[column.name] }))
