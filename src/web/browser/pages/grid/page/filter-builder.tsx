import { ActionIcon, Button, Group, NativeSelect, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import type { TableView } from '../../../../../tables/model'
import { recordsUrl } from '../../../api/urls'
import { CopyField } from '../../../components/copy-field'
import { Icon } from '../../../components/icon'
import { useStrings } from '../../../language'
import { type CellKind, cellKind } from '../data/cell-kinds'
import type { GridColumn } from '../data/cell-values'
import { toPlainText } from '../data/cell-values'
import { type Condition, type ListQuery, needsValue, type Operator, toQueryString } from '../data/list-query'
import { parseInput } from '../edit/cell-input'
import { usePeopleOptions } from './use-people-options'

const comparisonOperators: Operator[] = ['eq', 'neq', 'gt', 'gte', 'lt', 'lte', 'in', 'is.null', 'not.is.null']
const textOperators: Operator[] = ['ilike', 'not.ilike', 'eq', 'neq', 'in', 'is.null', 'not.is.null']
const choiceOperators: Operator[] = ['eq', 'neq', 'in', 'is.null', 'not.is.null']
const byKind: Partial<Record<CellKind, Operator[]>> = {
  number: comparisonOperators,
  date: comparisonOperators,
  dateTime: comparisonOperators,
  time: comparisonOperators,
  boolean: ['eq', 'is.null', 'not.is.null'],
  select: choiceOperators,
  multiSelect: ['cs', 'is.null', 'not.is.null'],
  link: choiceOperators,
  person: choiceOperators,
  json: ['is.null', 'not.is.null'],
}

const isFilterable = (column: GridColumn) => !['files', 'manyLinks'].includes(cellKind(column))
const operatorsOf = (column: GridColumn): Operator[] =>
  column.type === 'uuid' ? choiceOperators : (byKind[cellKind(column)] ?? textOperators)

type FilterBuilderProps = { table: TableView; query: ListQuery; setQuery: (query: ListQuery) => void; first?: string; close: () => void }

/** Edits the filters, which are combined with AND, and shows the resulting API URL. */
export function FilterBuilder({ table, query, setQuery, first, close }: FilterBuilderProps) {
  const { grid } = useStrings()
  const columns = table.columns.filter(isFilterable)
  const newCondition = (name?: string): Condition[] => {
    const column = columns.find((each) => each.name === name) ?? columns[0]
    return column ? [{ column: column.name, operator: operatorsOf(column)[0]!, value: '' }] : []
  }
  const [conditions, setConditions] = useState(() => [
    ...query.conditions,
    ...(first || query.conditions.length === 0 ? newCondition(first) : []),
  ])
  const [rest, setRest] = useState(query.rest)
  const complete = conditions.filter(({ operator, value }) => !needsValue(operator) || value.trim() !== '')
  const nextQuery: ListQuery = { ...query, conditions: complete.map((condition) => normalizeValue(condition, columns)), rest }
  const change = (index: number, patch: Partial<Condition>) =>
    setConditions(conditions.map((condition, at) => (at === index ? { ...condition, ...patch } : condition)))
  const apply = (event: FormEvent) => {
    event.preventDefault()
    setQuery(nextQuery)
    close()
  }
  return (
    <form className="form grid-filter" onSubmit={apply}>
      {conditions.map((condition, index) => (
        <ConditionLine
          // biome-ignore lint/suspicious/noArrayIndexKey: a condition is identified by its position
          key={index}
          columns={columns}
          condition={condition}
          change={(patch) => change(index, patch)}
          remove={() => setConditions(conditions.filter((_, at) => at !== index))}
        />
      ))}
      {rest.map(([name, value]) => (
        <div key={`${name}=${value}`} className="grid-condition">
          <code className="mono">{`${name}=${value}`}</code>
          <RemoveButton label={grid.removeCondition} act={() => setRest(rest.filter(([each, text]) => each !== name || text !== value))} />
        </div>
      ))}
      <Button
        variant="subtle"
        size="xs"
        justify="start"
        leftSection={<Icon name="plus" size={15} />}
        onClick={() => setConditions([...conditions, ...newCondition()])}
      >
        {grid.addCondition}
      </Button>
      <CopyField label={grid.apiUrl} value={apiUrl(table, nextQuery)} />
      <Group gap="xs" justify="flex-end">
        <Button
          variant="default"
          size="xs"
          onClick={() => {
            setQuery({ ...query, conditions: [], rest: [] })
            close()
          }}
        >
          {grid.removeFilters}
        </Button>
        <Button size="xs" type="submit">
          {grid.apply}
        </Button>
      </Group>
    </form>
  )
}

/** The list's URL for scripts. */
const apiUrl = (table: TableView, query: ListQuery): string => {
  const parameters = toQueryString(query)
  return location.origin + recordsUrl(table.name, parameters)
}

/** Numbers and timestamps in the API's format. */
function normalizeValue(condition: Condition, columns: GridColumn[]): Condition {
  const column = columns.find(({ name }) => name === condition.column)
  const isTyped = column && ['number', 'dateTime', 'boolean'].includes(cellKind(column)) && condition.operator !== 'in'
  return isTyped ? { ...condition, value: toPlainText(parseInput(condition.value, column)) } : condition
}

type LineProps = { columns: GridColumn[]; condition: Condition; change: (patch: Partial<Condition>) => void; remove: () => void }

const inputTypes: Partial<Record<CellKind, string>> = { date: 'date', time: 'time' }

function ConditionLine({ columns, condition, change, remove }: LineProps) {
  const { grid, tables } = useStrings()
  const column = columns.find(({ name }) => name === condition.column) ?? columns[0]!
  const kind = cellKind(column)
  const people = usePeopleOptions(kind === 'person')
  const choose = (name: string) => {
    const next = columns.find((each) => each.name === name)!
    change({ column: name, operator: operatorsOf(next)[0]!, value: cellKind(next) === 'boolean' ? 'true' : '' })
  }
  return (
    <div className="grid-condition">
      <NativeSelect
        size="xs"
        aria-label={grid.column}
        value={column.name}
        data={columns.map(({ name }) => name)}
        onChange={(event) => choose(event.currentTarget.value)}
      />
      <NativeSelect
        size="xs"
        aria-label={grid.operator}
        value={condition.operator}
        data={[...new Set([...operatorsOf(column), condition.operator])].map((value) => ({ value, label: grid.operators[value] }))}
        onChange={(event) => change({ operator: event.currentTarget.value as Operator })}
      />
      {!needsValue(condition.operator) ? (
        <span />
      ) : kind === 'boolean' ? (
        <NativeSelect
          size="xs"
          aria-label={grid.value}
          value={condition.value || 'true'}
          data={[
            { value: 'true', label: tables.yes },
            { value: 'false', label: tables.no },
          ]}
          onChange={(event) => change({ value: event.currentTarget.value })}
        />
      ) : kind === 'person' && condition.operator !== 'in' ? (
        <NativeSelect
          size="xs"
          aria-label={grid.value}
          value={condition.value}
          data={people}
          onChange={(event) => change({ value: event.currentTarget.value })}
        />
      ) : (
        <TextInput
          size="xs"
          aria-label={grid.value}
          placeholder={condition.operator === 'in' || condition.operator === 'cs' ? grid.valuesHelp : undefined}
          type={condition.operator === 'in' ? 'text' : (inputTypes[kind] ?? 'text')}
          value={condition.value}
          onChange={(event) => change({ value: event.currentTarget.value })}
          data-autofocus
        />
      )}
      <RemoveButton label={grid.removeCondition} act={remove} />
    </div>
  )
}

const RemoveButton = ({ label, act }: { label: string; act: () => void }) => (
  <ActionIcon variant="subtle" color="gray" aria-label={label} title={label} onClick={act}>
    <Icon name="trash" size={15} />
  </ActionIcon>
)
