import { Anchor, MultiSelect, Select, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { TableView } from '../../../../../tables/model'
import { tablesQuery } from '../../../api/queries'
import { useStrings } from '../../../language'
import { type Column, findTable } from '../data/column'
import { type Choice, choicesQuery, labelsQuery } from '../data/linked-records'
import { controlOf, type FieldProps } from './field-props'

const pauseMs = 200

/** The table that a column points to; null when the user may not see it. */
export function useTarget({ options }: Column): TableView | null {
  const { data } = useQuery(tablesQuery)
  return (data && findTable(data, String(options.table))) ?? null
}

/** What can be chosen: what is linked already, and what is found for the text. */
function useChoices(target: TableView, chosen: readonly string[], text: string, isOpen: boolean) {
  const [searched] = useDebouncedValue(text.trim(), pauseMs)
  const labels = useQuery({ ...labelsQuery(target, chosen), placeholderData: keepPreviousData })
  // A chosen label stands in the control as if it had been typed.
  const isLabel = labels.data?.some(({ label }) => label === searched)
  const found = useQuery({ ...choicesQuery(target, isLabel ? '' : searched), enabled: isOpen, placeholderData: keepPreviousData })
  const known = new Map([...(found.data ?? []), ...(labels.data ?? [])].map((choice) => [choice.value, choice]))
  for (const value of chosen) if (!known.has(value)) known.set(value, { value, label: value })
  return { choices: distinct([...known.values()]), isSearching: found.isFetching || searched !== text.trim() }
}

/** Two records may have the same words: then their keys stand behind them. */
function distinct(choices: Choice[]): Choice[] {
  const counts = Map.groupBy(choices, ({ label }) => label)
  return choices.map(({ value, label }) => ({ value, label: counts.get(label)!.length > 1 ? `${label} (${value})` : label }))
}

export function LinkField(props: FieldProps) {
  const target = useTarget(props.column)
  return target ? <OneLink {...props} target={target} /> : <KeyField {...props} />
}

export function LinksField(props: FieldProps) {
  const target = useTarget(props.column)
  return target ? <SeveralLinks {...props} target={target} /> : <KeyField {...props} />
}

/** Of a table that the user may not see, only the keys are known. */
const KeyField = (props: FieldProps) => <TextInput {...controlOf(props)} value={String(props.draft ?? '')} readOnly />

// The service has searched already.
const asFound = ({ options }: { options: unknown }) => options as never

function OneLink({ target, ...props }: FieldProps & { target: TableView }) {
  const { record } = useStrings()
  const [text, setText] = useState('')
  const [isOpen, setOpen] = useState(false)
  const value = String(props.draft ?? '')
  const { choices, isSearching } = useChoices(target, value ? [value] : [], text, isOpen)
  return (
    <Select
      {...controlOf(props)}
      description={<Linked target={target} keys={value ? [value] : []} choices={choices} />}
      descriptionProps={{ component: 'div' }}
      data={choices}
      value={value || null}
      onChange={(chosen) => props.change(chosen ?? '')}
      searchable
      onSearchChange={setText}
      onDropdownOpen={() => setOpen(true)}
      filter={asFound}
      clearable={!props.column.required}
      clearButtonProps={{ 'aria-label': record.clear(props.column.name) }}
      placeholder={record.searchIn(target.name)}
      nothingFoundMessage={isSearching ? record.searching : record.noMatchingRecords}
    />
  )
}

function SeveralLinks({ target, ...props }: FieldProps & { target: TableView }) {
  const { record } = useStrings()
  const [text, setText] = useState('')
  const [isOpen, setOpen] = useState(false)
  const keys = Array.isArray(props.draft) ? props.draft : []
  const { choices, isSearching } = useChoices(target, keys, text, isOpen)
  return (
    <MultiSelect
      {...controlOf(props)}
      description={<Linked target={target} keys={keys} choices={choices} />}
      descriptionProps={{ component: 'div' }}
      data={choices}
      value={keys}
      onChange={props.change}
      searchable
      searchValue={text}
      onSearchChange={setText}
      onDropdownOpen={() => setOpen(true)}
      filter={asFound}
      placeholder={keys.length ? undefined : record.searchIn(target.name)}
      nothingFoundMessage={isSearching ? record.searching : record.noMatchingRecords}
    />
  )
}

/** The ways to the linked records. */
export function Linked({ target, keys, choices }: { target: TableView; keys: readonly string[]; choices: readonly Choice[] }) {
  return (
    <span className="linked">
      {keys.map((key) => (
        <Anchor
          key={key}
          inherit
          renderRoot={(given) => (
            <Link {...given} to="/tables/$tableId/records/$pk" params={{ tableId: target.id, pk: encodeURIComponent(key) }} />
          )}
        >
          {choices.find(({ value }) => value === key)?.label ?? key}
        </Anchor>
      ))}
    </span>
  )
}
