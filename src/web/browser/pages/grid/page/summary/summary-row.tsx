import { Menu, UnstyledButton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type FocusEvent, type KeyboardEvent, memo, useEffect, useState } from 'react'
import type { TableView } from '../../../../../../tables/model'
import { queryClient } from '../../../../api/queries'
import { Icon } from '../../../../components/icon'
import { LazyMenu } from '../../../../components/lazy-menu'
import { useStrings } from '../../../../language'
import { type PlacedColumn, rowHeaderWidth } from '../../../../records/list/column-layout'
import { fetchColumnSummary, type SummaryName, summariesFor } from '../../../../records/list/column-summary'
import type { ListQuery } from '../../../../records/list/list-query'
import type { SavedView } from '../../../../records/list/table-queries'
import { displayText } from '../../../../records/values/cell-text'
import type { GridColumn } from '../../../../records/values/cell-values'
import { formatNumber } from '../../../../values/format'
import { formatAverage } from './format-average'

type SummaryRowProps = {
  table: TableView
  /** Each list has its own summaries: records or columns may have changed since the previous list. */
  listId: number
  /** See `RecordPages`. */
  changes: number
  columns: readonly PlacedColumn[]
  visibleColumns: readonly number[]
  width: number
  view: SavedView
  change: (patch: (view: SavedView) => SavedView) => void
  /** The conditions of the list. */
  query: ListQuery
}

/** Changes within this delay are summarized together. */
const changeDelayMs = 300

/** A line below the records with a summary of each column. The arrow keys move in it. */
export const SummaryRow = memo(function SummaryRow(props: SummaryRowProps) {
  const { table, listId, changes, columns, visibleColumns, width, view, change, query } = props
  const { grid } = useStrings()
  const [current, setCurrent] = useState(0)
  useRefetch(listId, changes)
  const press = (event: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
    const buttons = [...event.currentTarget.querySelectorAll('button')]
    const at = buttons.indexOf(event.target as HTMLButtonElement)
    if (step === undefined || at < 0) return
    event.preventDefault()
    buttons[Math.max(0, Math.min(buttons.length - 1, at + step))]?.focus()
  }
  const focus = ({ target }: FocusEvent) => setCurrent(Number(target.closest<HTMLElement>('[data-number]')?.dataset.number ?? current))
  const set = (id: string, summary: SummaryName | null) =>
    change((before) => {
      const { [id]: _previous, ...others } = before.summaries ?? {}
      return { ...before, summaries: summary ? { ...others, [id]: summary } : others }
    })
  let end = 0
  return (
    <div className="grid-summary" role="toolbar" aria-label={grid.summary} style={{ width }} onKeyDown={press} onFocus={focus}>
      <div className="grid-cell grid-number" style={{ width: rowHeaderWidth }} />
      {visibleColumns.map((number) => {
        const { column, left, width: cellWidth, isPinned } = columns[number]!
        const gap = left - end
        end = left + cellWidth
        const names = summariesFor(column)
        const name = names.find((each) => each === view.summaries?.[column.id]) ?? null
        return (
          <div
            key={column.id}
            className={isPinned ? 'grid-cell is-pinned' : 'grid-cell'}
            style={isPinned ? { width: cellWidth, left: rowHeaderWidth + left } : { width: cellWidth, marginLeft: gap }}
            data-number={number}
          >
            {names.length ? (
              <SummaryCell
                table={table}
                listId={listId}
                query={query}
                column={column}
                names={names}
                name={name}
                isCurrent={number === current || (!visibleColumns.includes(current) && number === visibleColumns[0])}
                set={set}
              />
            ) : null}
          </div>
        )
      })}
    </div>
  )
})

/** Summarizes again after records have changed, even if the row was hidden at that time. */
function useRefetch(listId: number, changes: number) {
  useEffect(() => {
    if (changes === 0) return
    const timer = setTimeout(() => void queryClient.invalidateQueries({ queryKey: ['summary', listId] }), changeDelayMs)
    return () => clearTimeout(timer)
  }, [listId, changes])
}

/** Shown before a value that leaves no room for the name of the summary. */
const signs: Record<SummaryName, string> = {
  empty: '○',
  filled: '●',
  unique: '≠',
  checked: '☑',
  unchecked: '☐',
  sum: 'Σ',
  average: 'Ø',
  min: '↓',
  max: '↑',
}

/** @param value the element of the value, which follows the element of the name */
function showSign(value: HTMLElement | null, name: SummaryName) {
  if (!value) return
  // Measure without the old sign, which takes up room, too.
  delete value.dataset.sign
  const { offsetTop } = value.previousElementSibling as HTMLElement
  if (offsetTop !== value.offsetTop) value.dataset.sign = signs[name]
}

type SummaryCellProps = {
  table: TableView
  listId: number
  query: ListQuery
  column: GridColumn
  names: SummaryName[]
  name: SummaryName | null
  isCurrent: boolean
  set: (id: string, summary: SummaryName | null) => void
}

function SummaryCell({ table, listId, query, column, names, name, isCurrent, set }: SummaryCellProps) {
  const { grid, tables } = useStrings()
  const { data, error } = useQuery({
    queryKey: ['summary', listId, column.id, name],
    enabled: name !== null,
    // A refresh of the list summarizes again, too.
    refetchOnWindowFocus: false,
    queryFn: () => fetchColumnSummary(table, query, column, name!),
  })
  const value = error ? '–' : data === undefined || name === null ? '' : format(name, data, column, tables)
  return (
    <LazyMenu
      button={
        <UnstyledButton
          className={name ? 'grid-summary-button' : 'grid-summary-button is-empty'}
          tabIndex={isCurrent ? 0 : -1}
          title={error ? grid.noSummary : name && value ? `${grid.summaries[name]} ${value}` : undefined}
        >
          <span className="visually-hidden">{column.name}: </span>
          <span className="grid-summary-name">{name ? grid.summaries[name] : grid.summary}</span>
          {name ? ' ' : null}
          {name ? (
            <span ref={(element) => showSign(element, name)} className="grid-text">
              {value}
            </span>
          ) : null}
        </UnstyledButton>
      }
    >
      {[null, ...names].map((each) => (
        <Menu.RadioItem
          key={each ?? ''}
          value={each ?? ''}
          checked={each === name}
          checkIcon={<Icon name="check" size={16} />}
          closeMenuOnClick
          onChange={() => set(column.id, each)}
        >
          {each ? grid.summaries[each] : grid.summaryNone}
        </Menu.RadioItem>
      ))}
    </LazyMenu>
  )
}

function format(name: SummaryName, text: string, column: GridColumn, words: Parameters<typeof displayText>[2]): string {
  if (text === '') return '–'
  if (name === 'average') return formatAverage(text, column, words)
  return ['sum', 'min', 'max'].includes(name) ? displayText(text, column, words) : formatNumber(Number(text))
}
