import type { CachedIdentity } from '../../../auth/identity/identity-check'
import { arrayLiteral } from '../../../db/arrays'
import { createBatcher } from '../../../db/pool/batcher'
import type { Executor } from '../../../db/pool/open'
import type { Table } from '../../../tables/model'
import { wholePlan } from '../../query/plan/read'
import { recordByKey, recordsBySingleKeys } from '../../query/sql/keys'
import { isDataException } from '../errors'
import { executeVerified } from '../execute'

/** A record as PostgreSQL wrote it. `json` is its text; its ETag is made of `version`. */
export type StoredRecord = { json: string; version: string }

export type RecordRow = { record: string; version: string }

export const toStoredRecord = ({ record, version }: RecordRow): StoredRecord => ({ json: record, version })

/** @param identity a cached identity that the same statement verifies */
type KeyReader = (key: readonly string[], identity?: CachedIdentity) => Promise<StoredRecord | undefined>

/** A new version of a table is a new object, so the reader of the old version is dropped with it. */
const readersByTable = new WeakMap<Table, { executor: Executor; reader: KeyReader }>()

/**
 * Reads whole records of a table by key. Reads that arrive together share one query if the key is one column and they
 * are not in a transaction.
 */
export function keyReaderOf(executor: Executor, table: Table): KeyReader {
  if (executor.isTransaction) return singleReader(executor, table)
  const cached = readersByTable.get(table)
  if (cached?.executor === executor) return cached.reader
  const reader = table.primaryKey.length === 1 ? sharedReader(executor, table) : singleReader(executor, table)
  readersByTable.set(table, { executor, reader })
  return reader
}

function singleReader(executor: Executor, table: Table): KeyReader {
  // The text is the same for every key. The caller's values for access rules follow the key.
  const { text, parameters } = recordByKey(wholePlan(table), table.primaryKey)
  const more = parameters.slice(table.primaryKey.length)
  return async (key, identity) => {
    const statement = { text, parameters: [...key, ...more] }
    const [row] = await executeVerified<RecordRow>(executor.query, table, statement, identity ? [identity] : [])
    return row && toStoredRecord(row)
  }
}

type KeyRequest = { key: string; identity: CachedIdentity | undefined }
type FoundRecord = StoredRecord | undefined | Promise<StoredRecord | undefined>

const maxKeys = 500

/**
 * Removes duplicates. There are mostly a handful of keys, and at most `maxKeys`; for such a short list, searching it is
 * faster than making a set.
 */
const distinct = (keys: string[]) => keys.filter((key, index) => keys.indexOf(key) === index)

function sharedReader(executor: Executor, table: Table): KeyReader {
  const one = recordByKey(wholePlan(table), table.primaryKey)
  const many = recordsBySingleKeys(wholePlan(table), [])
  const moreOfOne = one.parameters.slice(1)
  const moreOfMany = many.parameters.slice(1)
  const readOne = async (key: string, identities: CachedIdentity[]) => {
    const statement = { text: one.text, parameters: [key, ...moreOfOne] }
    const [row] = await executeVerified<RecordRow>(executor.query, table, statement, identities)
    return row && toStoredRecord(row)
  }
  const readAll = async (asked: KeyRequest[]): Promise<FoundRecord[]> => {
    const asking = asked.map(({ key }) => key)
    const keys = distinct(asking)
    const records = await readDistinct(
      keys,
      asked.flatMap(({ identity }) => identity ?? []),
    )
    return keys.length === asking.length ? records : asking.map((key) => records[keys.indexOf(key)])
  }
  const readDistinct = async (keys: string[], identities: CachedIdentity[]): Promise<FoundRecord[]> => {
    if (keys.length === 1) return [await readOne(keys[0]!, identities)]
    try {
      const rows = await executeVerified<RecordRow & { place: number }>(
        executor.query,
        table,
        { text: many.text, parameters: [arrayLiteral(keys), ...moreOfMany] },
        identities,
      )
      const records = new Array<StoredRecord | undefined>(keys.length).fill(undefined)
      for (const row of rows) records[row.place - 1] = toStoredRecord(row)
      return records
    } catch (error) {
      // One of the keys is not valid, which only PostgreSQL can find out for some types. The other keys may belong to
      // records, so each key is read separately. These reads do not verify identities; lookups verify them instead.
      if (!isDataException(error)) throw error
      return keys.map((key) => readOne(key, []))
    }
  }
  const read = createBatcher(readAll, { maxItems: maxKeys, isForCallers: true })
  return ([key], identity) => read({ key: key!, identity }, identity?.userId)
}
