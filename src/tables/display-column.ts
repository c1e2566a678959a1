import { namelessTypes } from './column-types/descriptors'
import type { Column, Table } from './model'

/** Excludes choices, since many records have the same one. */
const namingTypes = ['email', 'url', 'phone', 'longText']

export const canNameRecords = ({ type, isReadable, options }: Column): boolean =>
  isReadable && !namelessTypes.includes(type) && options.isMany !== true

/**
 * The column whose value represents a record in links to it: the chosen one, else the first text, else the first that
 * people write, else the key. Undefined if no column can be read.
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
