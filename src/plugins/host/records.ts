import type { Key, Row } from 'rowhouse/plugin'
import type { Executor } from '../../db/pool/open'
import { Failure, notFound } from '../../errors'
import { translatable } from '../../messages/message'
import { recordTexts } from '../../records/display/record-texts'
import type { Payload, RecordBody } from '../../records/model'
import { readPairs } from '../../records/query/parse/pairs'
import { readKey, writeKey } from '../../records/store/key'
import { listRecords } from '../../records/store/reads/list'
import { createRecords, deleteRecord, getRecord, type RecordWriter, updateRecord } from '../../records/store/service'
import type { Table } from '../../tables/model'
import type { AccessibleTable, DataAccess } from './data-access'
import { type PluginQuery, queryPairs } from './query-pairs'
import { jsonOf, valuesOf } from './values'

/** The records of one table, with the rights of `access`. @param executor where the statements run */
export function recordAccess(executor: Executor, access: DataAccess, name: string) {
  const writer = ({ tables }: AccessibleTable): RecordWriter => ({ tables, userId: access.userId })

  const list = async (query: string | PluginQuery = '') => {
    const { table, tables } = await access.getTable(name, 'read')
    const page = await listRecords(executor, tables, table, typeof query === 'string' ? [...readPairs(query)] : queryPairs(query))
    const { json, nextCursor, totalCount } = page
    return { records: valuesOf(json) as Row[], nextCursor, ...(totalCount === undefined ? {} : { totalCount }) }
  }

  const find = async (keyOrWhere: Key | Record<string, unknown>): Promise<Row | null> => {
    if (isWhere(keyOrWhere)) return (await list({ where: keyOrWhere, limit: 1 })).records[0] ?? null
    const { table } = await access.getTable(name, 'read')
    try {
      return valuesOf((await getRecord(executor, table, recordKeyOf(table, keyOrWhere))).json) as Row
    } catch (error) {
      if (error instanceof Failure && error.kind === 'not_found') return null
      throw error
    }
  }

  const create = async (given: RecordBody | RecordBody[]) => {
    const reached = await access.getTable(name, 'write')
    const made = await createRecords(executor, writer(reached), reached.table, payloadOf(given))
    const rows = made.map(({ json }) => valuesOf(json) as Row)
    return Array.isArray(given) ? rows : rows[0]!
  }

  const update = async (key: Key, changes: RecordBody): Promise<Row> => {
    const reached = await access.getTable(name, 'write')
    const change = { key: recordKeyOf(reached.table, key), versions: null }
    const updated = await updateRecord(executor, writer(reached), reached.table, change, payloadOf(changes))
    return valuesOf(updated.json) as Row
  }

  const remove = async (key: Key): Promise<void> => {
    const reached = await access.getTable(name, 'write')
    const change = { key: recordKeyOf(reached.table, key), versions: null }
    await deleteRecord(executor, writer(reached), reached.table, change)
  }

  const texts = async (rows: readonly Row[]) => {
    const { table, tables } = await access.getTable(name, 'read')
    const getTable = async (id: string) => (await access.getTable(id, 'read')).table
    return recordTexts({ executor, tables, getTable, canNameUsers: access.canNameUsers, language: access.language }, table, rows)
  }

  const tableName = async () => (await access.getTable(name, 'read')).table.name

  return Object.freeze({ tableName, texts, list, find, create, update, remove })
}

/** The values as in JSON, where a date is a text. */
function payloadOf<Records extends RecordBody | RecordBody[]>(given: Records): Payload<Records> {
  const json = jsonOf(given)
  return { records: JSON.parse(json) as Records, json }
}

const isWhere = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * A text for a composite key has its parts as in a path: a parameter of a document is one text.
 * @throws Failure not_found for a value that cannot be a key of this table
 */
export function recordKeyOf(table: Table, key: Key): string[] {
  if (typeof key === 'string' && table.primaryKey.length > 1) return readKey(table, key)
  const parts = [key].flat().map(String)
  // A path cannot express an unpaired surrogate, and no key has one.
  if (!parts.every((part) => part.isWellFormed())) throw notFound(translatable('There is no record with this key.'))
  return readKey(table, writeKey(parts))
}
