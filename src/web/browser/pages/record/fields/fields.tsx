import type { ReactNode } from 'react'
import type { TableView } from '../../../../../tables/model'
import type { Column } from '../data/column'
import { Field } from './field'
import type { Draft } from './field-draft'
import type { FieldProblems } from './field-errors'

const wide = ['longText', 'json', 'attachment', 'manyLinks']

type FieldsProps = {
  columns: readonly Column[]
  draftOf: (column: Column) => Draft
  change: (name: string, draft: Draft) => void
  problems: FieldProblems
  isOptional?: (column: Column) => boolean
  /** What stands in the place of a control: files, and what can only be read. */
  instead: (column: Column) => ReactNode | null
}

/** The fields of a record in the order of its columns. */
export function Fields({ columns, draftOf, change, problems, isOptional, instead }: FieldsProps) {
  return (
    <div className="fields">
      {columns.map((column) => (
        <div key={column.id} className={wide.includes(column.type) ? 'field is-wide' : 'field'} data-field={column.name}>
          {instead(column) ?? (
            <Field
              column={column}
              draft={draftOf(column)}
              change={(draft) => change(column.name, draft)}
              problem={problems.get(column.name)}
              isOptional={isOptional?.(column)}
            />
          )}
        </div>
      ))}
    </div>
  )
}

/** A value with its name, to read. */
export const Shown = ({ column, children }: { column: Pick<Column, 'name'>; children: ReactNode }) => (
  <div className="shown">
    <span className="field-label">{column.name}</span>
    <div className="shown-value">{children}</div>
  </div>
)

/** Whether anything of a table's record can be written by hand. */
export const canWrite = ({ readOnly }: TableView, role: string): boolean => !readOnly && role !== 'viewer'
