import { NativeSelect, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { ConversionReport, TableView } from '../../../../tables/model'
import { CancelButton, Dialog } from '../../components/dialog'
import { Form, useFieldError } from '../../components/form'
import { useStrings } from '../../language'
import { decimalMark } from '../../values/decimal'
import type { ColumnInfo } from '../record/data/column'
import { toDraft } from '../record/fields/field-draft'
import { createColumn, dryRunColumn, invalidateTable, updateColumn } from './column-data'
import { type ColumnDraft, emptyDraft, toColumnBody, toColumnDraft, toColumnPatch } from './column-draft'
import { canConvertTo, isFixedType, type TypeName, typeGroups } from './column-kinds'
import { Constraints } from './constraints'
import { ConversionForm } from './conversion-report'
import { OptionFields } from './option-fields'

type ColumnDialogProps = { table: TableView; column?: ColumnInfo; close: () => void }

/**
 * Creates or edits a column. Conversions that may fail run as a dry run first, and the report is shown before anything
 * changes.
 */
export function ColumnDialog({ table, column, close }: ColumnDialogProps) {
  const { columns: words } = useStrings()
  const [initial] = useState(() => (column ? toColumnDraft(column) : emptyDraft))
  const [draft, setDraft] = useState<ColumnDraft>(initial)
  const [report, setReport] = useState<ConversionReport | null>(null)

  const finish = async () => {
    await invalidateTable()
    close()
  }
  const patch = () => toColumnPatch(initial, draft, decimalMark())
  async function submit() {
    if (!column) {
      await createColumn(table, toColumnBody(draft, decimalMark()))
      return finish()
    }
    const changes = patch()
    if (Object.keys(changes).length === 0) return close()
    if (changes.type !== undefined || (changes.options !== undefined && draft.type !== 'formula')) {
      const tried = await dryRunColumn(table, column, changes)
      if (tried.failing > 0 || tried.renamed || changes.type !== undefined) return setReport(tried)
    }
    await updateColumn(table, column, changes)
    return finish()
  }
  const convert = async () => {
    await updateColumn(table, column!, { ...patch(), ...(report!.failing > 0 ? { onFailure: 'null' } : {}) })
    await finish()
  }
  return (
    <Dialog title={column ? words.editOf(column.name) : words.create} isOpen close={close} size="lg">
      {report ? (
        <ConversionForm table={table} report={report} back={() => setReport(null)} convert={convert} />
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

function NameAndType({ draft, set, column, isKey }: DraftProps & { column: ColumnInfo | undefined; isKey: boolean }) {
  const { columns: words } = useStrings()
  const problem = useFieldError('name')
  const typeProblem = useFieldError('type')
  // Another type has other options and another default.
  const choose = (type: string) =>
    set({ ...draft, type, options: column?.type === type ? toColumnDraft(column).options : {}, default: toDraft({ type }, null) })
  const isFixed = column !== undefined && (isKey || isFixedType(column.type))
  const offered = (types: readonly TypeName[]) =>
    types.filter((type) => !column || type === column.type || (!isFixed && canConvertTo(type)))
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
