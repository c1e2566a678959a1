import { Button } from '@mantine/core'
import { useStrings } from '../../../../language'
import { formatNumber } from '../../../../values/format'
import { useGridModel } from '../../model/grid-model'
import { SelectionSummary } from '../summary/selection-summary'
import { SelectionActions, type SelectionActionsProps } from './selection-actions'
import { Toast } from './toast'

/** Record count, selection, its actions, and the last message. */
export function StatusBar(props: SelectionActionsProps) {
  const { grid } = useStrings()
  const { records, notice, announcement, notifier, rights } = useGridModel()
  const { count } = records
  return (
    <div className="grid-status">
      {props.rowSelection.count > 0 && rights.any ? <SelectionActions {...props} /> : null}
      <Toast notice={notice} close={notifier.clear} />
      <p role="status" className="visually-hidden">
        <span key={announcement.number}>{announcement.text}</span>
      </p>
      {records.error && records.isLoaded ? (
        <Button size="compact-xs" variant="default" onClick={() => records.retry()}>
          {grid.retryLoading}
        </Button>
      ) : null}
      <SelectionSummary />
      {count ? (
        <span className="grid-count">
          {count.isExact ? grid.count(records.recordCount) : grid.approximateCount(formatNumber(records.recordCount))}
        </span>
      ) : null}
    </div>
  )
}
