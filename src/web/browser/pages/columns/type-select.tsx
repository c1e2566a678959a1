import { Select } from '@mantine/core'
import { useRef } from 'react'
import { ColumnTypeIcon } from '../../components/column-type-icon'
import { useFieldError } from '../../components/form/form'
import { useStrings } from '../../language'
import type { ColumnInfo } from '../../records/values/column'
import { canConvertTo, isFixedType, type TypeName, typeGroups } from '../../records/values/column-kinds'
import type { ColumnDraft } from './column-draft'

type TypeSelectProps = {
  type: string
  column: ColumnInfo | undefined
  isKey: boolean
  choose: (type: string, options?: ColumnDraft['options']) => void
}

/** A searchable list of the types that the column can have, each with an icon and a sentence. */
export function TypeSelect({ type, column, isKey, choose }: TypeSelectProps) {
  const { columns: words } = useStrings()
  const problem = useFieldError('type')
  const isFixed = column !== undefined && (isKey || isFixedType(column.type))
  const offered = (types: readonly TypeName[]) =>
    types.filter((each) => each === column?.type || (column ? !isFixed && canConvertTo(each, column.type) : true))
  const groups = Object.entries(typeGroups)
    .map(([group, types]) => ({
      group: words.groups[group as keyof typeof typeGroups],
      items: offered(types).map((value) => ({ value, label: words.types[value] })),
    }))
    .filter(({ items }) => items.length > 0)
  const summaries = Object.entries(words.rollupFunctions)
  const searched = useRef('')
  /** If the user searched for a summary by name, choosing the rollup type also chooses that summary. */
  const take = (value: string) => {
    const [summary] = summaries.find(([, name]) => searched.current !== '' && name.toLowerCase().startsWith(searched.current)) ?? []
    choose(value, value === 'rollup' && summary ? { function: summary } : {})
  }
  /** How well a type matches a text: 0 is the best match; -1 means no match. */
  const rankOf = (value: string, text: string) => {
    const name = words.types[value as TypeName].toLowerCase()
    const help = words.typeHelp[value as TypeName].toLowerCase()
    return [name === text, name.startsWith(text), name.includes(text), help.includes(text)].indexOf(true)
  }
  return (
    <Select
      name="type"
      label={words.type}
      value={type}
      onChange={(value) => value && take(value)}
      onSearchChange={(text) => {
        searched.current = text.trim().toLowerCase()
      }}
      error={problem}
      description={isFixed ? words.typeIsFixed : undefined}
      inputWrapperOrder={['label', 'input', 'error', 'description']}
      data={groups}
      searchable
      allowDeselect={false}
      selectFirstOptionOnChange
      nothingFoundMessage={words.noTypes}
      // The list itself scrolls, so that it is one element for screen readers.
      withScrollArea={false}
      classNames={{ options: 'type-options' }}
      leftSection={<ColumnTypeIcon type={type} />}
      filter={({ options, search }) => {
        const text = search.trim().toLowerCase()
        if (text === '') return options
        // Search results have no groups, so that the best match is the first option, which Enter chooses.
        const ranked = options
          .flatMap((each) => ('items' in each ? each.items : [each]))
          .map((option) => ({ option, rank: rankOf(String(option.value), text) }))
        return ranked
          .filter(({ rank }) => rank >= 0)
          .sort((one, other) => one.rank - other.rank)
          .map(({ option }) => option)
      }}
      renderOption={({ option: { value } }) => <TypeOption type={value as TypeName} />}
    />
  )
}

function TypeOption({ type }: { type: TypeName }) {
  const { columns: words } = useStrings()
  return (
    <span className="type-option">
      <ColumnTypeIcon type={type} />
      <span>
        <span className="type-name">{words.types[type]}</span>
        <span className="type-help">{words.typeHelp[type]}</span>
      </span>
    </span>
  )
}
