import type { CSSProperties } from 'react'
import { type CellKind, findColumnType, valueType } from '../../../../tables/column-types/descriptors'
import type { GridColumn } from './cell-values'

export type { CellKind }

export function cellKind(column: GridColumn): CellKind {
  const kind = findColumnType(valueType(column))?.cell ?? 'text'
  if (!column.options.isMany) return kind
  return manyKinds[kind] ?? 'text'
}

/** The kinds for several values; other kinds are displayed as text separated by commas. */
const manyKinds: Partial<Record<CellKind, CellKind>> = { link: 'manyLinks', select: 'multiSelect', person: 'person' }

/** The column for displaying a single value of a lookup with several values. */
export const singleColumn = (column: GridColumn): GridColumn => ({ ...column, options: { ...column.options, isMany: false } })

/** The column for displaying numbers unrounded, where rounding would hide a difference. */
export const withAllDigits = <Column extends { options: GridColumn['options'] }>(column: Column): Column => ({
  ...column,
  options: { ...column.options, decimals: undefined, sourceDecimals: undefined },
})

/** Whether the user can edit the value. Files are not edited in a cell, and unknown types only in the form. */
export const isEditable = ({ type, readOnly }: GridColumn): boolean => {
  const columnType = findColumnType(type)
  return !readOnly && type !== 'other' && (columnType?.filledBy === undefined || columnType.cell === 'files')
}

/** The source of a cell's linked records: a table id, or `usersSource`. */
export const linkSource = (column: GridColumn): string => (cellKind(column) === 'person' ? usersSource : String(column.options.table))

/** Not a valid table id. */
export const usersSource = 'people'

/** The background of a choice. */
export const chipProps = (color: string | undefined) =>
  color ? { 'data-color': color, style: { '--chip': color } as CSSProperties } : undefined

/** Numbers are right-aligned. */
export const isRightAligned = (column: GridColumn): boolean => cellKind(column) === 'number' && valueType(column) !== 'rating'
