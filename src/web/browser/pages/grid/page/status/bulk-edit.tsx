import { Checkbox, NativeSelect } from '@mantine/core'
import { useState } from 'react'
import { ApiError } from '../../../../api/api-error'
import { CancelButton, Dialog } from '../../../../components/dialog'
import { Form } from '../../../../components/form/form'
import { Field } from '../../../../fields/field'
import { draftProblem, type FieldDraft, isSameDraft, toDraft, toJson } from '../../../../fields/field-draft'
import { useStrings } from '../../../../language'
import type { ColumnInfo } from '../../../../records/values/column'
import { decimalMark } from '../../../../values/decimal'
import { parseExact } from '../../../../values/exact-json'

type BulkEditProps = {
  columns: readonly ColumnInfo[]
  count: number
  /** Whether it cannot be undone. */
  isPermanent: boolean
  isOpen: boolean
  close: () => void
  update: (name: string, value: unknown) => Promise<void>
}

/** Sets one value in a column of all selected records. */
export function BulkEdit(props: BulkEditProps) {
  const { grid } = useStrings()
  return (
    <Dialog title={grid.bulkEditTitle(props.count)} isOpen={props.isOpen} close={props.close}>
      <BulkEditForm {...props} />
    </Dialog>
  )
}

function BulkEditForm({ columns, count, isPermanent, close, update }: BulkEditProps) {
  const { grid } = useStrings()
  const [name, setName] = useState(columns[0]!.name)
  const [typed, setTyped] = useState<FieldDraft>(null)
  const [isClearing, setClearing] = useState(false)
  const column = columns.find((each) => each.name === name) ?? columns[0]!
  const empty = toDraft(column, null)
  const draft = typed ?? empty
  const select = (chosen: string) => {
    setName(chosen)
    setTyped(null)
    setClearing(false)
  }
  const submit = async () => {
    // An empty field must not clear the column by accident.
    if (!isClearing && isSameDraft(draft, empty)) throw new ApiError(422, { message: grid.valueRequired }, 0)
    const json = toJson(column, isClearing ? empty : draft, decimalMark())
    if (json === null) throw new ApiError(422, { message: draftProblem(grid.inputProblems, column, draft) }, 0)
    await update(column.name, parseExact(json))
    close()
  }
  return (
    <Form action={grid.bulkEditAction(count)} submit={submit} beside={<CancelButton close={close} />}>
      <NativeSelect
        label={grid.column}
        value={column.name}
        data={columns.map((each) => each.name)}
        onChange={(event) => select(event.currentTarget.value)}
        data-autofocus
      />
      {isPermanent ? <p className="soft">{grid.notByUndo}</p> : null}
      {isClearing ? null : (
        <Field key={column.id} column={{ ...column, name: grid.value, required: false }} draft={draft} change={setTyped} />
      )}
      {column.required ? null : (
        <Checkbox label={grid.clearCells} checked={isClearing} onChange={(event) => setClearing(event.currentTarget.checked)} />
      )}
    </Form>
  )
}
