import { MultiSelect, Select, TagsInput, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { columnChoices } from '../../../../tables/choice-colors'
import { valueType } from '../../../../tables/column-types/descriptors'
import type { TableView } from '../../../../tables/model'
import { useStrings } from '../../language'
import type { FilterRule } from '../../records/filters/filter-operators'
import { takesList } from '../../records/filters/filter-operators'
import { isRelativeDay, relativeDays, relativePeriods } from '../../records/filters/relative-dates'
import { isRuleVariable, type RuleVariable } from '../../records/filters/rule-variables'
import { cellKind } from '../../records/values/cell-kinds'
import type { GridColumn } from '../../records/values/cell-values'
import { peopleQuery } from '../../records/values/people'
import { decimalMark, toJsonNumber, toTypedNumber } from '../../values/decimal'
import { toUtcTimestamp } from '../../values/timestamps'
import { DateInput } from '../date-input'
import { useLinkedTable, useRecordChoices } from '../link-field'
import { comparesMoments, useFilterUse, variablesFor } from './filter-use'

type ValueProps = {
  column: GridColumn
  rule: FilterRule
  /** The message for an invalid value. */
  problem: string | undefined
  isRequired: boolean
  change: (values: string[]) => void
}

/** The value of a condition; in an access rule, also the requesting user or the time. */
export function FilterValue(props: ValueProps) {
  const use = useFilterUse()
  const { column, rule } = props
  const variables = use === 'access' ? variablesFor(cellKind(column), column.type, rule.operator) : []
  return variables.length > 0 ? <VariableValue {...props} variables={variables} /> : <PlainValue {...props} />
}

/** A variable, or a value as in other filters. */
function VariableValue({ variables, ...props }: ValueProps & { variables: readonly RuleVariable[] }) {
  const { filter } = useStrings()
  const [value] = props.rule.values
  const isVariable = value !== undefined && isRuleVariable(value)
  const [isOther, setOther] = useState(value !== undefined && !isVariable)
  return (
    <div className="filter-day">
      <Select
        size="xs"
        aria-label={filter.comparedWith}
        value={isOther ? other : (value ?? null)}
        placeholder={filter.choose}
        data={[
          ...variables.map((each) => ({ value: each as string, label: filter.variables[each] })),
          { value: other, label: filter.otherValue },
        ]}
        allowDeselect={false}
        onChange={(chosen) => {
          setOther(chosen === other)
          props.change(chosen === other || chosen === null ? [] : [chosen])
        }}
      />
      {isOther ? <PlainValue {...props} /> : null}
    </div>
  )
}

const other = 'other'

/** The value of a condition, by the type of its column. */
function PlainValue(props: ValueProps) {
  const { filter } = useStrings()
  const use = useFilterUse()
  const { column, rule, change } = props
  const kind = cellKind(column)
  const common = controlled(props, filter.value)
  const value = rule.values[0] ?? ''
  if (takesList(rule.operator)) {
    if (kind === 'select' || kind === 'multiSelect') {
      const choices = new Set([...columnChoices(column).map((choice) => choice.value), ...rule.values])
      return <ListSelect {...common} data={[...choices].filter(Boolean)} rule={rule} change={change} />
    }
    if (kind === 'person') return <PeopleSelect {...props} />
    if (kind === 'link' || kind === 'manyLinks') return <LinkSelect {...props} />
    return <TagsInput {...common} value={rule.values} onChange={change} placeholder={rule.values.length ? undefined : filter.valuesHelp} />
  }
  if (rule.operator === 'within') {
    return (
      <Select
        {...common}
        value={value || null}
        placeholder={filter.choose}
        data={relativePeriods.map((period) => ({ value: period, label: filter.periods[period] }))}
        allowDeselect={false}
        maxDropdownHeight={320}
        onChange={(period) => change([period ?? ''])}
      />
    )
  }
  if (kind === 'number') return <NumberText key={column.name} {...props} />
  if (kind === 'time') {
    const setTime = (time: string, isPartial: boolean) => change([isPartial ? '' : time])
    return <DateInput {...common} kind="time" format={column.options} value={value} change={setTime} />
  }
  if (kind === 'dateTime' && comparesMoments(use)) return <DateText {...props} kind="dateTime" label={filter.value} />
  if (kind === 'date' || kind === 'dateTime') return use === 'page' ? <DayValue {...props} /> : <DateText {...props} label={filter.date} />
  return <TextInput {...common} value={value} onChange={(event) => change([event.currentTarget.value])} />
}

const controlled = ({ problem, isRequired, rule }: ValueProps, label: string) =>
  ({
    size: 'xs',
    'aria-label': label,
    error: problem,
    errorProps: { role: 'alert' },
    required: isRequired && !rule.values.some(Boolean),
  }) as const

/** Mantine's MultiSelect does not pass `required` on to its input, so the form would be sent without a value. */
const requiring = (required: boolean) => (input: HTMLInputElement | null) => {
  if (input) input.required = required
}

type ListSelectProps = {
  required: boolean
  rule: FilterRule
  change: (values: string[]) => void
  data: (string | { value: string; label: string })[]
}

function ListSelect({ rule, change, ...props }: ListSelectProps) {
  const { filter } = useStrings()
  return (
    <MultiSelect
      {...props}
      ref={requiring(props.required)}
      value={rule.values}
      onChange={change}
      searchable
      hidePickedOptions
      selectFirstOptionOnChange
      placeholder={rule.values.length ? undefined : filter.choose}
    />
  )
}

function PeopleSelect(props: ValueProps) {
  const { filter } = useStrings()
  const { data = [] } = useQuery(peopleQuery)
  const unknown = props.rule.values.filter((value) => !data.some(({ id }) => id === value))
  const options = [...data.map(({ id, name }) => ({ value: id, label: name })), ...unknown.map((value) => ({ value, label: value }))]
  return <ListSelect {...controlled(props, filter.value)} data={options} rule={props.rule} change={props.change} />
}

/** Linked records by name. Without access to their table, by key. */
function LinkSelect(props: ValueProps) {
  const { filter } = useStrings()
  const target = useLinkedTable(props.column)
  if (target) return <RecordSelect {...props} target={target} />
  return <TagsInput {...controlled(props, filter.value)} value={props.rule.values} onChange={props.change} />
}

function RecordSelect({ target, ...props }: ValueProps & { target: TableView }) {
  const { filter, record } = useStrings()
  const [text, setText] = useState('')
  const [isOpen, setOpen] = useState(false)
  const { choices, search } = useRecordChoices(target, props.rule.values, text, isOpen)
  const isChosen = (value: string) => props.rule.values.includes(value)
  const common = controlled(props, filter.value)
  return (
    <MultiSelect
      {...common}
      ref={requiring(common.required)}
      // A disabled option could not be removed.
      data={choices.map((choice) => ({ ...choice, disabled: choice.disabled && !isChosen(choice.value) }))}
      value={props.rule.values}
      onChange={props.change}
      searchable
      searchValue={text}
      onSearchChange={setText}
      onDropdownOpen={() => setOpen(true)}
      // The service has filtered the options.
      filter={({ options }) => options}
      hidePickedOptions
      {...search}
      placeholder={props.rule.values.length ? undefined : record.searchIn(target.name)}
    />
  )
}

/** A number as people of the locale type it. */
function NumberText(props: ValueProps) {
  const { filter } = useStrings()
  const [text, setText] = useState(toTypedNumber(props.rule.values[0] ?? '', decimalMark(), valueType(props.column)))
  return (
    <TextInput
      {...controlled(props, filter.value)}
      inputMode="decimal"
      value={text}
      onChange={(event) => {
        const typed = event.currentTarget.value
        setText(typed)
        props.change([toJsonNumber(typed, decimalMark(), valueType(props.column)) ?? typed])
      }}
    />
  )
}

function DateText({ label, kind = 'date', ...props }: ValueProps & { label: string; kind?: 'date' | 'dateTime' }) {
  const value = props.rule.values[0] ?? ''
  return (
    <DateInput
      {...controlled(props, label)}
      kind={kind}
      format={props.column.options}
      value={value}
      // Text that is not a date yet counts as no value, so that the condition is incomplete.
      change={(date, isPartial) => props.change([isPartial ? '' : kind === 'dateTime' ? toUtcTimestamp(date) : date])}
    />
  )
}

const exact = 'exact'

/** A named day, such as “today”, or a date. */
function DayValue(props: ValueProps) {
  const { filter } = useStrings()
  const value = props.rule.values[0] ?? ''
  const [isExact, setExact] = useState(value !== '' && !isRelativeDay(value))
  const days = Object.keys(relativeDays) as (keyof typeof relativeDays)[]
  return (
    <div className="filter-day">
      <Select
        size="xs"
        aria-label={filter.day}
        value={isExact ? exact : value || null}
        placeholder={filter.choose}
        data={[...days.map((day) => ({ value: day as string, label: filter.days[day] })), { value: exact, label: filter.exactDate }]}
        allowDeselect={false}
        onChange={(day) => {
          setExact(day === exact)
          props.change([day === exact ? '' : (day ?? '')])
        }}
      />
      {isExact ? <DateText {...props} label={filter.date} /> : null}
    </div>
  )
}
