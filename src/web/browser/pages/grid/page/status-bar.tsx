import { Button } from '@mantine/core'
import { useStrings } from '../../../language'
import { formatNumber } from '../../../values/format'
import { rangeOf, type Selection } from '../view/cell-selection'
import type { Notice } from '../view/use-notice'
import { SelectionActions, type SelectionActionsProps } from './selection-actions'

type StatusBarProps = SelectionActionsProps & { selection: Selection; notice: Notice | null; canEdit: boolean }

/** Record count, selection, its actions, and the last notice. */
export function StatusBar(props: StatusBarProps) {
  const { grid } = useStrings()
  const { records, notice, selection, rowSelection, canEdit } = props
  const range = rangeOf(selection)
  const cells = (range.bottom - range.top + 1) * (range.right - range.left + 1)
  const { count } = records
  return (
    <div className="grid-status">
      {rowSelection.count > 0 && canEdit ? <SelectionActions {...props} /> : null}
      <p role="status" className={notice?.isFailure ? 'grid-notice is-failure' : 'grid-notice'}>
        {notice?.text ?? ''}
      </p>
      {notice?.undo ? (
        <Button size="compact-xs" variant="default" onClick={notice.undo}>
          {grid.undoAction}
        </Button>
      ) : null}
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
