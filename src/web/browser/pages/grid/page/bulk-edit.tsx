import { NativeSelect, TextInput } from '@mantine/core'
import { useState } from 'react'
import { Refusal } from '../../../api/api-error'
import { CancelButton, Dialog } from '../../../components/dialog'
import { Form } from '../../../components/form'
import { useStrings } from '../../../language'
import { choicesOf, isWritten, kindOf } from '../data/cell-kinds'
import { NotJson, typedValue } from '../edit/cell-input'
import type { Placed } from '../view/column-layout'
import { usePeopleOptions } from './use-people-options'

type BulkEditProps = {
  columns: Placed[]
  count: number
  /** Whether it cannot be undone. */
  isForGood: boolean
  isOpen: boolean
  close: () => void
  put: (name: string, value: unknown) => Promise<void>
}

/** One value for a column of all chosen records. */
export function BulkEdit({ columns, count, isForGood, isOpen, close, put }: BulkEditProps) {
  const { grid, record, tables } = useStrings()
  const editable = columns.map(({ column }) => column).filter((column) => isWritten(column) && kindOf(column) !== 'files')
  const [name, setName] = useState(editable[0]?.name ?? '')
  const column = editable.find((each) => each.name === name) ?? editable[0]
  const kind = column && kindOf(column)
  const people = usePeopleOptions(kind === 'person')
  if (!column) return null
  const words =
    kind === 'person' ? people.slice(1) : kind === 'select' ? choicesOf(column).map(({ value }) => ({ value, label: value })) : null
  const choices =
    kind === 'boolean'
      ? [
          { value: 'true', label: tables.yes },
          { value: 'false', label: tables.no },
        ]
      : words
  const submit = async ({ value = '' }: Record<string, string>) => {
    const wanted = typedValue(value, column)
    if (wanted instanceof NotJson) throw new Refusal(422, { message: record.invalidJson(0) }, 0)
    await put(column.name, wanted)
    close()
  }
  return (
    <Dialog title={grid.bulkEditTitle(count)} isOpen={isOpen} close={close}>
      <Form action={grid.bulkEditAction(count)} submit={submit} beside={<CancelButton close={close} />}>
        <NativeSelect
          label={grid.column}
          value={column.name}
          data={editable.map((each) => each.name)}
          onChange={(event) => setName(event.currentTarget.value)}
          data-autofocus
        />
        {isForGood ? <p className="soft">{grid.cannotBeUndone}</p> : null}
        {choices ? (
          <NativeSelect key={name} name="value" label={grid.value} data={[{ value: '', label: grid.empty }, ...choices]} />
        ) : (
          <TextInput
            key={name}
            name="value"
            label={grid.value}
            description={grid.emptyClears}
            type={kind === 'date' ? 'date' : 'text'}
            autoComplete="off"
          />
        )}
      </Form>
    </Dialog>
  )
}
