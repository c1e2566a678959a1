import { TextInput } from '@mantine/core'
import { useState } from 'react'
import type { FormField } from '../../../../forms/model'
import { useFieldError } from '../../components/form/form'
import { toColumnValue } from '../../fields/column-value'
import { Field } from '../../fields/field'
import { type FieldDraft, toDraft } from '../../fields/field-draft'
import { useStrings } from '../../language'
import type { ColumnInfo } from '../../records/values/column'
import { unconstrained } from '../../records/values/column-kinds'
import { decimalMark } from '../../values/decimal'
import { offersRecords } from './form-draft'

type FieldPartProps = { field: FormField; index: number; change: (field: FormField) => void }

export const canHaveFormDefault = ({ type }: ColumnInfo): boolean => type !== 'attachment' && !offersRecords(type)

/** The value of a field that is left empty, edited with the control of its column. */
export function DefaultField({ field, index, column, change }: FieldPartProps & { column: ColumnInfo }) {
  const { forms: words } = useStrings()
  const { type, options } = column
  const [draft, setDraft] = useState(() => toDraft(column, field.default, decimalMark()))
  const set = (next: FieldDraft) => {
    setDraft(next)
    change({ ...field, default: toColumnValue(type, next, decimalMark()) ?? undefined })
  }
  return (
    <Field
      column={{ ...unconstrained, id: `default-${index}`, name: words.default, type, options }}
      draft={draft}
      change={set}
      error={useFieldError(`fields/${index}/default`)}
    />
  )
}

const bytesOfMegabyte = 1_000_000

/** The allowed number, size and types of files. */
export function FileLimitFields({ field, index, change }: FieldPartProps) {
  const { forms: words } = useStrings()
  const { most, maxBytes, accept } = field.files ?? {}
  const problem = useFieldError(`fields/${index}/files`)
  const set = (part: NonNullable<FormField['files']>) => {
    const given = Object.entries({ ...field.files, ...part }).filter(([, value]) => value !== undefined)
    change({ ...field, files: given.length > 0 ? Object.fromEntries(given) : undefined })
  }
  return (
    <>
      <div className="two">
        <TextInput
          label={words.mostFiles}
          type="number"
          min={1}
          max={20}
          placeholder="1"
          value={most ?? ''}
          error={problem}
          onChange={({ currentTarget }) => set({ most: numberIn(currentTarget) })}
        />
        <TextInput
          label={words.fileMegabytes}
          type="number"
          min={1e-6}
          step="any"
          placeholder="10"
          defaultValue={maxBytes === undefined ? '' : maxBytes / bytesOfMegabyte}
          onChange={({ currentTarget }) => set({ maxBytes: bytesIn(currentTarget) })}
        />
      </div>
      <AcceptField accept={accept} change={(types) => set({ accept: types })} />
    </>
  )
}

const numberIn = ({ value }: HTMLInputElement): number | undefined => (value === '' ? undefined : Number(value))

function bytesIn(input: HTMLInputElement): number | undefined {
  const megabytes = numberIn(input)
  return megabytes === undefined ? undefined : Math.round(megabytes * bytesOfMegabyte)
}

function AcceptField({ accept, change }: { accept: string[] | undefined; change: (accept: string[] | undefined) => void }) {
  const { forms: words } = useStrings()
  const [text, setText] = useState(accept?.join(', ') ?? '')
  return (
    <TextInput
      label={words.accept}
      description={words.acceptHelp}
      value={text}
      onChange={({ currentTarget: { value } }) => {
        setText(value)
        const types = value.split(/[\s,]+/).filter(Boolean)
        change(types.length > 0 ? types : undefined)
      }}
    />
  )
}
