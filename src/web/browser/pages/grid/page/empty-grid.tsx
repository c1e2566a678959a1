import { Button } from '@mantine/core'
import { useEffect } from 'react'
import { EmptyState } from '../../../components/query-state'
import { useStrings } from '../../../language'

type EmptyGridProps = { isFiltered: boolean; canCreate: boolean; clearQuery: () => void }

/** The body of a grid without records, below the row to type into: the table has none, or none matches. */
export function EmptyGrid({ isFiltered, canCreate, clearQuery }: EmptyGridProps) {
  const { grid, tables } = useStrings()
  useEffect(() => {
    if (isFiltered || !canCreate) return
    // After the page has focused its heading. Who works elsewhere keeps the focus.
    const timer = setTimeout(() => {
      if (document.activeElement?.matches('h1, body')) document.querySelector<HTMLElement>('.grid [tabindex="0"]')?.focus()
    })
    return () => clearTimeout(timer)
  }, [isFiltered, canCreate])
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
