import { Button } from '@mantine/core'
import { useStrings } from '../../../../language'
import { canWriteAny } from '../../../../records/values/column'
import { formatNumber } from '../../../../values/format'
import type { Selection } from '../../view/cell-selection'
import type { Notice } from '../../view/use-notice'
import { SelectionSummary } from '../summary/selection-summary'
import { SelectionActions, type SelectionActionsProps } from './selection-actions'
import { Toast } from './toast'

type StatusBarProps = SelectionActionsProps & { selection: Selection; notice: Notice | null }

/** Record count, selection, its actions, and the last message. */
export function StatusBar(props: StatusBarProps) {
  const { grid } = useStrings()
  const { records, notice, selection, rowSelection } = props
  const { count } = records
  return (
    <div className="grid-status">
      {rowSelection.count > 0 && canWriteAny(props.table) ? <SelectionActions {...props} /> : null}
      <Toast notice={notice} close={props.notifier.clear} />
      {records.error && records.isLoaded ? (
        <Button size="compact-xs" variant="default" onClick={() => records.retry()}>
          {grid.retryLoading}
        </Button>
      ) : null}
      <SelectionSummary table={props.table} records={records} columns={props.columns} selection={selection} query={props.query} />
      {count ? (
        <span className="grid-count">
          {count.isExact ? grid.count(records.recordCount) : grid.approximateCount(formatNumber(records.recordCount))}
        </span>
      ) : null}
    </div>
  )
}
