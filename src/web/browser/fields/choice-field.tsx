import { MultiSelect, Select } from '@mantine/core'
import { columnChoices } from '../../../tables/choice-colors'
import { useStrings } from '../language'
import type { ColumnInfo } from '../records/values/column'
import { controlProps, type FieldProps } from './field-props'

type Choice = { value: string; color?: string }

/** The choices of a column, and values of the record that are no longer choices. */
function choicesWith(column: ColumnInfo, chosen: readonly string[]): Choice[] {
  const byValue = new Map<string, Choice>(columnChoices(column).map((choice) => [choice.value, choice]))
  const all = [...byValue.values(), ...chosen.filter((value) => !byValue.has(value)).map((value) => ({ value }))]
  // While choices are being edited, some are empty.
  return all.filter(({ value }) => value !== '')
}

const Dot = ({ color }: { color: string | undefined }) => (color ? <span className="dot" style={{ background: color }} /> : null)

export function ChoiceField(props: FieldProps) {
  const { record } = useStrings()
  const { column, draft, change } = props
  const choices = choicesWith(column, [String(draft ?? '')])
  const colorOf = (value: unknown) => choices.find((choice) => choice.value === value)?.color
  return (
    <Select
      {...controlProps(props)}
      data={choices.map(({ value }) => value)}
      value={String(draft ?? '') || null}
      onChange={(value) => change(value ?? '')}
      allowDeselect={false}
      searchable={choices.length > 7}
      selectFirstOptionOnChange
      clearable={!column.required}
      clearButtonProps={{ 'aria-label': record.clear(column.name) }}
      nothingFoundMessage={record.noMatchingChoices}
      leftSection={colorOf(draft) ? <Dot color={colorOf(draft)} /> : undefined}
      renderOption={({ option }) => (
        <span className="choice">
          <Dot color={colorOf(option.value)} />
          {option.value}
        </span>
      )}
    />
  )
}

export function ChoicesField(props: FieldProps) {
  const { record } = useStrings()
  const { column, draft, change } = props
  const chosen = Array.isArray(draft) ? draft : []
  return (
    <MultiSelect
      {...controlProps(props)}
      data={choicesWith(column, chosen).map(({ value }) => value)}
      value={chosen}
      onChange={change}
      searchable
      selectFirstOptionOnChange
      clearable
      clearButtonProps={{ 'aria-label': record.clear(column.name) }}
      nothingFoundMessage={record.noMatchingChoices}
    />
  )
}
