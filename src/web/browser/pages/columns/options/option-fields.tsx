import { NativeSelect, Select, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { TableView } from '../../../../../tables/model'
import { tablesQuery } from '../../../api/queries'
import { useFieldError } from '../../../components/form/form'
import { Field } from '../../../fields/field'
import { useStrings } from '../../../language'
import type { ColumnInfo } from '../../../records/values/column'
import { lineOptionsOf, unconstrained } from '../../../records/values/column-kinds'
import { currencyChoices } from '../../../records/values/currencies'
import { linkTargetChoices } from '../../../records/values/link-targets'
import type { DraftProps } from '../column-draft'
import { isBound, withChoices } from '../column-draft'
import { FormulaFields } from '../formula/formula-fields'
import { ChoiceList } from './choice-list'
import { LinkedOptions, ReverseOptions } from './linked-options'
import { OptionSelect } from './option-select'

/** The options that a type needs: choices, the linked table, the expression of a formula. */
export function OptionFields({ table, ...props }: DraftProps & { table: TableView }) {
  const { draft, set } = props
  switch (draft.type) {
    case 'select':
    case 'multiSelect':
      return <ChoiceList choices={draft.choices} change={(choices) => set(withChoices(draft, choices))} />
    case 'link':
    case 'manyLinks':
      return <LinkOptions {...props} />
    case 'reverseLinks':
      return <ReverseOptions {...props} table={table} />
    case 'lookup':
    case 'rollup':
    case 'count':
      return <LinkedOptions {...props} table={table} />
    case 'currency':
      return <CurrencyOption {...props} />
    case 'formula':
      return <FormulaFields {...props} table={table} />
    default:
      return null
  }
}

/** The options of a type that are text fields; most columns need no such option. */
export const LineOptions = (props: DraftProps) => (
  <div className="two">
    {lineOptionsOf(props.draft.type)
      .filter((name) => name !== 'currency')
      .map((name) => (
        <Option key={`${props.draft.type} ${name}`} {...props} name={name as OptionName} />
      ))}
  </div>
)

type OptionName = 'min' | 'max' | 'minLength' | 'maxLength' | 'pattern' | 'precision' | 'scale' | 'maxFiles' | 'accept'

const setOption = ({ draft, set }: DraftProps, name: string, value: string) =>
  set({ ...draft, options: { ...draft.options, [name]: value } })

function Option({ name, ...props }: DraftProps & { name: OptionName }) {
  const { columns: words } = useStrings()
  const problem = useFieldError(name)
  const { draft } = props
  const label = words.optionLabels[name]
  const value = draft.options[name] ?? ''
  if (isBound(name)) {
    const options = draft.type === 'rating' ? { max: 10 } : {}
    const column: ColumnInfo = { ...unconstrained, id: name, name: label, type: draft.type, options }
    return <Field column={column} draft={value} change={(its) => setOption(props, name, String(its))} error={problem} />
  }
  const isText = name === 'pattern' || name === 'accept'
  const help: Partial<Record<OptionName, string>> = { pattern: words.patternHelp, accept: words.acceptHelp }
  return (
    <TextInput
      name={name}
      label={label}
      description={help[name]}
      inputWrapperOrder={['label', 'input', 'error', 'description']}
      classNames={isText ? { input: 'mono' } : undefined}
      inputMode={isText ? undefined : 'numeric'}
      autoComplete="off"
      spellCheck={false}
      value={value}
      onChange={(event) => setOption(props, name, event.currentTarget.value)}
      error={problem}
      aria-invalid={problem !== undefined}
    />
  )
}

/** A currency is required for a column of amounts, and optional for a formula. */
export function CurrencyOption(props: DraftProps) {
  const { columns: words } = useStrings()
  const problem = useFieldError('currency')
  const data = useMemo(currencyChoices, [])
  return (
    <Select
      name="currency"
      label={words.optionLabels.currency}
      description={words.currencyHelp}
      inputWrapperOrder={['label', 'input', 'error', 'description']}
      value={props.draft.options.currency || null}
      onChange={(code) => setOption(props, 'currency', code ?? '')}
      data={data}
      searchable
      required={props.draft.type === 'currency'}
      clearable={props.draft.type !== 'currency'}
      withAsterisk={false}
      // Enter chooses the first result of a search instead of sending the form.
      selectFirstOptionOnChange
      limit={50}
      withScrollArea={false}
      classNames={{ options: 'type-options' }}
      error={problem}
      aria-invalid={problem !== undefined}
    />
  )
}

const deleteRules = ['setNull', 'restrict', 'cascade'] as const

function LinkOptions(props: DraftProps) {
  const { columns: words } = useStrings()
  const { data: tables = [] } = useQuery(tablesQuery)
  const ruleProblem = useFieldError('onDelete')
  const { options, type, isRequired } = props.draft
  return (
    <div className="two">
      <OptionSelect
        name="table"
        label={words.linkTable}
        placeholder={words.chooseTable}
        value={options.table}
        change={(table) => setOption(props, 'table', table)}
        data={linkTargetChoices(tables)}
      />
      {type === 'link' ? (
        <NativeSelect
          name="onDelete"
          label={words.optionLabels.onDelete}
          // The default of the service.
          value={options.onDelete ?? (isRequired ? 'restrict' : 'setNull')}
          onChange={(event) => setOption(props, 'onDelete', event.currentTarget.value)}
          error={ruleProblem}
          data={deleteRules.map((value) => ({ value, label: words.onDelete[value] }))}
        />
      ) : null}
    </div>
  )
}
