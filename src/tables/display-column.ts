import { namelessTypes } from './column-types/descriptors'
import type { Column, Table } from './model'

/** A choice is none of them: many records have the same one. */
const namingTypes = ['email', 'url', 'phone', 'longText']

export const canNameRecords = ({ type, isReadable, options }: Column): boolean =>
  isReadable && !namelessTypes.includes(type) && options.isMany !== true

/**
 * The column whose value stands for a record where others link to it: the chosen one, else the first text, else the
 * first that people write, else the key. Undefined where no column can be read.
 */
export function displayColumnOf({ columns, primaryKey, displayColumnId }: Table): Column | undefined {
  const suitable = columns.filter(canNameRecords)
  const others = suitable.filter(({ name }) => !primaryKey.includes(name))
  return (
    suitable.find(({ id }) => id === displayColumnId) ??
    others.find(({ type }) => type === 'text') ??
    suitable.find(({ type }) => namingTypes.includes(type)) ??
    suitable.find(({ name }) => name === primaryKey[0]) ??
    suitable[0]
  )
}
