import { Button, Checkbox, NativeSelect, TextInput } from '@mantine/core'
import { type FormEvent, type ReactNode, useState } from 'react'
import { useStrings } from '../../language'
import type { TypeName } from '../../records/values/column-kinds'
import type { ColumnOverrides, ImportPlan, PlannedColumn } from './plan'

/** The types that need no further options. */
const types = [
  'text',
  'longText',
  'integer',
  'bigint',
  'decimal',
  'float',
  'currency',
  'percent',
  'rating',
  'duration',
  'boolean',
  'date',
  'dateTime',
  'time',
  'email',
  'url',
  'json',
  'uuid',
]

type PlanFormProps = {
  plan: ImportPlan
  submit: (name: string, overrides: ColumnOverrides) => Promise<void>
  isBusy: boolean
  canChange: boolean
  /** A column was renamed, left out, or is imported again. */
  onNamesChange: () => void
  children: ReactNode
}

/** The new table: its name, and for each column of the file whether it is imported, its name and its type. */
export function PlanForm({ plan, submit, isBusy, canChange, onNamesChange, children }: PlanFormProps) {
  const { transfer } = useStrings()
  const [name, setName] = useState(plan.name)
  const [overrides, setOverrides] = useState<ColumnOverrides>(new Map())
  const send = (event: FormEvent) => {
    event.preventDefault()
    if (!isBusy) void submit(name, overrides)
  }
  const change = (place: number, override: ColumnOverride) => {
    const before = overrides.get(place)
    setOverrides(new Map(overrides).set(place, override))
    if (override?.name !== before?.name || (override === null) !== (before === null)) onNamesChange()
  }
  return (
    <form className="form" onSubmit={send}>
      <TextInput
        label={transfer.tableName}
        value={name}
        required
        withAsterisk={false}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <ul className="plan" aria-label={transfer.columns}>
        {plan.columns.map((column, place) => (
          <ColumnLine
            // biome-ignore lint/suspicious/noArrayIndexKey: a column of a file is identified by its position
            key={place}
            column={column}
            isKey={column.name === plan.primaryKey}
            canChange={canChange}
            override={overrides.get(place)}
            change={(override) => change(place, override)}
          />
        ))}
      </ul>
      {children}
      <Button type="submit" className="submit at-start" aria-disabled={isBusy} aria-busy={isBusy}>
        {transfer.importAction}
      </Button>
    </form>
  )
}

type ColumnOverride = NonNullable<ReturnType<ColumnOverrides['get']>> | null
type LineProps = {
  column: PlannedColumn
  isKey: boolean
  canChange: boolean
  override: ColumnOverride | undefined
  change: (override: ColumnOverride) => void
}

function ColumnLine({ column, isKey, canChange, override, change }: LineProps) {
  const { columns, tables, transfer } = useStrings()
  const typeName = (value: string) => columns.types[value as TypeName] ?? value
  const { header, name, type } = column
  const label = header || name || ''
  if (isKey || !canChange)
    return (
      <li>
        <b>{label}</b>
        <span className="soft">{typeName(type)}</span>
        {isKey ? <span className="badge">{tables.key}</span> : null}
      </li>
    )
  const isOut = override === null
  return (
    <li>
      <Checkbox label={label} checked={!isOut} onChange={() => change(isOut ? {} : null)} />
      <TextInput
        size="xs"
        aria-label={transfer.nameOf(label)}
        disabled={isOut}
        value={override?.name ?? name ?? ''}
        onChange={(event) => change({ ...override, name: event.currentTarget.value })}
      />
      <NativeSelect
        size="xs"
        aria-label={transfer.typeOf(label)}
        disabled={isOut}
        value={override?.type ?? type}
        onChange={(event) => change({ ...override, type: event.currentTarget.value })}
        data={(types.includes(type) ? types : [type, ...types]).map((value) => ({ value, label: typeName(value) }))}
      />
    </li>
  )
}
