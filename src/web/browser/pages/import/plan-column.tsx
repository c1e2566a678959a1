import { Button, Checkbox, NativeSelect, TextInput } from '@mantine/core'
import { memo, useMemo } from 'react'
import type { TableView } from '../../../../tables/model'
import { currencyIn, currencySignIn } from '../../../../tables/notation'
import { useStrings } from '../../language'
import type { TypeName } from '../../records/values/column-kinds'
import { currencyChoices, usualCurrency } from '../../records/values/currencies'
import { likelyTarget, linkTargetChoices } from '../../records/values/link-targets'
import type { ColumnOverride, ImportPlan, PlannedColumn } from './plan'

/** The types that a column of a file can have, besides links. */
const types = [
  ...['text', 'longText', 'integer', 'decimal', 'currency', 'percent', 'rating', 'duration', 'boolean'],
  ...['date', 'dateTime', 'time', 'email', 'url'],
]
const technicalTypes = ['bigint', 'float', 'json', 'uuid']

const typesWith = (type: string): string[] => (types.includes(type) || technicalTypes.includes(type) ? types : [type, ...types])

type PlanColumnProps = {
  plan: ImportPlan
  index: number
  /** The column according to the last check, if there was one. */
  found: PlannedColumn
  primaryKey: string
  tables: readonly TableView[]
  canChange: boolean
  override: ColumnOverride | undefined
  change: (index: number, override: ColumnOverride) => void
}

/** A column of the file: whether it is imported, its name and its type. */
export const PlanColumn = memo(({ plan, index, found, primaryKey, tables, canChange, override, change }: PlanColumnProps) => {
  const { columns, tables: words, transfer } = useStrings()
  const typeName = (value: string) => columns.types[value as TypeName] ?? value
  const toChoice = (value: string) => ({ value, label: typeName(value) })
  const { type: planned, header, name } = plan.columns[index]!
  // A changed column is not the key.
  const isKey = found.name === primaryKey && override === undefined
  const label = header || name || ''
  const near = override === null || override?.type ? undefined : found.nearly
  if (isKey || !canChange)
    return (
      <li>
        <b>{label}</b>
        <span className="soft">{typeName(found.type)}</span>
        {isKey ? <span className="badge">{words.key}</span> : null}
        {near ? <NearType label={label} type={found.type} near={near} /> : null}
      </li>
    )
  const isOut = override === null
  const linked = isOut || override?.type ? undefined : likelyTarget(label, found.type, tables)
  const { type = found.type, options = found.options } = override ?? {}
  // The value of a link also contains its table.
  const choose = (value: string) => {
    const [chosen = '', table] = value.split(' ')
    const currency = chosen === 'currency' ? (fileCurrency(plan, index) ?? usualCurrency(tables) ?? '') : undefined
    // If a later record contradicts the type of the first records, that type has to be requested with its options.
    const more = table ? { table } : currency === undefined ? (chosen === near?.type ? near.options : undefined) : { currency }
    change(index, { ...override, type: chosen, options: more })
  }
  return (
    <li>
      <Checkbox label={label} checked={!isOut} onChange={() => change(index, isOut ? {} : null)} />
      <TextInput
        size="xs"
        aria-label={transfer.nameOf(label)}
        disabled={isOut}
        value={override?.name ?? name ?? ''}
        onChange={(event) => change(index, { ...override, name: event.currentTarget.value })}
      />
      <NativeSelect
        size="xs"
        aria-label={transfer.typeOf(label)}
        disabled={isOut}
        value={type === 'link' ? linkValue(options.table) : type}
        onChange={(event) => choose(event.currentTarget.value)}
        data={[
          ...typesWith(planned).map(toChoice),
          ...linkTargetChoices(tables).map(({ value, label: table }) => ({ value: linkValue(value), label: transfer.linkTo(table) })),
          { group: transfer.technical, items: technicalTypes.map(toChoice) },
        ]}
      />
      {type === 'currency' && !isOut ? (
        <CurrencySelect
          label={transfer.currencyOf(label)}
          value={String(options.currency ?? '')}
          change={(currency) => change(index, { ...override, type, options: { currency } })}
        />
      ) : null}
      {linked ? <LikelyLink label={label} target={linked} take={choose} /> : null}
      {near ? (
        <NearType
          label={label}
          type={found.type}
          near={near}
          take={() => change(index, { ...override, type: near.type, options: near.options })}
        />
      ) : null}
    </li>
  )
})

type NearTypeProps = { label: string; type: string; near: NonNullable<PlannedColumn['nearly']>; take?: () => void }

/** Explains why a column does not have the type that nearly all of its cells fit, and offers that type. */
function NearType({ label, type, near, take }: NearTypeProps) {
  const { columns, transfer } = useStrings()
  const name = columns.types[near.type as TypeName]
  return (
    <PlanNote
      label={label}
      text={transfer.nearly(columns.types[type as TypeName], name, near)}
      action={transfer.takeType(name)}
      {...(take ? { take } : {})}
    />
  )
}

const LikelyLink = ({ label, target: { id, name }, take }: { label: string; target: TableView; take: (type: string) => void }) => {
  const { transfer } = useStrings()
  return <PlanNote label={label} text={transfer.likelyNames(name)} action={transfer.linkTo(name)} take={() => take(linkValue(id))} />
}

type PlanNoteProps = { label: string; text: string; action: string; take?: () => void }

const PlanNote = ({ label, text, action, take }: PlanNoteProps) => (
  <p className="plan-note soft">
    {text}{' '}
    {take ? (
      <Button variant="default" size="compact-xs" aria-label={`${action}: ${label}`} onClick={take}>
        {action}
      </Button>
    ) : null}
  </p>
)

const linkValue = (table: unknown) => `link ${table}`

/** The detected currency or, without one, a currency by a sign in the header, as in `Total (€)`, or in the cells. */
function fileCurrency({ columns, records }: ImportPlan, index: number): string | undefined {
  const { header, options } = columns[index]!
  const words = header.split(/[\s()[\],/]+/).filter((word) => word !== '' && currencySignIn(word) === word)
  return options.currency === undefined
    ? [...words, ...records.map((record) => record[index] ?? '')].map(currencyIn).find((code) => code)
    : String(options.currency)
}

function CurrencySelect({ label, value, change }: { label: string; value: string; change: (currency: string) => void }) {
  const { transfer } = useStrings()
  const choices = useMemo(currencyChoices, [])
  return (
    <NativeSelect
      size="xs"
      className="plan-option"
      aria-label={label}
      required
      value={value}
      onChange={(event) => change(event.currentTarget.value)}
      data={value ? choices : [{ value, label: transfer.choose }, ...choices]}
    />
  )
}
