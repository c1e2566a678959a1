import { MultiSelect, Select } from '@mantine/core'
import { useStrings } from '../../../language'
import type { Column } from '../data/column'
import { controlOf, type FieldProps } from './field-props'

type Option = string | { value: string; color?: string }

type Choice = { value: string; color?: string }

/** The choices of a column in their order, each once, and those that a record still has though they are none any more. */
function choicesOf({ options }: Column, chosen: readonly string[]): Choice[] {
  const choices = ((options.choices ?? []) as Option[]).map((choice) => (typeof choice === 'string' ? { value: choice } : choice))
  const known = new Map(choices.map((choice) => [choice.value, choice]))
  const all = [...known.values(), ...chosen.filter((value) => !known.has(value)).map((value) => ({ value }))]
  // While the choices of a column are being typed, some are empty.
  return all.filter(({ value }) => value !== '')
}

const Dot = ({ color }: { color: string | undefined }) => (color ? <span className="dot" style={{ background: color }} /> : null)

export function ChoiceField(props: FieldProps) {
  const { record } = useStrings()
  const { column, draft, change } = props
  const choices = choicesOf(column, [String(draft ?? '')])
  const colorOf = (value: unknown) => choices.find((choice) => choice.value === value)?.color
  return (
    <Select
      {...controlOf(props)}
      data={choices.map(({ value }) => value)}
      value={String(draft ?? '') || null}
      onChange={(value) => change(value ?? '')}
      searchable={choices.length > 7}
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
      {...controlOf(props)}
      data={choicesOf(column, chosen).map(({ value }) => value)}
      value={chosen}
      onChange={change}
      searchable
      clearable
      clearButtonProps={{ 'aria-label': record.clear(column.name) }}
      nothingFoundMessage={record.noMatchingChoices}
    />
  )
}
