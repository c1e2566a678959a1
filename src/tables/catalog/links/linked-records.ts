import { operator } from '../../../db/search-path'
import type { Message } from '../../../messages/message'
import type { Column, Table } from '../../model'
import { conditionAt, readableRows } from '../../row-rules'
import { identifier, qualifiedName } from '../../sql-text'

/**
 * Why a virtual column has no values, as a sentence.
 * @param readsHidden whether it reads a column that is hidden from the caller, which its options must not describe
 */
export class NoValues extends Error {
  constructor(
    readonly text: Message,
    readonly readsHidden = false,
  ) {
    super(String(text))
  }
}

/**
 * The records that a link leads to. `from` and `columns` are those of `ComputedValue`; `order` puts several in the
 * order of their keys.
 */
export type LinkedSource = { target: Table; isMany: boolean; from: string[]; columns: string[]; order: string }

/** Tables by their ids, and by `qualifiedName`. */
export type TableIndex = { byId: ReadonlyMap<string, Table>; byName: ReadonlyMap<string, Table> }

/** @param alias of the linked records in `from` @returns null if the linked records cannot be read */
export function linkedRecords({ byId, byName }: TableIndex, table: Table, link: Column, alias: string): LinkedSource | null {
  const { joinTable } = link
  const key = joinTable ? undefined : foreignKeyOf(table, link)
  const target = joinTable ? byId.get(joinTable.targetTableId) : key && byName.get(qualifiedName(key.target))
  if (!target || target.primaryKey.length === 0) return null
  const order = target.primaryKey.map((name) => `${alias}.${identifier(name)}`).join(', ')
  const from = `from ${readableRows(target)} ${alias}`
  if (key) return { target, isMany: false, order, ...joined(from, alias, [[target, key.targetColumns[0]!, link.name]]) }
  const { ownColumns, targetColumns, isTarget } = joinTable!
  const seen = linkSeenAt(target, joinTable!, alias)
  const pairs = ownColumns.map((name, index): JoinedPair => [isTarget ? target : null, name, table.primaryKey[index]!])
  if (isTarget) return { target, isMany: true, order, ...joined(from, alias, pairs, seen) }
  const between = `${alias}_j`
  const targetKey = target.primaryKey[0]!
  const equals = operator('=', operatorSchemaOf(target, targetKey))
  const on = `${between}.${identifier(targetColumns[0]!)} ${equals} ${alias}.${identifier(targetKey)}`
  return { target, isMany: true, order, ...joined(`${from} join ${qualifiedName(joinTable!)} ${between} on ${on}`, between, pairs, seen) }
}

/**
 * For the other side of a link: the condition that the caller sees the link in the row that holds it; empty if every
 * caller sees it.
 */
function linkSeenAt(target: Table, joinTable: NonNullable<Column['joinTable']>, alias: string): string {
  const visibleIn = linkBack(target, joinTable)?.access?.visibleIn
  return visibleIn ? ` and ${conditionAt(visibleIn, alias)}` : ''
}

/** For the other side of a link: the column of the target that holds the link. */
export const linkBack = (
  target: Table,
  { isTarget, ownColumns, targetColumns, schema, name }: NonNullable<Column['joinTable']>,
): Column | undefined =>
  isTarget
    ? target.columns.find((column) => column.name === ownColumns[0])
    : target.columns.find(
        ({ type, joinTable }) =>
          type === 'manyLinks' &&
          joinTable?.schema === schema &&
          joinTable.name === name &&
          joinTable.ownColumns.join() === targetColumns.join(),
      )

/** A column of the linked records or of the join table, and the column of the record itself that it equals. */
type JoinedPair = [target: Table | null, name: string, own: string]

/** @param seen a condition to add after the one on the first column */
function joined(from: string, alias: string, pairs: JoinedPair[], seen = ''): Pick<LinkedSource, 'from' | 'columns'> {
  const parts = pairs.map(([target, name], place) => {
    const schema = target ? operatorSchemaOf(target, name) : undefined
    return `${place ? ' and' : `${from} where${seen && `${seen.slice(4)} and`}`} ${alias}.${identifier(name)} ${operator('=', schema)} `
  })
  return { from: parts, columns: pairs.map(([, , own]) => own) }
}

/** The schema of the operators of a column's type. */
export const operatorSchemaOf = ({ columns }: Table, name: string): string | undefined =>
  columns.find((column) => column.name === name)?.operatorSchema

export const foreignKeyOf = (table: Table, { name }: Column): Table['foreignKeys'][number] | undefined =>
  table.foreignKeys.find(({ columns }) => columns.length === 1 && columns[0] === name)
