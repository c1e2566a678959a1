import { Button } from '@mantine/core'
import { Empty } from '../../../components/query-state'
import { useStrings } from '../../../language'

type EmptyGridProps = { isNarrowed: boolean; mayWrite: boolean; newRow: () => void; widen: () => void }

/** No records: none at all, or none that is looked for. */
export function EmptyGrid({ isNarrowed, mayWrite, newRow, widen }: EmptyGridProps) {
  const { grid, tables } = useStrings()
  if (isNarrowed)
    return (
      <Empty icon="search" title={grid.noMatchingRecords} text={grid.noMatchingRecordsText}>
        <Button variant="default" onClick={widen}>
          {grid.showAll}
        </Button>
      </Empty>
    )
  return (
    <Empty icon="table" title={tables.noRecords} text={tables.noRecordsText}>
      {mayWrite ? <Button onClick={newRow}>{grid.newRow}</Button> : null}
    </Empty>
  )
}
