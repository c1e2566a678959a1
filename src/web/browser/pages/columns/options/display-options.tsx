import { Checkbox, NativeSelect } from '@mantine/core'
import { separatesThousands } from '../../../../../tables/column-types/descriptors'
import type { TableView } from '../../../../../tables/model'
import { useStrings } from '../../../language'
import { isNumberType } from '../../../records/values/column'
import { displayOptionsOf } from '../../../records/values/column-kinds'
import type { Strings } from '../../../strings/en'
import { decimalMark, toTypedNumber } from '../../../values/decimal'
import { toText } from '../../../values/exact-json'
import { formatDate } from '../../../values/format'
import type { DraftProps } from '../column-draft'
import { isBound, withDisplay } from '../column-draft'
import { useFormulaPreview } from '../formula/formula-query'
import { CurrencyOption } from './option-fields'

/** How the values of the column are displayed. */
export function DisplayOptions({ table, set, ...props }: DraftProps & { table: TableView }) {
  const { columns: words } = useStrings()
  const { preview } = useFormulaPreview(table, props.draft)
  const draft = withDisplay(props.draft, preview.data?.proposed)
  const { type, options } = draft
  const names = displayOptionsOf(type)
  const setOption = (name: string, value: string) => set({ ...draft, options: { ...options, [name]: value } })
  const select = (name: 'dateFormat' | 'timeFormat', forms: Record<string, string>) => (
    <NativeSelect
      name={name}
      label={words.optionLabels[name]}
      value={options[name] ?? ''}
      onChange={(event) => setOption(name, event.currentTarget.value)}
      data={[{ value: '', label: words.ofLanguage }, ...Object.entries(forms).map(([value, label]) => ({ value, label }))]}
    />
  )
  if (names.length === 0) return null
  return (
    <div className="two">
      {names.includes('thousands') ? (
        <Checkbox
          name="thousands"
          label={words.optionLabels.thousands}
          checked={options.thousands ? options.thousands === 'true' : separatesThousands(type)}
          onChange={(event) => setOption('thousands', String(event.currentTarget.checked))}
        />
      ) : null}
      {names.includes('decimals') ? (
        <NativeSelect
          name="decimals"
          label={words.optionLabels.decimals}
          value={options.decimals ?? ''}
          onChange={(event) => setOption('decimals', event.currentTarget.value)}
          data={[
            { value: '', label: ['lookup', 'rollup'].includes(type) ? words.ofLinked : words.allDecimals },
            ...Array.from({ length: 11 }, (_, digits) => String(digits)),
          ]}
        />
      ) : null}
      {names.includes('currency') ? <CurrencyOption draft={draft} set={set} /> : null}
      {names.includes('dateFormat') ? select('dateFormat', dateForms()) : null}
      {names.includes('timeFormat') ? select('timeFormat', words.timeFormats) : null}
    </div>
  )
}

/** Each date format with an example. */
const dateForms = (): Record<string, string> =>
  Object.fromEntries(['iso', 'short', 'long'].map((dateFormat) => [dateFormat, formatDate('2026-01-31T00:00:00', { dateFormat })]))

/** The value of an option in a list of columns. */
export function optionText(type: string, name: string, value: unknown, { columns: words, tables }: Strings): string {
  if (name === 'dateFormat') return dateForms()[String(value)] ?? String(value)
  if (name === 'timeFormat') return words.timeFormats[value as '12']
  if (typeof value === 'boolean') return value ? tables.yes : tables.no
  return isBound(name) && isNumberType(type) ? toTypedNumber(toText(value), decimalMark(), type) : toText(value)
}
