import type { CachedIdentity } from '../../auth/identity/identity-check'
import { arrayLiteral } from '../../db/arrays'
import { createBatcher } from '../../db/batcher'
import type { Db } from '../../db/open'
import type { Table } from '../../tables/model'
import { wholePlan } from '../query/plan/read'
import { recordByKey, recordsBySingleKeys } from '../query/sql/keys'
import { isDataException } from './errors'
import { runProving } from './execute'

/** A record as PostgreSQL wrote it: `json` is its text, `version` what its ETag is made of. */
export type StoredRecord = { json: string; version: string }

export type Row = { record: string; version: string }

export const stored = ({ record, version }: Row): StoredRecord => ({ json: record, version })

/** @param presumed who is to be proven by the way */
type Reader = (key: readonly string[], presumed?: CachedIdentity) => Promise<StoredRecord | undefined>

/** A new version of a table is a new object, so what was made for the old one is forgotten with it. */
const readers = new WeakMap<Table, { db: Db; reader: Reader }>()

/** Reads whole records of a table by key. Reads that arrive together share one query where the key is one column. */
export function readerOf(db: Db, table: Table): Reader {
  const known = readers.get(table)
  if (known?.db === db) return known.reader
  const reader = table.primaryKey.length === 1 ? sharedReader(db, table) : singleReader(db, table)
  readers.set(table, { db, reader })
  return reader
}

function singleReader(db: Db, table: Table): Reader {
  // The text is the same for every key.
  const { text } = recordByKey(wholePlan(table), table.primaryKey)
  return async (key, presumed) => {
    const [row] = await runProving<Row>(db.query, table, { text, parameters: [...key] }, presumed ? [presumed] : [])
    return row && stored(row)
  }
}

type Asked = { key: string; presumed: CachedIdentity | undefined }
type Found = StoredRecord | undefined | Promise<StoredRecord | undefined>

const mostTogether = 500

/**
 * Each once, however many ask for it. Of mostly a handful, and `mostTogether` at most, a list tells that faster than a
 * set.
 */
const distinct = (keys: string[]) => keys.filter((key, index) => keys.indexOf(key) === index)

function sharedReader(db: Db, table: Table): Reader {
  const one = recordByKey(wholePlan(table), table.primaryKey).text
  const many = recordsBySingleKeys(wholePlan(table), []).text
  const readOne = async (key: string, presumed: CachedIdentity[]) => {
    const [row] = await runProving<Row>(db.query, table, { text: one, parameters: [key] }, presumed)
    return row && stored(row)
  }
  const readAll = async (asked: Asked[]): Promise<Found[]> => {
    const asking = asked.map(({ key }) => key)
    const keys = distinct(asking)
    const records = await readDistinct(
      keys,
      asked.flatMap((each) => each.presumed ?? []),
    )
    return keys.length === asking.length ? records : asking.map((key) => records[keys.indexOf(key)])
  }
  const readDistinct = async (keys: string[], presumed: CachedIdentity[]): Promise<Found[]> => {
    if (keys.length === 1) return [await readOne(keys[0]!, presumed)]
    try {
      const rows = await runProving<Row & { place: number }>(db.query, table, { text: many, parameters: [arrayLiteral(keys)] }, presumed)
      const records = new Array<StoredRecord | undefined>(keys.length).fill(undefined)
      for (const row of rows) records[row.place - 1] = stored(row)
      return records
    } catch (error) {
      // One that is no key, as only PostgreSQL knows of some types: the others are records all the same. Who asks is
      // left to look-ups.
      if (!isDataException(error)) throw error
      return keys.map((key) => readOne(key, []))
    }
  }
  const read = createBatcher(readAll, { maxItems: mostTogether, isForCallers: true })
  return ([key], presumed) => read({ key: key!, presumed }, presumed?.userId)
}
