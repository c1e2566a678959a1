import { translatable } from '../../../messages/message'
import type { Column, Table } from '../../model'
import type { ComputedColumn } from '../computed-columns'
import { foreignKeyOf, NoValues, type TableIndex } from './linked-records'

/** The other side of a link of another table. @throws NoValues */
export function reverseColumn({ byId }: TableIndex, table: Table, { options }: Column): ComputedColumn {
  const source = byId.get(String(options.table))
  if (!source) throw new NoValues(translatable('The table with the link does not exist or cannot be read.'))
  const link = source.columns.find(({ id }) => id === options.column)
  if (!link) throw new NoValues(translatable('"{name}" no longer has the link.', { name: source.name }))
  if (link.access && !link.isReadable) throw new NoValues(translatable('A column that it reads cannot be read.'))
  const [key, ...more] = source.primaryKey
  if (key === undefined || more.length)
    throw new NoValues(
      translatable('The key of "{name}" is not a single column, so no link can point to its records.', { name: source.name }),
    )
  const { sqlType } = source.columns.find(({ name }) => name === key)!
  const value = { sqlType: `${sqlType}[]`, comparedAs: `${sqlType}[]`, reads: [source.id], depth: 0 }
  if (link.type === 'manyLinks' && link.joinTable?.targetTableId === table.id) {
    const { ownColumns, targetColumns, schema, name } = link.joinTable
    const joinTable = { schema, name, ownColumns: targetColumns, targetColumns: ownColumns, targetTableId: source.id }
    return { ...value, joinTable, isWritable: true }
  }
  const foreignKey = foreignKeyOf(source, link)
  const isBack = foreignKey?.target.schema === table.schema && foreignKey.target.name === table.name
  if (!isBack || foreignKey.targetColumns.join() !== table.primaryKey.join())
    throw new NoValues(translatable('"{table}"."{column}" is not a link to this table.', { table: source.name, column: link.name }))
  return {
    ...value,
    joinTable: {
      ...{
        schema: source.schema,
        name: source.name,
        ownColumns: [link.name],
        targetColumns: [key],
        targetTableId: source.id,
        isTarget: true,
      },
      authorColumns: source.columns.filter(({ type, filledBy }) => type === 'updatedBy' && filledBy === 'rowhouse').map(({ name }) => name),
    },
    isWritable: source.rights.update && link.isWritable,
  }
}
