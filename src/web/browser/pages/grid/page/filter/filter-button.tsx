import { Button, Popover } from '@mantine/core'
import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import type { TableView } from '../../../../../../tables/model'
import { Icon } from '../../../../components/icon'
import { lazyComponent } from '../../../../components/lazy-component'
import { useStrings } from '../../../../language'
import { filterRules } from '../../../../records/filters/filter-tree'
import { filterRuleProblem } from '../../../../records/filters/rule-problems'
import { type ListQuery, restKey, ruleKey } from '../../../../records/list/list-query'

const LazyFilterBuilder = lazyComponent(async () => (await import('../../../lazy-pages')).FilterBuilder)

export type FilterButtonProps = {
  table: TableView
  query: ListQuery
  setQuery: (query: ListQuery) => void
  /** The service's messages about conditions that it refuses, by `ruleKey` and `restKey`. */
  refused: ReadonlyMap<string, string>
  /** The column whose menu opened the filter. */
  filterColumn: { name: string } | null
}

/** The number of conditions, and how many of them cannot be applied. */
export function FilterButton({ table, query, setQuery, refused, filterColumn }: FilterButtonProps) {
  const { filter } = useStrings()
  const [isOpen, setOpen] = useState(false)
  const target = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    if (filterColumn) setOpen(true)
  }, [filterColumn])
  useEffect(() => {
    if (!isOpen) return
    // The lists of the selects are not inside the dropdown.
    const press = ({ target: pressed }: Event) => {
      const isInside = pressed instanceof Element && (pressed.closest('[data-portal]') || target.current?.contains(pressed))
      if (!isInside) setOpen(false)
    }
    document.addEventListener('mousedown', press)
    return () => document.removeEventListener('mousedown', press)
  }, [isOpen])
  const close = () => {
    setOpen(false)
    target.current?.focus()
  }
  const closeByEscape = (event: KeyboardEvent) => {
    // Escape first closes the list of a select.
    const hasList = event.target instanceof Element && event.target.getAttribute('aria-expanded') === 'true'
    if (event.key === 'Escape' && !hasList) close()
  }
  const rules = filterRules(query.filter)
  const leftOut =
    rules.filter((rule) => filterRuleProblem(rule, table.columns) || refused.has(ruleKey(rule))).length +
    query.rest.filter((parameter) => refused.has(restKey(parameter))).length
  const count = rules.length + query.rest.length
  return (
    <Popover
      opened={isOpen}
      onChange={setOpen}
      position="bottom-start"
      shadow="md"
      trapFocus
      closeOnClickOutside={false}
      closeOnEscape={false}
      width="min(640px, 96vw)"
      transitionProps={{ duration: 80 }}
    >
      <Popover.Target>
        <Button
          ref={target}
          variant={leftOut ? 'default' : count ? 'light' : 'subtle'}
          color={count || leftOut ? undefined : 'gray'}
          c={leftOut ? 'var(--app-danger)' : undefined}
          size="xs"
          leftSection={<Icon name={leftOut ? 'warning' : 'filter'} size={15} />}
          aria-label={leftOut ? `${filter.button(count)}, ${filter.leftOut(leftOut)}` : undefined}
          title={leftOut ? filter.leftOut(leftOut) : undefined}
          onClick={() => setOpen(!isOpen)}
        >
          {filter.button(count)}
        </Button>
      </Popover.Target>
      <Popover.Dropdown className="filter-dropdown" aria-label={filter.title} onKeyDownCapture={closeByEscape}>
        <LazyFilterBuilder
          key={filterColumn?.name}
          table={table}
          query={query}
          setQuery={setQuery}
          refused={refused}
          first={filterColumn?.name}
          close={close}
        />
      </Popover.Dropdown>
    </Popover>
  )
}
