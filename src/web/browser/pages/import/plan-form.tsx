import { Button, Checkbox, NativeSelect, TextInput } from '@mantine/core'
import { type FormEvent, type ReactNode, useState } from 'react'
import { useStrings } from '../../language'
import type { Plan, PlannedColumn, Wishes } from './plan'

/** What a file can fill without further settings. */
const types = [
  'text',
  'longText',
  'integer',
  'bigint',
  'decimal',
  'float',
  'boolean',
  'date',
  'dateTime',
  'time',
  'email',
  'url',
  'json',
  'uuid',
]

type Props = {
  plan: Plan
  submit: (name: string, wishes: Wishes) => Promise<void>
  isBusy: boolean
  canChange: boolean
  children: ReactNode
}

/** The table to be: its name, and for each column of the file whether it comes along, under which name and as what. */
export function PlanForm({ plan, submit, isBusy, canChange, children }: Props) {
  const { transfer } = useStrings()
  const [name, setName] = useState(plan.name)
  const [wishes, setWishes] = useState<Wishes>(new Map())
  const send = (event: FormEvent) => {
    event.preventDefault()
    if (!isBusy) void submit(name, wishes)
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
            // biome-ignore lint/suspicious/noArrayIndexKey: a column of a file is its place
            key={place}
            column={column}
            isKey={column.name === plan.primaryKey}
            canChange={canChange}
            wish={wishes.get(place)}
            change={(wish) => setWishes(new Map(wishes).set(place, wish))}
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

type Wish = NonNullable<ReturnType<Wishes['get']>> | null
type LineProps = { column: PlannedColumn; isKey: boolean; canChange: boolean; wish: Wish | undefined; change: (wish: Wish) => void }

function ColumnLine({ column, isKey, canChange, wish, change }: LineProps) {
  const { tables, transfer } = useStrings()
  const { header, name, type } = column
  const shown = header || name || ''
  if (isKey || !canChange)
    return (
      <li>
        <b>{shown}</b>
        <span className="soft">{type}</span>
        {isKey ? <span className="badge">{tables.key}</span> : null}
      </li>
    )
  const isOut = wish === null
  return (
    <li>
      <Checkbox label={shown} checked={!isOut} onChange={() => change(isOut ? {} : null)} />
      <TextInput
        size="xs"
        aria-label={transfer.nameOf(shown)}
        disabled={isOut}
        value={wish?.name ?? name ?? ''}
        onChange={(event) => change({ ...wish, name: event.currentTarget.value })}
      />
      <NativeSelect
        size="xs"
        aria-label={transfer.typeOf(shown)}
        disabled={isOut}
        value={wish?.type ?? type}
        onChange={(event) => change({ ...wish, type: event.currentTarget.value })}
        data={types.includes(type) ? types : [type, ...types]}
      />
    </li>
  )
}
