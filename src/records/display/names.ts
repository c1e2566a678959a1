import { arrayLiteral } from '../../db/arrays'
import type { Executor } from '../../db/pool/open'
import { Failure } from '../../errors'
import { exactJson } from '../../exact-json'
import type { MessageLanguage } from '../../messages/message'
import type { Tables } from '../../tables/catalog/catalog'
import { foreignKeyOf } from '../../tables/catalog/links/linked-records'
import { shortColumns, valueType } from '../../tables/column-types/descriptors'
import { displayColumnOf } from '../../tables/display-column'
import type { Column, Table } from '../../tables/model'
import { inQuotes, type Pair } from '../query/parse/pairs'
import type { PlannedOutput } from '../query/plan/types'
import { listRecords } from '../store/reads/list'
import { scalarText } from './text'
import { valueText } from './value-text'

/** The names of users and of linked records by column and key. Leaves out those that the reader may not read. */
export type Names = Map<Column, Map<string, string>>

/** The rights with which names are read, and the language of their values. */
export type NameReader = {
  executor: Executor
  tables: Tables
  /** @throws Failure if the reader may not read the table */
  getTable: (id: string) => Promise<Table>
  canNameUsers: boolean
  /** Columns whose values are not shown next to a key. */
  restricted?: ReadonlySet<string>
  language: MessageLanguage
}

/** The maximum number of names per column; the other records are shown as keys. */
const maxNames = 10_000
/** A query with more keys would be slow to plan. */
const namesPerRead = 500

/** Reads the names of the users and records to which records refer. @param values the values of each column */
export async function readNames(
  reader: NameReader,
  table: Table,
  values: readonly (readonly [column: Column, values: unknown[]])[],
): Promise<Names> {
  const named = await Promise.all(
    values.map(async ([column, all]): Promise<[Column, Map<string, string>]> => {
      const keys = [...new Set(all.flat().flatMap((key) => scalarText(key) ?? []))].slice(0, maxNames)
      const names = new Map<string, string>()
      for (let start = 0; start < keys.length; start += namesPerRead)
        for (const [key, name] of await namesOf(reader, table, column, keys.slice(start, start + namesPerRead))) names.set(key, name)
      return [column, names]
    }),
  )
  return new Map(named)
}

/** The column whose values an output shows unchanged. */
export const columnOf = ({ value, aggregate }: PlannedOutput): Column | null =>
  value?.kind === 'field' && !aggregate && value.cast === undefined && value.field.steps.length === 0 ? value.field.column : null

async function namesOf(reader: NameReader, table: Table, column: Column, keys: string[]): Promise<Map<string, string>> {
  const type = valueType(column)
  if (type === 'user' || type === 'createdBy' || type === 'updatedBy') return reader.canNameUsers ? userNames(reader, keys) : new Map()
  if (type !== 'link' && type !== 'manyLinks' && type !== 'reverseLinks') return new Map()
  const target = typeof column.options.table === 'string' ? reader.tables.byId.get(column.options.table) : undefined
  const keyColumn = target && keyColumnOf(table, column, target)
  if (!target || keyColumn === undefined) return new Map()
  try {
    return await recordNames(reader, await reader.getTable(target.id), keyColumn, keys)
  } catch (error) {
    // The keys are enough if the names cannot be read.
    if (error instanceof Failure && error.kind !== 'unavailable') return new Map()
    throw error
  }
}

/** The target's column whose value a link holds. */
function keyColumnOf(table: Table, column: Column, target: Table): string | undefined {
  const key = column.joinTable || column.options.valueType ? undefined : foreignKeyOf(table, column)
  return key?.targetColumns[0] ?? (target.primaryKey.length === 1 ? target.primaryKey[0] : undefined)
}

/** The names of records by key. A record whose name is its key also shows its first values. */
async function recordNames(
  { executor, tables, language, restricted }: NameReader,
  table: Table,
  keyColumn: string,
  keys: string[],
): Promise<Map<string, string>> {
  const name = displayColumnOf(table)
  if (!name) return new Map()
  const readable = table.columns.filter(({ id, isReadable }) => isReadable && !restricted?.has(id))
  const columns = table.primaryKey.includes(name.name) ? [name, ...shortColumns(readable, table.primaryKey)] : [name]
  const pairs: Pair[] = [
    ['select', [`k:${inQuotes(keyColumn)}::text`, ...columns.map((column, index) => `v${index}:${inQuotes(column.name)}`)].join(',')],
    [inQuotes(keyColumn), `in.(${keys.map(inQuotes).join(',')})`],
    ['limit', String(keys.length)],
  ]
  const { json } = await listRecords(executor, tables, table, pairs)
  const rows = exactJson(json) as Record<string, unknown>[]
  return new Map(
    rows.flatMap((row): [string, string][] => {
      const texts = columns.map((column, index) => factText(column, row[`v${index}`], language))
      const text = texts.filter(Boolean).join(' · ')
      return text ? [[String(row.k), text]] : []
    }),
  )
}

/** A boolean is preceded by its column's name, since yes or no alone would mean little. */
function factText(column: Column, value: unknown, language: MessageLanguage): string | null {
  const text = valueText(column, value, language)
  return typeof value === 'boolean' ? `${column.name}: ${text}` : text
}

async function userNames({ executor }: NameReader, ids: string[]): Promise<Map<string, string>> {
  const rows = await executor.query<{ id: string; name: string }>(
    'select id::text as id, name from rowhouse.users where id::text = any($1::text[])',
    [arrayLiteral(ids)],
  )
  return new Map(rows.map(({ id, name }) => [id, name]))
}
