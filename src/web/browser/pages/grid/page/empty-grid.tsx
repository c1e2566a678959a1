import { Button, Group } from '@mantine/core'
import { useEffect } from 'react'
import { EmptyState } from '../../../components/query-state'
import { useStrings } from '../../../language'
import { noFilter } from '../../../records/filters/filter-tree'
import { headerHeight, type PlacedColumn, rowHeaderWidth } from '../../../records/list/column-layout'
import { isFiltered, toUrlSearch } from '../../../records/list/list-query'
import { isRightAligned } from '../../../records/values/cell-kinds'
import { useGridModel } from '../model/grid-model'
import { rowLayout } from '../view/row-layout'

type EmptyGridProps = { isList: boolean; canCreate: boolean }

/** The body of a grid without records, below the row for typing: the table is empty, or no record matches. */
export function EmptyGrid({ isList, canCreate }: EmptyGridProps) {
  const { grid, tables } = useStrings()
  const { view, columns, gridQuery, choose } = useGridModel()
  const { query, applied, setQuery } = gridQuery
  const hasFilter = isFiltered(applied)
  const isNarrowed = hasFilter || applied.q !== ''
  const { height } = rowLayout(view)
  useEffect(() => {
    if (isNarrowed || !canCreate) return
    // Waits until the page has focused its heading. If the focus is elsewhere by then, it stays there.
    const timer = setTimeout(() => {
      if (document.activeElement?.matches('h1, body')) document.querySelector<HTMLElement>('.grid [tabindex="0"]')?.focus()
    })
    return () => clearTimeout(timer)
  }, [isNarrowed, canCreate])
  return (
    <div className="grid-empty" style={{ top: isList ? 0 : headerHeight + (canCreate ? height : 0) + 1 }}>
      {isNarrowed ? (
        <EmptyState icon="search" title={grid.noMatchingRecords} text={grid.narrowed(hasFilter, query.q, view.named?.name)}>
          <Group gap="xs" justify="center">
            {query.q ? (
              <Button variant="default" onClick={() => setQuery({ ...query, q: '' })}>
                {grid.clearSearch}
              </Button>
            ) : null}
            {hasFilter ? (
              <Button variant="default" onClick={() => void choose(undefined, toUrlSearch({ ...query, filter: noFilter, rest: [] }))}>
                {query.q ? grid.searchAll : grid.showAll}
              </Button>
            ) : null}
          </Group>
        </EmptyState>
      ) : (
        <>
          <FutureRows columns={isList ? listBars : columns} height={isList ? listRowHeight : height} />
          <EmptyState
            icon="table"
            title={tables.noRecords}
            text={canCreate ? (isList ? tables.noRecordsList : tables.noRecordsText) : ''}
          />
        </>
      )}
    </div>
  )
}

type Bar = Pick<PlacedColumn, 'left' | 'width'> & Partial<Pick<PlacedColumn, 'column'>>

/** The placeholder for the title of a card; below, the height of a card in pixels. */
const listBars: Bar[] = [{ left: -rowHeaderWidth, width: 240 }]
const listRowHeight = 60

/** In percent of the column width, different for each record. */
const barWidths = [68, 45, 82, 56, 74]

/** Draws placeholders for future records below the column headers. */
function FutureRows({ columns, height }: { columns: readonly Bar[]; height: number }) {
  return (
    <div className="grid-future" aria-hidden="true">
      {barWidths.map((_width, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the rows never move
        <div key={row} style={{ height }}>
          {columns.map(({ left, width, column }, number) => {
            const length = ((width - 20) * barWidths[(row + number * 2) % barWidths.length]!) / 100
            const indent = column && isRightAligned(column) ? width - 10 - length : 10
            return <span key={left} style={{ left: rowHeaderWidth + left + indent, width: length }} />
          })}
        </div>
      ))}
    </div>
  )
}
