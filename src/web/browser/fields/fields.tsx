import type { ReactNode } from 'react'
import type { ColumnInfo } from '../records/values/column'
import { Field } from './field'
import type { FieldDraft } from './field-draft'
import type { FieldErrors } from './field-errors'

const wideTypes = ['longText', 'json', 'attachment', 'manyLinks', 'reverseLinks']

type FieldsProps = {
  columns: readonly ColumnInfo[]
  draftOf: (column: ColumnInfo) => FieldDraft
  change: (name: string, draft: FieldDraft) => void
  problems: FieldErrors
  isOptional?: (column: ColumnInfo) => boolean
  /** Replaces the control for files and read-only values. */
  instead: (column: ColumnInfo) => ReactNode | null
  recordKey?: string
  below?: (column: ColumnInfo) => ReactNode
}

/** The fields of a record, in column order. */
export function Fields({ columns, draftOf, change, problems, isOptional, instead, recordKey, below }: FieldsProps) {
  return (
    <div className="fields">
      {columns.map((column) => (
        <div key={column.id} className={wideTypes.includes(column.type) ? 'field is-wide' : 'field'} data-field={column.name}>
          {instead(column) ?? (
            <Field
              column={column}
              draft={draftOf(column)}
              change={(draft) => change(column.name, draft)}
              error={problems.get(column.name)}
              isOptional={isOptional?.(column)}
              recordKey={recordKey}
            />
          )}
          {below?.(column)}
        </div>
      ))}
    </div>
  )
}

/** A read-only value with its label. */
export const LabeledValue = ({ column, children }: { column: Pick<ColumnInfo, 'name'>; children: ReactNode }) => (
  <div className="shown">
    <span className="field-label">{column.name}</span>
    <div className="shown-value">{children}</div>
  </div>
)
