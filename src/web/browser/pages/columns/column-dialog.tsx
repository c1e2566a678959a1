import { TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { TableView } from '../../../../tables/model'
import { queryClient, tablesQuery } from '../../api/queries'
import { CancelButton, Dialog } from '../../components/dialog'
import { Form, useFieldError } from '../../components/form/form'
import { toDraft } from '../../fields/field-draft'
import { useStrings } from '../../language'
import type { ColumnInfo } from '../../records/values/column'
import { createColumn, dryRunColumn, invalidateTable, updateColumn } from '../../records/values/column-data'
import { isComputedType, lineOptionsOf } from '../../records/values/column-kinds'
import { usualCurrency } from '../../records/values/currencies'
import { decimalMark } from '../../values/decimal'
import type { DraftProps } from './column-draft'
import { type ColumnDraft, emptyDraft, toColumnBody, toColumnDraft, toColumnPatch } from './column-draft'
import { Constraints } from './constraints'
import { type ConversionChoices, ConversionForm, type ConversionReports } from './conversion-report'
import { withProposedDisplay } from './formula/formula-query'
import { DescriptionField, MoreFields } from './more-fields'
import { DisplayOptions } from './options/display-options'
import { incomingLinks } from './options/linked-options'
import { LineOptions, OptionFields } from './options/option-fields'
import { createReverse, hasReverse, ReverseCheckbox } from './reverse-column'
import { TypeSelect } from './type-select'

type ColumnDialogProps = {
  table: TableView
  /** The column to edit; undefined for a new one. */
  column?: ColumnInfo
  /** The position of a new column; undefined puts it last. */
  position?: number
  isDescriptionFocused?: boolean
  onCreated?: (column: ColumnInfo) => void
  close: () => void
}

/**
 * Creates or edits a column. Conversions that may fail run as a dry run first, and the report is shown before anything
 * changes.
 */
export function ColumnDialog({ table, column, position, isDescriptionFocused = false, onCreated, close }: ColumnDialogProps) {
  const { columns: words } = useStrings()
  const [initial] = useState(() => (column ? toColumnDraft(column, decimalMark()) : emptyDraft))
  const [draft, setDraft] = useState<ColumnDraft>(initial)
  const { data: tables = [] } = useQuery(tablesQuery)
  const [reports, setReports] = useState<ConversionReports | null>(null)

  const finish = async () => {
    await invalidateTable()
    close()
  }
  const isKey = column !== undefined && table.primaryKey.includes(column.name)
  // A different type has different options and a different default.
  const chooseType = (type: string, options: ColumnDraft['options'] = {}) =>
    setDraft({
      ...draft,
      type,
      options:
        column?.type === type
          ? toColumnDraft(column, decimalMark()).options
          : type === 'currency'
            ? { currency: usualCurrency(tables) ?? '' }
            : { ...linkedTable(type, column), ...options },
      default: column?.type === type ? initial.default : toDraft({ type }, null),
    })
  const patch = () => toColumnPatch(initial, draft, decimalMark())
  async function submit() {
    if (!column) {
      const linked = await withLink(table, draft)
      // If a step below fails, a retry must not create the column of the link again.
      if (linked !== draft) setDraft(linked)
      const body = toColumnBody(await withProposedDisplay(table, linked), decimalMark())
      const created = await createColumn(table, { ...body, position }).catch(async (error) => {
        if (linked !== draft) await invalidateTable()
        throw error
      })
      if (hasReverse(draft)) await createReverse(table, created)
      await finish()
      return onCreated?.(created)
    }
    const changes = patch()
    if (Object.keys(changes).length === 0) return close()
    if (changes.type !== undefined || (changes.options !== undefined && !isComputedType(draft.type))) {
      const found = await dryRunColumn(table, column, changes)
      // Ambiguous texts are read in the user's own notation, which the report mentions.
      const decimals = decimalMark() === ',' ? 'comma' : 'point'
      const isOpen = found.ambiguous?.includes('decimals') ?? false
      const tried = isOpen ? await dryRunColumn(table, column, { ...changes, notation: { ...found.notation, decimals } }) : found
      const created = tried.names?.creatable ? await dryRunColumn(table, column, { ...changes, createLinked: true }) : undefined
      if (tried.failing > 0 || tried.renamed || changes.type !== undefined) return setReports({ tried, created })
    }
    await updateColumn(table, column, changes)
    return finish()
  }
  const convert = async (choices: ConversionChoices) => {
    // The same notation as in the report.
    const notation = reports?.tried.notation
    await updateColumn(table, column!, { ...patch(), ...(notation ? { notation } : {}), ...choices })
    await finish()
  }
  return (
    <Dialog title={column ? words.editOf(column.name) : words.create} isOpen close={close} size="lg">
      {reports ? (
        <ConversionForm table={table} target={draft.options.table} reports={reports} back={() => setReports(null)} convert={convert} />
      ) : (
        <Form action={column ? words.save : words.createAction} submit={submit} beside={<CancelButton close={close} />}>
          <NameField draft={draft} set={setDraft} isFocused={!isDescriptionFocused} />
          <TypeSelect type={draft.type} column={column} isKey={isKey} choose={chooseType} />
          <OptionFields draft={draft} set={setDraft} table={table} />
          {column ? null : <ReverseCheckbox draft={draft} set={setDraft} table={table} />}
          <MoreFields type={draft.type} isInitiallyOpen={isDescriptionFocused || hasMore(initial)}>
            <DescriptionField draft={draft} set={setDraft} isFocused={isDescriptionFocused} />
            <LineOptions draft={draft} set={setDraft} />
            <DisplayOptions draft={draft} set={setDraft} table={table} />
            <Constraints draft={draft} set={setDraft} isKey={isKey} />
          </MoreFields>
        </Form>
      )}
    </Dialog>
  )
}

/** If an incoming link was chosen for a lookup, rollup or count, adds the column that shows its records. */
async function withLink(table: TableView, draft: ColumnDraft): Promise<ColumnDraft> {
  const tables = await queryClient.ensureQueryData(tablesQuery)
  const incoming = incomingLinks(table, tables).find(({ value }) => value === draft.options.link)
  if (!incoming) return draft
  const { name, source, column } = incoming
  const { id } = await createColumn(table, { name, type: 'reverseLinks', options: { table: source.id, column } })
  return { ...draft, options: { ...draft.options, link: id } }
}

const linkTypes = ['link', 'manyLinks']

/** A link to one record and a link to several can lead to the same table. */
const linkedTable = (type: string, column: ColumnInfo | undefined): ColumnDraft['options'] =>
  column && linkTypes.includes(type) && linkTypes.includes(column.type) ? { table: String(column.options.table) } : {}

/** Whether a column has something that the form shows under “More”. */
const hasMore = (draft: ColumnDraft): boolean =>
  draft.isRequired ||
  draft.isUnique ||
  draft.description !== '' ||
  JSON.stringify(draft.default) !== JSON.stringify(toDraft(draft, null)) ||
  lineOptionsOf(draft.type).some((name) => draft.options[name])

function NameField({ draft, set, isFocused }: DraftProps & { isFocused: boolean }) {
  const { columns: words } = useStrings()
  const problem = useFieldError('name')
  return (
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
      data-autofocus={isFocused || undefined}
    />
  )
}
