import { Select } from '@mantine/core'
import { ColumnTypeIcon } from '../../components/column-type-icon'
import { useFieldError } from '../../components/form'
import { useStrings } from '../../language'
import type { ColumnInfo } from '../record/data/column'
import { canConvertTo, isFixedType, type TypeName, typeGroups } from './column-kinds'

type TypeSelectProps = { type: string; column: ColumnInfo | undefined; isKey: boolean; choose: (type: string) => void }

/** A searchable list of the types that the column can have, each with an icon and a sentence. */
export function TypeSelect({ type, column, isKey, choose }: TypeSelectProps) {
  const { columns: words } = useStrings()
  const problem = useFieldError('type')
  const isFixed = column !== undefined && (isKey || isFixedType(column.type))
  const offered = (types: readonly TypeName[]) =>
    types.filter((each) => each === column?.type || (column ? !isFixed && canConvertTo(each) : true))
  const groups = Object.entries(typeGroups)
    .map(([group, types]) => ({
      group: words.groups[group as keyof typeof typeGroups],
      items: offered(types).map((value) => ({ value, label: words.types[value] })),
    }))
    .filter(({ items }) => items.length > 0)
  const matches = (value: string, text: string) =>
    `${words.types[value as TypeName]} ${words.typeHelp[value as TypeName]}`.toLowerCase().includes(text.trim().toLowerCase())
  return (
    <Select
      name="type"
      label={words.type}
      value={type}
      onChange={(value) => value && choose(value)}
      onFocus={(event) => event.currentTarget.select()}
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
      filter={({ options, search }) =>
        options
          .map((group) =>
            'items' in group ? { ...group, items: group.items.filter(({ value }) => matches(String(value), search)) } : group,
          )
          .filter((group) => !('items' in group) || group.items.length > 0)
      }
      renderOption={({ option: { value } }) => (
        <span className="type-option">
          <ColumnTypeIcon type={value} />
          <span>
            <span className="type-name">{words.types[value as TypeName]}</span>
            <span className="type-help">{words.typeHelp[value as TypeName]}</span>
          </span>
        </span>
      )}
    />
  )
}
