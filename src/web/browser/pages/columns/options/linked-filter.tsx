import { ActionIcon, Button, Select, TextInput } from '@mantine/core'
import { columnChoices } from '../../../../../tables/choice-colors'
import { textTypes } from '../../../../../tables/column-types/descriptors'
import { Icon } from '../../../components/icon'
import { useStrings } from '../../../language'
import type { ColumnInfo } from '../../../records/values/column'

type LinkedCondition = { column: string; operator: string; value: string | string[] }

type LinkedFilterFieldsProps = {
  /** The columns of the linked records. */
  columns: readonly ColumnInfo[]
  /** The conditions as JSON, as the API takes them. */
  value: string
  change: (value: string) => void
}

/** The condition for each choice; the typed value, if there is one, replaces the `*`. */
const comparisonConditions = {
  is: { operator: 'eq', value: '*' },
  isNot: { operator: 'neq', value: '*' },
  contains: { operator: 'ilike', value: '**' },
  atLeast: { operator: 'gte', value: '*' },
  atMost: { operator: 'lte', value: '*' },
  isTrue: { operator: 'is', value: 'true' },
  isFalse: { operator: 'is', value: 'false' },
  isEmpty: { operator: 'is', value: 'null' },
  isNotEmpty: { operator: 'is', value: 'not_null' },
} as const
type Comparison = keyof typeof comparisonConditions

const unfilterableTypes = ['attachment', 'manyLinks', 'reverseLinks', 'multiSelect', 'json']

function comparisonsOf(type: string | undefined): Comparison[] {
  if (type === 'boolean') return ['isTrue', 'isFalse', 'isEmpty', 'isNotEmpty']
  if (type === 'select') return ['is', 'isNot', 'isEmpty', 'isNotEmpty']
  if (type !== undefined && textTypes.includes(type)) return ['is', 'isNot', 'contains', 'isEmpty', 'isNotEmpty']
  return ['is', 'isNot', 'atLeast', 'atMost', 'isEmpty', 'isNotEmpty']
}

function comparisonOf({ operator, value }: LinkedCondition): Comparison {
  const found = (Object.keys(comparisonConditions) as Comparison[]).find((name) => {
    const its = comparisonConditions[name]
    return its.operator === operator && (operator !== 'is' || its.value === value)
  })
  return found ?? 'is'
}

const typedValue = ({ operator, value }: LinkedCondition): string => {
  const text = String(value)
  return operator === 'ilike' ? text.replace(/^\*|\*$/g, '') : text
}

const toCondition = (column: string, name: Comparison, typed: string): LinkedCondition => {
  const { operator, value } = comparisonConditions[name]
  if (operator === 'is') return { column, operator, value }
  return { column, operator, value: operator === 'ilike' ? `*${typed}*` : typed }
}

/** Limits the counted linked records to those that meet all conditions. */
export function LinkedFilterFields({ columns, value, change }: LinkedFilterFieldsProps) {
  const { columns: words } = useStrings()
  const conditions = JSON.parse(value) as LinkedCondition[]
  const replace = (place: number, condition: LinkedCondition | null) =>
    change(JSON.stringify(conditions.flatMap((each, index) => (index === place ? (condition ?? []) : each))))
  const offered = columns.filter(({ type, options }) => !unfilterableTypes.includes(type) && !options.isMany)
  const first = offered[0]
  const add = () => first && change(JSON.stringify([...conditions, toCondition(first.id, comparisonsOf(first.type)[0]!, '')]))
  return (
    <fieldset className="choices">
      <legend className="field-label">{words.linkedFilter}</legend>
      {conditions.map((condition, index) => {
        const { column } = condition
        const compared = offered.find(({ id }) => id === column)
        const names = comparisonsOf(compared?.type)
        const name = comparisonOf(condition)
        const typed = typedValue(condition)
        const setTyped = (text: string) => replace(index, toCondition(column, name, text))
        const choices = compared?.type === 'select' ? columnChoices(compared).map((choice) => choice.value) : null
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: a condition is identified by its position
          <div key={index} className="linked-condition">
            <Select
              aria-label={words.conditionColumn(index + 1)}
              value={column}
              data={offered.map(({ id, name: label }) => ({ value: id, label }))}
              allowDeselect={false}
              withScrollArea={false}
              onChange={(id) => id && replace(index, toCondition(id, comparisonsOf(offered.find((each) => each.id === id)?.type)[0]!, ''))}
            />
            <Select
              aria-label={words.conditionComparison(index + 1)}
              value={name}
              data={names.map((each) => ({ value: each, label: words.comparisons[each] }))}
              allowDeselect={false}
              withScrollArea={false}
              onChange={(chosen) => chosen && replace(index, toCondition(column, chosen as Comparison, name === chosen ? '' : typed))}
            />
            {condition.operator === 'is' ? null : choices ? (
              <Select
                aria-label={words.conditionValue(index + 1)}
                value={typed || null}
                data={[...new Set([...choices, typed])].filter(Boolean)}
                allowDeselect={false}
                withScrollArea={false}
                onChange={(chosen) => chosen && setTyped(chosen)}
              />
            ) : (
              <TextInput
                aria-label={words.conditionValue(index + 1)}
                value={typed}
                onChange={(event) => setTyped(event.currentTarget.value)}
              />
            )}
            <ActionIcon variant="subtle" color="gray" aria-label={words.conditionRemove(index + 1)} onClick={() => replace(index, null)}>
              <Icon name="trash" size={16} />
            </ActionIcon>
          </div>
        )
      })}
      <Button variant="default" size="compact-sm" leftSection={<Icon name="plus" size={15} />} onClick={add} disabled={!first}>
        {words.addCondition}
      </Button>
    </fieldset>
  )
}
