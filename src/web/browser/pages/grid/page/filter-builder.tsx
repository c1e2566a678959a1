import { ActionIcon, Button, Group, NativeSelect, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import type { TableView } from '../../../../../tables/model'
import { recordsAddress } from '../../../api/urls'
import { Copyable } from '../../../components/copy-field'
import { Icon } from '../../../components/icon'
import { useStrings } from '../../../language'
import { type Kind, kindOf } from '../data/cell-kinds'
import type { Column } from '../data/cell-values'
import { plainText } from '../data/cell-values'
import { type Condition, needsValue, type Operator, type Query, toParameters } from '../data/list-query'
import { typedValue } from '../edit/cell-input'
import { usePeopleOptions } from './use-people-options'

const ordered: Operator[] = ['eq', 'neq', 'gt', 'gte', 'lt', 'lte', 'in', 'is.null', 'not.is.null']
const words: Operator[] = ['ilike', 'not.ilike', 'eq', 'neq', 'in', 'is.null', 'not.is.null']
const chosen: Operator[] = ['eq', 'neq', 'in', 'is.null', 'not.is.null']
const byKind: Partial<Record<Kind, Operator[]>> = {
  number: ordered,
  date: ordered,
  dateTime: ordered,
  time: ordered,
  boolean: ['eq', 'is.null', 'not.is.null'],
  select: chosen,
  multiSelect: ['cs', 'is.null', 'not.is.null'],
  link: chosen,
  person: chosen,
  json: ['is.null', 'not.is.null'],
}

const isFilterable = (column: Column) => !['files', 'manyLinks'].includes(kindOf(column))
const operatorsOf = (column: Column): Operator[] => (column.type === 'uuid' ? chosen : (byKind[kindOf(column)] ?? words))

type FilterBuilderProps = { table: TableView; query: Query; setQuery: (query: Query) => void; first?: string; close: () => void }

/** Conditions that all have to hold, and the request that they make, to take along. */
export function FilterBuilder({ table, query, setQuery, first, close }: FilterBuilderProps) {
  const { grid } = useStrings()
  const columns = table.columns.filter(isFilterable)
  const fresh = (name?: string): Condition[] => {
    const column = columns.find((each) => each.name === name) ?? columns[0]
    return column ? [{ column: column.name, operator: operatorsOf(column)[0]!, value: '' }] : []
  }
  const [conditions, setConditions] = useState(() => [...query.conditions, ...(first || query.conditions.length === 0 ? fresh(first) : [])])
  const [rest, setRest] = useState(query.rest)
  const complete = conditions.filter(({ operator, value }) => !needsValue(operator) || value.trim() !== '')
  const wanted: Query = { ...query, conditions: complete.map((condition) => exact(condition, columns)), rest }
  const change = (index: number, patch: Partial<Condition>) =>
    setConditions(conditions.map((condition, at) => (at === index ? { ...condition, ...patch } : condition)))
  const apply = (event: FormEvent) => {
    event.preventDefault()
    setQuery(wanted)
    close()
  }
  return (
    <form className="form grid-filter" onSubmit={apply}>
      {conditions.map((condition, index) => (
        <ConditionLine
          // biome-ignore lint/suspicious/noArrayIndexKey: a condition is nothing but its place
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
          <Remove label={grid.removeCondition} act={() => setRest(rest.filter(([each, text]) => each !== name || text !== value))} />
        </div>
      ))}
      <Button
        variant="subtle"
        size="xs"
        justify="start"
        leftSection={<Icon name="plus" size={15} />}
        onClick={() => setConditions([...conditions, ...fresh()])}
      >
        {grid.addCondition}
      </Button>
      <Copyable label={grid.apiUrl} value={addressOf(table, wanted)} />
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

/** The same list, for a script. */
const addressOf = (table: TableView, query: Query): string => {
  const parameters = toParameters(query)
  return location.origin + recordsAddress(table.name, parameters)
}

/** Numbers and moments as the API writes them, however they were typed. */
function exact(condition: Condition, columns: Column[]): Condition {
  const column = columns.find(({ name }) => name === condition.column)
  const isTyped = column && ['number', 'dateTime', 'boolean'].includes(kindOf(column)) && condition.operator !== 'in'
  return isTyped ? { ...condition, value: plainText(typedValue(condition.value, column)) } : condition
}

type LineProps = { columns: Column[]; condition: Condition; change: (patch: Partial<Condition>) => void; remove: () => void }

const inputTypes: Partial<Record<Kind, string>> = { date: 'date', time: 'time' }

function ConditionLine({ columns, condition, change, remove }: LineProps) {
  const { grid, tables } = useStrings()
  const column = columns.find(({ name }) => name === condition.column) ?? columns[0]!
  const kind = kindOf(column)
  const people = usePeopleOptions(kind === 'person')
  const choose = (name: string) => {
    const next = columns.find((each) => each.name === name)!
    change({ column: name, operator: operatorsOf(next)[0]!, value: kindOf(next) === 'boolean' ? 'true' : '' })
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
      <Remove label={grid.removeCondition} act={remove} />
    </div>
  )
}

const Remove = ({ label, act }: { label: string; act: () => void }) => (
  <ActionIcon variant="subtle" color="gray" aria-label={label} title={label} onClick={act}>
    <Icon name="trash" size={15} />
  </ActionIcon>
)
