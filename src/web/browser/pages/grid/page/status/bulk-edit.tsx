import { NativeSelect, TextInput } from '@mantine/core'
import { useState } from 'react'
import { ApiError } from '../../../../api/api-error'
import { CancelButton, Dialog } from '../../../../components/dialog'
import { Form } from '../../../../components/form'
import { useStrings } from '../../../../language'
import { columnChoices } from '../../../../values/choice-colors'
import { cellKind, isEditable } from '../../data/cell-kinds'
import { parseInput } from '../../edit/cell-input'
import { UnreadableInput } from '../../edit/unreadable-input'
import type { PlacedColumn } from '../../view/column-layout'
import { usePeopleOptions } from '../use-people-options'

type BulkEditProps = {
  columns: PlacedColumn[]
  count: number
  /** Whether it cannot be undone. */
  isPermanent: boolean
  isOpen: boolean
  close: () => void
  update: (name: string, value: unknown) => Promise<void>
}

/** Sets one value in a column of all selected records. */
export function BulkEdit({ columns, count, isPermanent, isOpen, close, update }: BulkEditProps) {
  const { grid, tables } = useStrings()
  const editable = columns.map(({ column }) => column).filter((column) => isEditable(column) && cellKind(column) !== 'files')
  const [name, setName] = useState(editable[0]?.name ?? '')
  const column = editable.find((each) => each.name === name) ?? editable[0]
  const kind = column && cellKind(column)
  const people = usePeopleOptions(kind === 'person')
  if (!column) return null
  const options =
    kind === 'person' ? people.slice(1) : kind === 'select' ? columnChoices(column).map(({ value }) => ({ value, label: value })) : null
  const choices =
    kind === 'boolean'
      ? [
          { value: 'true', label: tables.yes },
          { value: 'false', label: tables.no },
        ]
      : options
  const submit = async ({ value = '' }: Record<string, string>) => {
    const typed = parseInput(value, column)
    if (typed instanceof UnreadableInput) throw new ApiError(422, { message: grid.inputProblems[typed.problem] }, 0)
    await update(column.name, typed)
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
        {isPermanent ? <p className="soft">{grid.cannotBeUndone}</p> : null}
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
