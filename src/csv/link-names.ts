import type { Tables } from '../tables/catalog/catalog'
import { valueType } from '../tables/column-types/descriptors'
import type { Column } from '../tables/model'
import { type NameSource, nameSourceOf, namesOfUsers } from '../tables/record-name'

/** The names that a file may use: those of records of these tables, and of users if the caller may list them. */
export type NamedRecords = { tables: Tables; canNameUsers: boolean }

const userTypes = ['user', 'createdBy', 'updatedBy']

/** The names that replace the keys in a column of links or users; null if the cells contain keys. */
export function namesInColumn(column: Column, { tables, canNameUsers }: NamedRecords): NameSource | null {
  const { options } = column
  if (userTypes.includes(valueType(column))) return canNameUsers ? namesOfUsers : null
  const target = typeof options.table === 'string' ? tables.byId.get(options.table) : undefined
  return target ? nameSourceOf(target) : null
}
