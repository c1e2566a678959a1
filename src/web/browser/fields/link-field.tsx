import { type ComboboxItem, MultiSelect, Select, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type KeyboardEvent, useState } from 'react'
import type { TableView } from '../../../tables/model'
import { tablesQuery } from '../api/queries'
import { useStrings } from '../language'
import { operatorsFor } from '../records/filters/filter-operators'
import { cellKind } from '../records/values/cell-kinds'
import { type ColumnInfo, tableByName } from '../records/values/column'
import { factsText, labelsQuery, type RecordChoice, recordChoicesQuery } from '../records/values/linked-records'
import { toText } from '../values/exact-json'
import { controlProps, type FieldProps } from './field-props'
import { LinkedRecords } from './linked-records'

const typingDelayMs = 200

/** The table that a column links to; null if the user may not read it. */
export function useLinkedTable({ options }: Pick<ColumnInfo, 'options'>): TableView | null {
  const { data } = useQuery(tablesQuery)
  const table = data && tableByName(data, String(options.table))
  return table?.can.read ? table : null
}

export const linkTypes = ['link', 'manyLinks', 'reverseLinks']

/** The text column that names the records which a link column links to; undefined if the user may not read it. */
export function useLinkedText(column: Pick<ColumnInfo, 'type' | 'options'> | undefined): string | undefined {
  const target = useLinkedTable(column ?? { options: {} })
  const name = target?.columns.find((each) => each.name === target.displayColumn)
  const isText = name !== undefined && operatorsFor(cellKind(name), name.type).includes('contains')
  return column && linkTypes.includes(column.type) && isText ? name.name : undefined
}

/**
 * The options: linked records and search results. While the user types, only results for the current text can be
 * chosen, so that Enter does not choose the first option of an older list.
 * @param link the column of the offered records that can link to one record
 */
export function useRecordChoices(target: TableView, chosen: readonly string[], text: string, isOpen: boolean, link?: string) {
  const { record } = useStrings()
  const labels = useQuery({ ...labelsQuery(target, chosen, link), placeholderData: keepPreviousData })
  // The label of the selected option is also the text of the control.
  const typed = labels.data?.some(({ label }) => label.trim() === text.trim()) ? '' : text.trim()
  const [searched] = useDebouncedValue(typed, typingDelayMs)
  const found = useQuery({ ...recordChoicesQuery(target, searched, link), enabled: isOpen, placeholderData: keepPreviousData })
  const isOutdated = typed !== '' && (searched !== typed || found.isPlaceholderData || found.isLoading)
  const matches = new Set(found.data?.map(({ value }) => value))
  const [first = [], rest = []] = typed ? [found.data, labels.data] : [labels.data, found.data]
  const byKey = new Map([...first, ...rest].map((choice) => [choice.value, choice]))
  for (const value of chosen) if (!byKey.has(value)) byKey.set(value, { value, label: value, record: {} })
  return {
    choices: withDistinctLabels([...byKey.values()], new Set(chosen)).map((choice) => ({
      ...choice,
      disabled: typed !== '' && (isOutdated || !matches.has(choice.value)),
    })),
    search: {
      selectFirstOptionOnChange: typed !== '' && !isOutdated,
      // Enter would send the form without the record that is still being searched.
      onKeyDown: (event: KeyboardEvent) => {
        if (isOutdated && event.key === 'Enter') event.preventDefault()
      },
      nothingFoundMessage: isOutdated || found.isFetching ? record.searching : record.noMatchingRecords,
    },
  }
}

/**
 * Appends the key to options with the same label; to chosen ones only if another chosen one has it. Otherwise the label
 * of a chosen option would change with the search results, and the control would replace the typed text with that
 * label.
 */
function withDistinctLabels(choices: RecordChoice[], chosen: ReadonlySet<string>): RecordChoice[] {
  const byLabel = Map.groupBy(choices, ({ label }) => label)
  return choices.map((choice) => {
    const alike = byLabel.get(choice.label)!
    const rivals = chosen.has(choice.value) ? alike.filter(({ value }) => chosen.has(value)) : alike
    return rivals.length > 1 ? { ...choice, label: `${choice.label} (${choice.value})` } : choice
  })
}

/** The label of the other record to which a choice links now. @param link the column with that link */
function useOwners(target: TableView, link: ColumnInfo | undefined, choices: readonly RecordChoice[], recordKey: string | undefined) {
  const owners = useLinkedTable(link ?? { options: {} })
  const keyOf = ({ record }: RecordChoice) => (link ? toText(record[link.name] ?? '') : '')
  const keys = [...new Set(choices.map(keyOf))].filter((key) => key !== '' && key !== recordKey)
  const { data } = useQuery({ ...labelsQuery(owners ?? target, owners ? keys : []), placeholderData: keepPreviousData })
  return (choice: RecordChoice) => {
    const key = keyOf(choice)
    return keys.includes(key) ? (data?.find(({ value }) => value === key)?.label ?? key) : undefined
  }
}

/** An option with the values that distinguish its record. */
function useOption(target: TableView, ownerOf?: (choice: RecordChoice) => string | undefined) {
  const { record, tables } = useStrings()
  return ({ option }: { option: ComboboxItem }) => {
    const choice = option as RecordChoice
    const owner = ownerOf?.(choice)
    return (
      <span>
        {choice.label}{' '}
        <span className="facts">
          {[factsText(target, choice.record, tables), owner && record.nowWith(owner)].filter(Boolean).join(' · ')}
        </span>
      </span>
    )
  }
}

export function LinkField(props: FieldProps) {
  const target = useLinkedTable(props.column)
  return target ? <SingleLink {...props} target={target} /> : <KeyField {...props} />
}

export function LinksField(props: FieldProps) {
  const target = useLinkedTable(props.column)
  return target ? <MultipleLinks {...props} target={target} /> : <KeyField {...props} />
}

/** Without access to the linked table, only the keys are known. */
const KeyField = (props: FieldProps) => <TextInput {...controlProps(props)} value={String(props.draft ?? '')} readOnly />

// The service has filtered the options.
const unfiltered = ({ options }: { options: unknown }) => options as never

function SingleLink({ target, ...props }: FieldProps & { target: TableView }) {
  const { record } = useStrings()
  const [text, setText] = useState('')
  const [isOpen, setOpen] = useState(false)
  const value = String(props.draft ?? '')
  // A record that the user may not read is named by its key.
  const { choices, search } = useRecordChoices(target, value ? [value] : [], text === value ? '' : text, isOpen)
  return (
    <Select
      {...controlProps(props)}
      description={<LinkedRecords target={target} keys={value ? [value] : []} choices={choices} isNamed />}
      descriptionProps={{ component: 'div' }}
      data={choices}
      value={value || null}
      onChange={(chosen) => props.change(chosen ?? '')}
      allowDeselect={false}
      searchable
      {...search}
      onSearchChange={setText}
      onDropdownOpen={() => setOpen(true)}
      filter={unfiltered}
      clearable={!props.column.required}
      clearButtonProps={{ 'aria-label': record.clear(props.column.name) }}
      renderOption={useOption(target)}
      placeholder={record.searchIn(target.name)}
    />
  )
}

function MultipleLinks({ target, ...props }: FieldProps & { target: TableView }) {
  const { record } = useStrings()
  const [text, setText] = useState('')
  const [isOpen, setOpen] = useState(false)
  const keys = Array.isArray(props.draft) ? props.draft : []
  // The column of the linked records, if each of them can link to one record only.
  const link = target.columns.find(({ id, type }) => type === 'link' && id === props.column.options.column)
  const { choices, search } = useRecordChoices(target, keys, text, isOpen, link?.name)
  const ownerOf = useOwners(target, link, choices, props.recordKey)
  const taken = choices.flatMap((choice) => {
    const owner = keys.includes(choice.value) && ownerOf(choice)
    return owner ? [record.takes(choice.label, owner)] : []
  })
  return (
    <MultiSelect
      {...controlProps(props)}
      classNames={{ pill: 'is-listed-below' }}
      description={
        <>
          <LinkedRecords
            target={target}
            keys={keys}
            choices={choices}
            remove={(key) => props.change(keys.filter((each) => each !== key))}
          />
          {taken.map((text) => (
            <p key={text} className="soft">
              {text}
            </p>
          ))}
        </>
      }
      descriptionProps={{ component: 'div' }}
      data={choices}
      value={keys}
      onChange={props.change}
      searchable
      {...search}
      searchValue={text}
      onSearchChange={setText}
      onDropdownOpen={() => setOpen(true)}
      filter={unfiltered}
      renderOption={useOption(target, ownerOf)}
      placeholder={record.searchIn(target.name)}
    />
  )
}
