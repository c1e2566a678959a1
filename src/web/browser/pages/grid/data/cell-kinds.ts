import type { CSSProperties } from 'react'
import { type CellKind, findColumnType } from '../../../../../tables/column-types/descriptors'
import type { GridColumn } from './cell-values'

export type { CellKind }

/** A formula is displayed by the type of its result. */
export const cellKind = ({ type, options }: GridColumn): CellKind =>
  findColumnType(type === 'formula' ? String(options.valueType) : type)?.cell ?? 'text'

/** Whether the user can edit the value. Files are not edited in a cell, and unknown types only in the form. */
export const isEditable = ({ type, readOnly }: GridColumn): boolean => {
  const columnType = findColumnType(type)
  return !readOnly && type !== 'other' && (columnType?.filledBy === undefined || columnType.cell === 'files')
}

/** The source of a cell's linked records: a table id, or `usersSource`. */
export const linkSource = (column: GridColumn): string => (cellKind(column) === 'person' ? usersSource : String(column.options.table))

/** Not a valid table id. */
export const usersSource = 'people'

export type ColumnChoice = { value: string; color?: string }

/** The choice's color, shown as a dot before its text. */
export const chipProps = (color: string | undefined) =>
  color ? { 'data-color': color, style: { '--chip': color } as CSSProperties } : undefined

export const columnChoices = ({ options }: GridColumn): ColumnChoice[] =>
  ((options.choices as (string | ColumnChoice)[] | undefined) ?? []).map((choice) =>
    typeof choice === 'string' ? { value: choice } : choice,
  )

/** Numbers are right-aligned. */
export const isRightAligned = (column: GridColumn): boolean => cellKind(column) === 'number'
