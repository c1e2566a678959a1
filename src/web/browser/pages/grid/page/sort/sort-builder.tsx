import { Select } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import type { TableView } from '../../../../../../tables/model'
import { useStrings } from '../../../../language'
import { type ListQuery, maxSortColumns, type Sort } from '../../../../records/list/list-query'
import { withKeyLast } from '../../../../records/values/column'
import { ToolButton } from '../../tools/tool-button'
import { PanelButtons } from '../filter/panel-buttons'
import { useApplied } from '../filter/use-applied'

type SortBuilderProps = { table: TableView; query: ListQuery; setQuery: (query: ListQuery) => void; close: () => void }

/** Edits the sort columns. Each change applies at once; the first column sorts first. */
export function SortBuilder({ table, query, setQuery, close }: SortBuilderProps) {
  const { grid } = useStrings()
  const [sort, setSort] = useState(query.sort)
  const remember = useApplied(JSON.stringify(query.sort), () => setSort(query.sort))
  const form = useRef<HTMLDivElement>(null)
  const focus = (selector: string, at: number) => form.current?.querySelectorAll<HTMLElement>(selector)[at]?.focus()
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, as the code of this panel may load only after the focus has moved
  useEffect(() => focus(fields, 0), [])
  const apply = (next: Sort[]) => {
    const text = JSON.stringify(next)
    if (text === JSON.stringify(sort)) return
    remember(text)
    flushSync(() => setSort(next))
    setQuery({ ...query, sort: next })
  }
  /** The focus follows the column. */
  const move = (from: number, by: -1 | 1) => {
    apply(sort.toSpliced(from, 1).toSpliced(from + by, 0, sort[from]!))
    focus('.sort-line button', (from + by) * 3 + (by > 0 ? 1 : 0))
  }
  const unused = withKeyLast(table)
    .map(({ name }) => name)
    .filter((name) => !sort.some(({ column }) => column === name))
  const isSearchable = table.columns.length > 8
  return (
    <div ref={form} className="filter">
      <div className="filter-items">
        {sort.map((term, at) => (
          <SortLine
            // biome-ignore lint/suspicious/noArrayIndexKey: lines have no state of their own
            key={at}
            term={term}
            columns={[term.column, ...unused]}
            isSearchable={isSearchable}
            isFirst={at === 0}
            isLast={at === sort.length - 1}
            change={(next) => apply(sort.with(at, next))}
            move={(by) => move(at, by)}
            remove={() => {
              apply(sort.toSpliced(at, 1))
              focus(fields, 0)
            }}
          />
        ))}
        {unused.length > 0 && sort.length < maxSortColumns ? (
          <Select
            // The new key clears the select for the next column.
            key={sort.length}
            {...columnProps}
            searchable={isSearchable}
            aria-label={grid.addSort}
            placeholder={grid.addSort}
            data={unused}
            onChange={(column) => {
              apply([...sort, { column: column!, isDescending: false }])
              focus(fields, sort.length * 2 + 1)
            }}
          />
        ) : null}
      </div>
      <PanelButtons
        removeAll={() => {
          apply([])
          close()
        }}
        done={close}
      />
    </div>
  )
}

type SortLineProps = {
  term: Sort
  columns: string[]
  isSearchable: boolean
  isFirst: boolean
  isLast: boolean
  change: (term: Sort) => void
  move: (by: -1 | 1) => void
  remove: () => void
}

function SortLine({ term, columns, isSearchable, isFirst, isLast, change, move, remove }: SortLineProps) {
  const { filter, grid, tables } = useStrings()
  return (
    <fieldset className="sort-line" aria-label={term.column}>
      <Select
        {...columnProps}
        aria-label={filter.column}
        value={term.column}
        data={columns}
        searchable={isSearchable}
        allowDeselect={false}
        onChange={(column) => change({ ...term, column: column! })}
      />
      <Select
        size="xs"
        aria-label={grid.order}
        value={String(term.isDescending)}
        data={['false', 'true'].map((value, index) => ({ value, label: grid.orders[index]! }))}
        allowDeselect={false}
        onChange={(value) => change({ ...term, isDescending: value === 'true' })}
      />
      <ToolButton icon="up" label={tables.moveUp} isDisabled={isFirst} act={() => move(-1)} />
      <ToolButton icon="chevron" label={tables.moveDown} isDisabled={isLast} act={() => move(1)} />
      <ToolButton icon="trash" label={grid.removeSort} act={remove} />
    </fieldset>
  )
}

const columnProps = { size: 'xs', selectFirstOptionOnChange: true, openOnFocus: false } as const

/** Excludes the hidden input of a select. */
const fields = 'input:not([type=hidden])'
