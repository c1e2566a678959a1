import type { TableView } from '../../../../../tables/model'
import { textOf } from '../../../values/exact-json'
import { type Column, isFilledIn } from '../../record/data/column'
import { keySegment } from '../../record/data/record-key'
import type { Operation } from './batch'
import type { Values } from './cell-values'

/** What does not come back with a deleted record: names of columns, and of tables whose records lead to it. */
export type Losses = { files: string[]; anew: string[]; unlinked: string[]; deleted: string[] }

/** So many deleted records are kept in mind to bring them back. */
export const mostRestored = 2_000

export function lossesOf(table: TableView, tables: readonly TableView[]): Losses {
  const named = (isMeant: (column: Column) => boolean) => table.columns.filter(isMeant).map(({ name }) => name)
  const isAnew = (column: Column) => isFilledIn(column) && column.type !== 'formula'
  const linking = (isMeant: (rule: unknown) => boolean) =>
    tables
      .filter(({ columns }) =>
        columns.some(
          ({ type, options }) => ['link', 'manyLinks'].includes(type) && options.table === table.id && isMeant(options.onDelete),
        ),
      )
      .map(({ name }) => name)
  return {
    files: named(({ type }) => type === 'attachment'),
    anew: named(isAnew),
    unlinked: linking((rule) => rule !== 'restrict' && rule !== 'cascade'),
    deleted: linking((rule) => rule === 'cascade'),
  }
}

/** What makes a deleted record again, with the key that it had where the database lets anybody choose it. A record that is there already is left alone. */
export function restoring(table: TableView, record: Values): Operation {
  const isSent = (column: Column) => !isFilledIn(column) && column.type !== 'attachment' && column.name in record
  const isKey = ({ name }: { name: string }) => table.primaryKey.includes(name)
  const sent = table.columns.filter(isSent)
  const body = (columns: typeof sent) => Object.fromEntries(columns.map(({ name }) => [name, record[name]]))
  if (table.columns.some((column) => isKey(column) && isFilledIn(column))) return { method: 'POST', table: table.id, body: body(sent) }
  const rest = body(sent.filter((column) => !isKey(column)))
  return { method: 'PUT', table: table.id, pk: keySegment(table, record), ifNoneMatch: '*', body: rest }
}

/** The records in an order in which they can be made: those that others of them link to come first. */
export function inOrder({ id, primaryKey, columns }: TableView, records: readonly Values[]): Values[] {
  const links = columns.filter(({ type, options }) => ['link', 'manyLinks'].includes(type) && options.table === id)
  if (links.length === 0) return [...records]
  const waiting = new Map(records.map((record) => [textOf(record[primaryKey[0]!]), record]))
  const ordered: Values[] = []
  const take = (key: string) => {
    const record = waiting.get(key)
    if (!record) return
    waiting.delete(key)
    for (const { name } of links) for (const target of [record[name]].flat()) take(textOf(target))
    ordered.push(record)
  }
  for (const key of [...waiting.keys()]) take(key)
  return ordered
}
