import type { InputWrapperProps } from '@mantine/core'
import type { ColumnInfo } from '../records/values/column'
import type { FieldDraft } from './field-draft'

export type FieldProps = {
  column: ColumnInfo
  draft: FieldDraft
  change: (draft: FieldDraft) => void
  error?: string
  /** In the form of a new record: whether the service can generate the value. */
  isOptional?: boolean
  /** The key of the record, if it has one. */
  recordKey?: string | undefined
}

/** The props that all controls share. */
export const controlProps = ({ column, error, isOptional }: FieldProps) => ({
  name: column.name,
  label: column.name,
  error: error,
  'aria-invalid': error !== undefined,
  required: column.required && !isOptional,
  withAsterisk: column.required && !isOptional,
  // The description goes below, so that adjacent controls are aligned.
  inputWrapperOrder: ['label', 'input', 'error', 'description'] satisfies InputWrapperProps['inputWrapperOrder'],
})
