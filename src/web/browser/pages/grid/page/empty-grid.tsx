import { Button } from '@mantine/core'
import { EmptyState } from '../../../components/query-state'
import { useStrings } from '../../../language'

type EmptyGridProps = { isFiltered: boolean; canEdit: boolean; newRow: () => void; clearQuery: () => void }

/** The empty state: the table has no records, or none matches. */
export function EmptyGrid({ isFiltered, canEdit, newRow, clearQuery }: EmptyGridProps) {
  const { grid, tables } = useStrings()
  if (isFiltered)
    return (
      <EmptyState icon="search" title={grid.noMatchingRecords} text={grid.noMatchingRecordsText}>
        <Button variant="default" onClick={clearQuery}>
          {grid.showAll}
        </Button>
      </EmptyState>
    )
  return (
    <EmptyState icon="table" title={tables.noRecords} text={tables.noRecordsText}>
      {canEdit ? <Button onClick={newRow}>{grid.newRow}</Button> : null}
    </EmptyState>
  )
}
