import type { TableView } from '../../../../tables/model'

export type Column = TableView['columns'][number]

/** Of a field of the form that is shown as if it were a column. */
export const unconstrained = { required: false, unique: false, default: null, readOnly: false } as const

/** Every type that a column can be made with, in groups as people look for them. */
export const typeGroups = {
  text: ['text', 'longText', 'email', 'url', 'phone'],
  numbers: ['integer', 'bigint', 'decimal', 'float', 'autoNumber', 'formula'],
  choices: ['boolean', 'select', 'multiSelect'],
  time: ['date', 'time', 'dateTime', 'createdAt', 'updatedAt'],
  others: ['link', 'manyLinks', 'user', 'createdBy', 'updatedBy', 'attachment', 'json', 'uuid'],
} as const

export type TypeName = (typeof typeGroups)[keyof typeof typeGroups][number]

/** The service fills them in. */
const filledIn: readonly string[] = ['autoNumber', 'createdAt', 'updatedAt', 'createdBy', 'updatedBy']
/** They keep their type, and nothing becomes one of them. */
const lasting: readonly string[] = ['attachment', 'manyLinks', 'formula']

export const canRequire = (type: string): boolean => ![...filledIn, ...lasting, 'user'].includes(type)
export const canBeUnique = (type: string): boolean => ![...filledIn, ...lasting, 'json'].includes(type)
export const canHaveDefault = (type: string): boolean => ![...filledIn, ...lasting, 'user'].includes(type)
export const keepsType = (type: string): boolean => lasting.includes(type)

/** Whether a column that is there can become one of this type. */
export const isTarget = (type: string): boolean => !lasting.includes(type) && !filledIn.includes(type)

/** The options of a type that are lines of text in the form, in their order. */
export const optionNames: Readonly<Record<string, readonly string[]>> = {
  text: ['minLength', 'maxLength', 'pattern'],
  longText: ['minLength', 'maxLength', 'pattern'],
  integer: ['min', 'max'],
  bigint: ['min', 'max'],
  decimal: ['precision', 'scale', 'min', 'max'],
  float: ['min', 'max'],
  date: ['min', 'max'],
  dateTime: ['min', 'max'],
  attachment: ['maxFiles', 'accept'],
}
