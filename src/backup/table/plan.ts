import type { Tables } from '../../tables/catalog/catalog'
import { columnTypes } from '../../tables/column-types'
import { isVirtual } from '../../tables/computed-value'
import type { AddedColumn, Column, JoinTable, NewColumn, NewTable, Table } from '../../tables/model'
import { toColumnResponse } from '../../tables/present'

/** How the values of a column are copied: unchanged, only where the record that they name exists, or as new files. */
export type StoredColumn = { name: string; kind: 'plain' | 'files' } | { name: string; kind: 'link'; target: LinkedKey } | UserColumn
type UserColumn = { name: string; kind: 'user' }

/** The key that a link refers to. */
type LinkedKey = { schema: string; name: string; key: string }

/** The plan for recreating a table of a backup beside the current tables. */
export type RestorePlan = {
  input: NewTable
  /** Columns of type `manyLinks`, which are added before the records. */
  links: AddedColumn[]
  /** Columns that are computed at each read, added after the records. */
  computed: AddedColumn[]
  stored: StoredColumn[]
  joins: { column: string; from: JoinTable; target: LinkedKey | 'itself' }[]
  /** Columns that were required, and become required again if every record has a value. */
  required: string[]
  leftOut: ColumnNote[]
  /** Links that become plain columns of keys. */
  keysOnly: ColumnNote[]
}

/** A column that differs from the backup, with the reason. */
export type ColumnNote = { column: string; reason: string }

const userTypes = ['user', 'createdBy', 'updatedBy']

/** The column type, by the type of the key, that replaces a link whose table is gone. */
const keyColumnTypes: Record<string, NewColumn['type']> = { bigint: 'bigint', integer: 'integer', uuid: 'uuid', text: 'text' }

/**
 * @param source the table in the backup
 * @param live the current tables
 */
export function planRestore(source: Table, name: string, live: Tables): RestorePlan {
  const [first, ...more] = source.primaryKey
  const key = more.length === 0 ? source.columns.find((column) => column.name === first) : undefined
  const ownKey = key?.options.generated === true ? key : undefined
  const plan: RestorePlan = {
    input: {
      name,
      primaryKey: ownKey ? { name: ownKey.name, type: ownKey.type as 'bigint' | 'uuid' } : source.primaryKey,
      section: source.section,
      columns: [],
    },
    ...{ links: [], computed: [], stored: [], joins: [], required: [], leftOut: [], keysOnly: [] },
  }
  for (const column of source.columns) {
    if (column === ownKey) plan.stored.push({ name: column.name, kind: 'plain' })
    else planColumn(plan, column, source, live)
  }
  return plan
}

function planColumn(plan: RestorePlan, column: Column, source: Table, live: Tables) {
  const { name, type } = column
  const input = newColumn(column)
  const added: AddedColumn = { ...input, position: column.position }
  if (type === 'reverseLinks')
    plan.leftOut.push({ column: name, reason: 'it shows links of another table, which lead to the table of now' })
  else if (type === 'formula' && !isVirtual(column)) plan.input.columns.push(input)
  else if (isVirtual(column)) plan.computed.push(withNames(added, source))
  else if (type === 'link') planLink(plan, column, added, source, live)
  else if (type === 'manyLinks') planList(plan, column, added, source, live)
  else if (columnTypes[type] === undefined || type === 'other') plan.leftOut.push({ column: name, reason: `its type is ${column.sqlType}` })
  else {
    plan.input.columns.push(input)
    plan.stored.push({ name, kind: type === 'attachment' ? 'files' : userTypes.includes(type) ? 'user' : 'plain' })
  }
}

function planLink(plan: RestorePlan, column: Column, input: AddedColumn, source: Table, live: Tables) {
  const { name, required } = column
  const isKey = source.primaryKey.includes(name)
  const optional = { ...input, required: false }
  if (required && !isKey) plan.required.push(name)
  if (column.options.table === source.id && !isKey) {
    plan.input.columns.push({ ...optional, options: { ...input.options, table: plan.input.name } })
    plan.stored.push({ name, kind: 'plain' })
    return
  }
  const target = linkedKey(column, live)
  if (!target || isKey) return planKeys(plan, column, input, isKey ? 'it is part of the primary key' : noTarget)
  plan.input.columns.push(optional)
  plan.stored.push({ name, kind: 'link', target })
}

const noTarget = 'the table that it links to is not there, or has another key'

/** A plain column with the keys of the linked records. */
function planKeys(
  plan: RestorePlan,
  { name, sqlType }: Column,
  { position: _, options: __, default: ___, ...input }: AddedColumn,
  reason: string,
) {
  const type = keyColumnTypes[sqlType]
  if (type === undefined) return void plan.leftOut.push({ column: name, reason })
  plan.keysOnly.push({ column: name, reason })
  plan.input.columns.push({ ...input, type })
  plan.stored.push({ name, kind: 'plain' })
}

function planList(plan: RestorePlan, column: Column, input: AddedColumn, source: Table, live: Tables) {
  const { name, joinTable } = column
  const isOwn = joinTable?.targetTableId === source.id
  const target = isOwn ? 'itself' : linkedKey(column, live)
  if (!joinTable || !target) return void plan.leftOut.push({ column: name, reason: noTarget })
  const table = isOwn ? plan.input.name : column.options.table
  plan.links.push({ ...input, options: { ...input.options, table } })
  plan.joins.push({ column: name, from: joinTable, target })
}

/** The current table with the id of the linked table, if its key has the same type. */
function linkedKey({ options, sqlType }: Column, live: Tables): LinkedKey | null {
  const table = live.byId.get(String(options.table))
  const [key, ...more] = table?.primaryKey ?? []
  const column = table?.columns.find(({ name }) => name === key)
  if (!table || !column || more.length > 0 || column.sqlType !== sqlType.replace(/\[\]$/, '')) return null
  return { schema: table.schema, name: table.name, key: column.name }
}

function newColumn(column: Column): NewColumn {
  const { name, required, unique, default: value, options, description } = toColumnResponse(column)
  const definition = columnTypes[column.type]
  return {
    ...{ name, type: column.type, options, description },
    // Properties that the type itself decides are left out.
    ...(definition.required === undefined ? { required } : {}),
    ...(definition.lacks?.includes('unique') ? {} : { unique }),
    ...(value === null || definition.lacks?.includes('default') ? {} : { default: value }),
  }
}

/** A computed column names a link of its own table by id; the new link has a different id but the same name. */
function withNames(input: AddedColumn, source: Table): AddedColumn {
  const link = source.columns.find(({ id }) => id === input.options?.link)
  return link ? { ...input, options: { ...input.options, link: link.name } } : input
}
