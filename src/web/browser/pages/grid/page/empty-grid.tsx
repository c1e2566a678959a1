import { Button } from '@mantine/core'
import { EmptyState } from '../../../components/query-state'
import { useStrings } from '../../../language'

type EmptyGridProps = { isFiltered: boolean; canCreate: boolean; clearQuery: () => void }

/** The body of a grid without records, below the row to type into: the table has none, or none matches. */
export function EmptyGrid({ isFiltered, canCreate, clearQuery }: EmptyGridProps) {
  const { grid, tables } = useStrings()
  return (
    <div className="grid-empty">
      {isFiltered ? (
        <EmptyState icon="search" title={grid.noMatchingRecords} text={grid.noMatchingRecordsText}>
          <Button variant="default" onClick={clearQuery}>
            {grid.showAll}
          </Button>
        </EmptyState>
      ) : (
        <EmptyState icon="table" title={tables.noRecords} text={canCreate ? tables.noRecordsText : ''} />
      )}
    </div>
  )
}
