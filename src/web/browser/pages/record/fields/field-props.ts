import type { InputWrapperProps } from '@mantine/core'
import type { Column } from '../data/column'
import type { Draft } from './field-draft'

export type FieldProps = {
  column: Column
  draft: Draft
  change: (draft: Draft) => void
  problem?: string
  /** Of a new record: whether it may be left to the service. */
  isOptional?: boolean
}

/** What the controls of all types have in common. */
export const controlOf = ({ column, problem, isOptional }: FieldProps) => ({
  name: column.name,
  label: column.name,
  error: problem,
  'aria-invalid': problem !== undefined,
  required: column.required && !isOptional,
  withAsterisk: column.required && !isOptional,
  // Help below, so that controls beside each other stand on one line.
  inputWrapperOrder: ['label', 'input', 'error', 'description'] satisfies InputWrapperProps['inputWrapperOrder'],
})
