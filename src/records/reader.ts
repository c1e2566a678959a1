import type { Db } from '../db/open'
import { together } from '../db/together'
import type { Table } from '../tables/model'
import { selectByKey, selectByKeys } from './query/sql'

/** A record as PostgreSQL wrote it: `json` is its text, `version` its row version, `key` the parts of its primary key. */
export type StoredRecord = { json: string; version: string; key: string[] }

export type Row = { record: string; version: string; key: string }

export const stored = ({ record, version, key }: Row): StoredRecord => ({ json: record, version, key: JSON.parse(key) })

type Reader = (key: string[]) => Promise<StoredRecord | undefined>

/** A new version of a table is a new object, so what was made for the old one is forgotten with it. */
const readers = new WeakMap<Table, { db: Db; reader: Reader }>()

/** Reads records of a table by key. Reads that arrive together share one query where the key is one column. */
export function readerOf(db: Db, table: Table): Reader {
  const known = readers.get(table)
  if (known?.db === db) return known.reader
  const reader = table.primaryKey.length === 1 ? sharedReader(db, table) : singleReader(db, table)
  readers.set(table, { db, reader })
  return reader
}

function singleReader(db: Db, table: Table): Reader {
  const statement = selectByKey(table)
  return async (key) => {
    const [row] = await db.query<Row>(statement, key)
    return row && stored(row)
  }
}

function sharedReader(db: Db, table: Table): Reader {
  const one = singleReader(db, table)
  const many = selectByKeys(table)
  const load = async (keys: string[]) => {
    const [only] = keys
    if (keys.length === 1) {
      const record = await one([only!])
      return new Map(record ? [[only!, record]] : [])
    }
    const rows = await db.query<Row & { place: number }>(many, [arrayLiteral(keys)])
    return new Map(rows.map((row) => [keys[row.place - 1]!, stored(row)]))
  }
  const read = together(load)
  return ([key]) => read(key!)
}

/** PostgreSQL's array literal (its manual, 8.15.2); within quotes only the quote and the backslash mean something. */
const arrayLiteral = (texts: string[]) => `{${texts.map((text) => `"${text.replace(/["\\]/g, '\\$&')}"`).join(',')}}`
