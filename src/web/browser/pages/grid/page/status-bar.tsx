import { Button } from '@mantine/core'
import { useStrings } from '../../../language'
import { formatNumber } from '../../../values/format'
import { rangeOf, type Selection } from '../view/cell-selection'
import type { Notice } from '../view/use-notice'
import { Chosen, type ChosenProps } from './selection-actions'

type StatusBarProps = ChosenProps & { selection: Selection; notice: Notice | null; mayWrite: boolean }

/** How many there are, what is chosen and can be done with it, and what has happened. */
export function StatusBar(props: StatusBarProps) {
  const { grid } = useStrings()
  const { records, notice, selection, checks, mayWrite } = props
  const range = rangeOf(selection)
  const cells = (range.bottom - range.top + 1) * (range.right - range.left + 1)
  const { count } = records
  return (
    <div className="grid-status">
      {checks.count > 0 && mayWrite ? <Chosen {...props} /> : null}
      <p role="status" className={notice?.isFailure ? 'grid-notice is-failure' : 'grid-notice'}>
        {notice?.text ?? ''}
      </p>
      {notice?.undo ? (
        <Button size="compact-xs" variant="default" onClick={notice.undo}>
          {grid.undoAction}
        </Button>
      ) : null}
      {records.failure && records.isLoaded ? (
        <Button size="compact-xs" variant="default" onClick={() => records.look(range.top - 30, range.top + 30)}>
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
