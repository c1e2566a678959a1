import { NativeSelect, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { ConversionReport, TableView } from '../../../../tables/model'
import { CancelButton, Dialog } from '../../components/dialog'
import { Form, useFieldProblem } from '../../components/form'
import { useStrings } from '../../language'
import { decimalMark } from '../../values/decimal'
import { draftOf } from '../record/fields/field-draft'
import { addColumn, changeColumn, forgetTable, tryColumn } from './column-data'
import { bodyOfColumn, type ColumnDraft, draftOfColumn, emptyDraft, patchOf } from './column-draft'
import { type Column, isTarget, keepsType, type TypeName, typeGroups } from './column-kinds'
import { Constraints } from './constraints'
import { RetypeReport } from './conversion-report'
import { OptionFields } from './option-fields'

type ColumnDialogProps = { table: TableView; column?: Column; close: () => void }

/** Makes a column, or changes one. What might not fit is tried first, and the result is shown before anything is done. */
export function ColumnDialog({ table, column, close }: ColumnDialogProps) {
  const { columns: words } = useStrings()
  const [initial] = useState(() => (column ? draftOfColumn(column) : emptyDraft))
  const [draft, setDraft] = useState<ColumnDraft>(initial)
  const [report, setReport] = useState<ConversionReport | null>(null)

  const finish = async () => {
    await forgetTable()
    close()
  }
  const patch = () => patchOf(initial, draft, decimalMark())
  async function submit() {
    if (!column) {
      await addColumn(table, bodyOfColumn(draft, decimalMark()))
      return finish()
    }
    const wanted = patch()
    if (Object.keys(wanted).length === 0) return close()
    if (wanted.type !== undefined || (wanted.options !== undefined && draft.type !== 'formula')) {
      const tried = await tryColumn(table, column, wanted)
      if (tried.failing > 0 || tried.renamed || wanted.type !== undefined) return setReport(tried)
    }
    await changeColumn(table, column, wanted)
    return finish()
  }
  const convert = async () => {
    await changeColumn(table, column!, { ...patch(), ...(report!.failing > 0 ? { onFailure: 'null' } : {}) })
    await finish()
  }
  return (
    <Dialog title={column ? words.editOf(column.name) : words.create} isOpen close={close} size="lg">
      {report ? (
        <RetypeReport table={table} report={report} back={() => setReport(null)} convert={convert} />
      ) : (
        <Form action={column ? words.save : words.createAction} submit={submit} beside={<CancelButton close={close} />}>
          <NameAndType
            draft={draft}
            set={setDraft}
            column={column}
            isKey={column !== undefined && table.primaryKey.includes(column.name)}
          />
          <OptionFields draft={draft} set={setDraft} />
          <Constraints draft={draft} set={setDraft} isKey={column !== undefined && table.primaryKey.includes(column.name)} />
        </Form>
      )}
    </Dialog>
  )
}

export type DraftProps = { draft: ColumnDraft; set: (draft: ColumnDraft) => void }

function NameAndType({ draft, set, column, isKey }: DraftProps & { column: Column | undefined; isKey: boolean }) {
  const { columns: words } = useStrings()
  const problem = useFieldProblem('name')
  const typeProblem = useFieldProblem('type')
  // Another type has other options and another kind of default.
  const choose = (type: string) =>
    set({ ...draft, type, options: column?.type === type ? draftOfColumn(column).options : {}, default: draftOf({ type }, null) })
  const isFixed = column !== undefined && (isKey || keepsType(column.type))
  const offered = (types: readonly TypeName[]) => types.filter((type) => !column || type === column.type || (!isFixed && isTarget(type)))
  const groups = Object.entries(typeGroups).map(([group, types]) => ({
    group: words.groups[group as keyof typeof typeGroups],
    items: offered(types).map((value) => ({ value, label: words.types[value] })),
  }))
  return (
    <div className="two">
      <TextInput
        name="name"
        label={words.name}
        value={draft.name}
        onChange={(event) => set({ ...draft, name: event.currentTarget.value })}
        error={problem}
        aria-invalid={problem !== undefined}
        required
        withAsterisk={false}
        autoComplete="off"
        spellCheck={false}
        data-autofocus
      />
      <NativeSelect
        name="type"
        label={words.type}
        value={draft.type}
        onChange={(event) => choose(event.currentTarget.value)}
        error={typeProblem}
        description={isFixed ? words.typeIsFixed : undefined}
        inputWrapperOrder={['label', 'input', 'error', 'description']}
        data={groups.filter(({ items }) => items.length > 0)}
      />
    </div>
  )
}
