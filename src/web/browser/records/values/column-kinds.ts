import {
  type ColumnTypeDescriptor,
  type ColumnTypeName,
  columnTypeDescriptors,
  findColumnType,
} from '../../../../tables/column-types/descriptors'

/** For form fields that are rendered as if they were columns. */
export const unconstrained = { required: false, unique: false, default: null, description: null, position: 0, readOnly: false } as const

/** A type that a new column can have. */
export type TypeName = Exclude<ColumnTypeName, 'other'>

type Group = NonNullable<ColumnTypeDescriptor['group']>

const typesOf = (group: Group) =>
  (Object.keys(columnTypeDescriptors) as ColumnTypeName[]).filter((name) => columnTypeDescriptors[name].group === group) as TypeName[]

/** Every type that a new column can have, grouped for the type selector. */
export const typeGroups: Readonly<Record<Group, TypeName[]>> = {
  text: typesOf('text'),
  numbers: typesOf('numbers'),
  choices: typesOf('choices'),
  time: typesOf('time'),
  others: typesOf('others'),
}

const lacks = (type: string, what: 'unique' | 'default') => findColumnType(type)?.lacks?.includes(what) ?? false

export const canRequire = (type: string): boolean => findColumnType(type)?.required === undefined
/**
 * Uniqueness of JSON would compare whole values, which is not useful. The database itself keeps generated values
 * unique.
 */
export const canBeUnique = (type: string): boolean =>
  !lacks(type, 'unique') && findColumnType(type)?.filledBy === undefined && type !== 'json'
export const canHaveDefault = (type: string): boolean => !lacks(type, 'default')
/** Whether the type of a column cannot change, and no other type can be converted into it. */
export const isFixedType = (type: string): boolean => findColumnType(type)?.keepsType ?? false

/** Whether values are computed, so that changed options lose no data. */
export const isComputedType = (type: string): boolean => type === 'formula' || findColumnType(type)?.isVirtual === true

const fromLists = ['text', 'longText', 'link']
const toLists = [...typesOf('text'), 'select', 'multiSelect', 'link']

/** Whether an existing column can be converted into this type. */
export const canConvertTo = (type: string, from: string): boolean => {
  if (isFixedType(type) || findColumnType(type)?.filledBy !== undefined) return false
  if (from === 'manyLinks') return fromLists.includes(type)
  return type !== 'manyLinks' || toLists.includes(from)
}

/** The options of a type that are text fields in the form, in order. */
export const lineOptionsOf = (type: string): readonly string[] => findColumnType(type)?.lineOptions ?? []

/** The options of a type that say how its values are displayed. */
export const displayOptionsOf = (type: string): readonly string[] => findColumnType(type)?.displayOptions ?? []
