import {
  type ColumnTypeDescriptor,
  type ColumnTypeName,
  columnTypeDescriptors,
  findColumnType,
} from '../../../../tables/column-types/descriptors'
import type { TableView } from '../../../../tables/model'

export type Column = TableView['columns'][number]

/** Of a field of the form that is shown as if it were a column. */
export const unconstrained = { required: false, unique: false, default: null, readOnly: false } as const

/** A type that a column can be made with. */
export type TypeName = Exclude<ColumnTypeName, 'other'>

type Group = NonNullable<ColumnTypeDescriptor['group']>

const typesOf = (group: Group) =>
  (Object.keys(columnTypeDescriptors) as ColumnTypeName[]).filter((name) => columnTypeDescriptors[name].group === group) as TypeName[]

/** Every type that a column can be made with, in groups as people look for them. */
export const typeGroups: Readonly<Record<Group, TypeName[]>> = {
  text: typesOf('text'),
  numbers: typesOf('numbers'),
  choices: typesOf('choices'),
  time: typesOf('time'),
  others: typesOf('others'),
}

const lacks = (type: string, what: 'unique' | 'default') => findColumnType(type)?.lacks?.includes(what) ?? false

export const canRequire = (type: string): boolean => findColumnType(type)?.required === undefined
/** PostgreSQL would compare whole JSON values, which nobody asks for; of what the database counts, it sees to it. */
export const canBeUnique = (type: string): boolean =>
  !lacks(type, 'unique') && findColumnType(type)?.filledBy === undefined && type !== 'json'
export const canHaveDefault = (type: string): boolean => !lacks(type, 'default')
/** Whether a column keeps its type, and nothing becomes one of it. */
export const keepsType = (type: string): boolean => findColumnType(type)?.keepsType ?? false

/** Whether a column that is there can become one of this type. */
export const isTarget = (type: string): boolean => !keepsType(type) && findColumnType(type)?.filledBy === undefined

/** The options of a type that are lines of text in the form, in their order. */
export const lineOptionsOf = (type: string): readonly string[] => findColumnType(type)?.lineOptions ?? []
