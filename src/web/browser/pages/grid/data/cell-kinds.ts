import type { CSSProperties } from 'react'
import type { Column } from './cell-values'

/** How a cell is shown, and what it is edited with. */
export type Kind =
  | 'text'
  | 'longText'
  | 'number'
  | 'boolean'
  | 'date'
  | 'dateTime'
  | 'time'
  | 'select'
  | 'multiSelect'
  | 'link'
  | 'manyLinks'
  | 'json'
  | 'files'
  | 'address'
  | 'person'

const kinds: Record<string, Kind> = {
  longText: 'longText',
  integer: 'number',
  bigint: 'number',
  decimal: 'number',
  float: 'number',
  autoNumber: 'number',
  boolean: 'boolean',
  date: 'date',
  time: 'time',
  dateTime: 'dateTime',
  createdAt: 'dateTime',
  updatedAt: 'dateTime',
  select: 'select',
  multiSelect: 'multiSelect',
  link: 'link',
  manyLinks: 'manyLinks',
  json: 'json',
  user: 'person',
  createdBy: 'person',
  updatedBy: 'person',
  attachment: 'files',
  email: 'address',
  url: 'address',
  phone: 'address',
}

/** A formula is shown as what comes out of it. */
export const kindOf = ({ type, options }: Column): Kind => kinds[type === 'formula' ? String(options.valueType) : type] ?? 'text'

const filledByTheDatabase = ['autoNumber', 'createdAt', 'updatedAt', 'createdBy', 'updatedBy', 'formula', 'other']

/** Whether the value is the user's to say; files are, but not in a cell. */
export const isWritten = ({ type, readOnly }: Column): boolean => !readOnly && !filledByTheDatabase.includes(type)

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
