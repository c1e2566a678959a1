import type { Key, Row } from 'rowhouse/plugin'
import type { Db, Query } from '../../db/open'
import { Failure } from '../../errors'
import type { RecordBody } from '../../records/model'
import { throwWriteFailure } from '../../records/store/errors'
import { readKey, writeKey } from '../../records/store/key'
import { listRecords } from '../../records/store/list'
import {
  createRecords,
  createRecordsIn,
  deleteRecord,
  deleteRecordIn,
  getRecord,
  updateRecord,
  updateRecordIn,
  type Writer,
} from '../../records/store/service'
import type { Table } from '../../tables/model'
import type { AccessibleTable, DataAccess } from './data-access'
import { type ListQuery, queryText } from './query-text'
import { jsonOf, valuesOf } from './values'

/** Where the statements run: by themselves, or in one transaction. */
export type RecordRef = { db: Db; inside: Query | null }

/** The records of one table, as somebody, in some place. */
export function recordAccess({ db, inside }: RecordRef, acting: DataAccess, name: string) {
  const writer = ({ tables }: AccessibleTable): Writer => ({ tables, userId: acting.userId })

  const list = async (query: string | ListQuery = '') => {
    const { table, tables } = await acting.getTable(name, 'read')
    const page = await listRecords(db, tables, table, typeof query === 'string' ? query : queryText(query))
    const { json, nextCursor, totalCount } = page
    return { records: valuesOf(json) as Row[], nextCursor, ...(totalCount === undefined ? {} : { totalCount }) }
  }

  const find = async (wanted: Key | Record<string, unknown>): Promise<Row | null> => {
    if (isWhere(wanted)) return (await list({ where: wanted, limit: 1 })).records[0] ?? null
    const { table } = await acting.getTable(name, 'read')
    try {
      return valuesOf((await getRecord(db, table, recordKeyOf(table, wanted))).json) as Row
    } catch (error) {
      if (error instanceof Failure && error.kind === 'not_found') return null
      throw error
    }
  }

  const create = async (given: RecordBody | RecordBody[]) => {
    const reached = await acting.getTable(name, 'write')
    const text = jsonOf(given)
    const body = JSON.parse(text) as RecordBody | RecordBody[]
    const made = inside
      ? await createRecordsIn(inside, writer(reached), reached.table, body, text).catch((error) => throwWriteFailure(error, reached.table))
      : await createRecords(db, writer(reached), reached.table, body, text)
    const rows = made.map(({ json }) => valuesOf(json) as Row)
    return Array.isArray(given) ? rows : rows[0]!
  }

  const update = async (key: Key, changes: RecordBody): Promise<Row> => {
    const reached = await acting.getTable(name, 'write')
    const { table } = reached
    const text = jsonOf(changes)
    const [change, body] = [{ key: recordKeyOf(table, key), versions: null }, JSON.parse(text) as RecordBody]
    const done = inside
      ? await updateRecordIn(inside, writer(reached), table, change, body, text).catch((error) => throwWriteFailure(error, table))
      : await updateRecord(db, writer(reached), table, change, body, text)
    return valuesOf(done.json) as Row
  }

  const remove = async (key: Key): Promise<void> => {
    const reached = await acting.getTable(name, 'write')
    const change = { key: recordKeyOf(reached.table, key), versions: null }
    const { table } = reached
    if (inside) await deleteRecordIn(inside, table, change).catch((error) => throwWriteFailure(error, table))
    else await deleteRecord(db, writer(reached), table, change)
  }

  return Object.freeze({ list, find, create, update, remove })
}

const isWhere = (wanted: unknown): wanted is Record<string, unknown> =>
  typeof wanted === 'object' && wanted !== null && !Array.isArray(wanted)

/** @throws Failure not_found for what cannot be a key of this table */
export const recordKeyOf = (table: Table, key: Key): string[] => readKey(table, writeKey([key].flat().map(String)))
