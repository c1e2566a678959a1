import { Button } from '@mantine/core'
import { useStrings } from '../../../../language'
import { formatNumber } from '../../../../values/format'
import { rangeOf, type Selection } from '../../view/cell-selection'
import type { Notice } from '../../view/use-notice'
import { SelectionActions, type SelectionActionsProps } from './selection-actions'
import { Toast } from './toast'

type StatusBarProps = SelectionActionsProps & { selection: Selection; notice: Notice | null; canEdit: boolean }

/** Record count, selection, its actions, and the last message. */
export function StatusBar(props: StatusBarProps) {
  const { grid } = useStrings()
  const { records, notice, selection, rowSelection, canEdit } = props
  const range = rangeOf(selection)
  const cells = (range.bottom - range.top + 1) * (range.right - range.left + 1)
  const { count } = records
  return (
    <div className="grid-status">
      {rowSelection.count > 0 && canEdit ? <SelectionActions {...props} /> : null}
      <Toast notice={notice} close={props.notifier.clear} />
      {records.error && records.isLoaded ? (
        <Button size="compact-xs" variant="default" onClick={() => records.retry()}>
          {grid.retryLoading}
        </Button>
      ) : null}
      {cells > 1 && selection.active.row >= 0 ? <span>{grid.cells(cells)}</span> : null}
      {count ? (
        <span className="grid-count">
          {count.isExact ? grid.count(records.recordCount) : grid.approximateCount(formatNumber(records.recordCount))}
        </span>
      ) : null}
    </div>
  )
}
