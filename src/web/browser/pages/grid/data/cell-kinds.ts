import type { CSSProperties } from 'react'
import { type CellKind, findColumnType } from '../../../../../tables/column-types/descriptors'
import type { Column } from './cell-values'

export type Kind = CellKind

/** A formula is shown as what comes out of it. */
export const kindOf = ({ type, options }: Column): Kind =>
  findColumnType(type === 'formula' ? String(options.valueType) : type)?.cell ?? 'text'

/** Whether the value is the user's to say; files are, but not in a cell. What Rowhouse has no word for is written in the form. */
export const isWritten = ({ type, readOnly }: Column): boolean => {
  const known = findColumnType(type)
  return !readOnly && type !== 'other' && (known?.filledBy === undefined || known.cell === 'files')
}

/** Where the records are found that a cell leads to: a table's id, or all people. */
export const sourceOf = (column: Column): string => (kindOf(column) === 'person' ? everybody : String(column.options.table))

/** No id of a table. */
export const everybody = 'people'

export type Choice = { value: string; color?: string }

/** The colour of a choice, as its column has it, for the dot before its words. */
export const chipOf = (color: string | undefined) =>
  color ? { 'data-color': color, style: { '--chip': color } as CSSProperties } : undefined

export const choicesOf = ({ options }: Column): Choice[] =>
  ((options.choices as (string | Choice)[] | undefined) ?? []).map((choice) => (typeof choice === 'string' ? { value: choice } : choice))

/** Whether it stands at the right. */
export const isPlainNumber = (column: Column): boolean => kindOf(column) === 'number'
