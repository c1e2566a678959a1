import { arrayLiteral } from '../db/arrays'
import { sqlState } from '../db/errors'
import { createBatcher } from '../db/pool/batcher'
import type { Db } from '../db/pool/open'
import type { Table } from '../tables/model'
import type { Cell, FileRow } from './model'
import { findManyStatement } from './statements'

type Find = (key: readonly string[], fileId: string) => Promise<FileRow | undefined>

type FoundRow = Omit<FileRow, 'size'> & { size: string; place: number }

/** A new version of a table is a new object, so the finders of the old one are garbage-collected with it. */
const finders = new WeakMap<Table, Map<string, { db: Db; find: Find }>>()

/** Finds files of a column. Requests that arrive together share one query, as those of a page full of images do. */
export function finderOf(db: Db, { table, column }: Omit<Cell, 'key'>): Find {
  const ofTable = finders.get(table) ?? new Map<string, { db: Db; find: Find }>()
  finders.set(table, ofTable)
  const known = ofTable.get(column.id)
  if (known?.db === db) return known.find
  const { text, parameters } = findManyStatement(table, column)
  const more = parameters.slice(table.primaryKey.length + 1)
  const load = async (addresses: string[]): Promise<(FileRow | undefined)[]> => {
    const parts = addresses.map((address) => JSON.parse(address) as string[])
    const arrays = parts[0]!.map((_, index) => arrayLiteral(parts.map((part) => part[index]!)))
    const rows = await db.query<FoundRow>(text, [...arrays, ...more], { prepare: true, share: table.id })
    const files = new Array<FileRow | undefined>(addresses.length).fill(undefined)
    for (const { place, size, ...file } of rows) files[place - 1] = { ...file, size: Number(size) }
    return files
  }
  const ask = createBatcher(load, { isForCallers: true })
  const find: Find = async (key, fileId) => {
    const address = JSON.stringify([...key, fileId])
    try {
      return await ask(address)
    } catch (error) {
      // If PostgreSQL cannot parse one caller's key, the other callers' items must still succeed.
      if (!sqlState(error)?.startsWith('22')) throw error
      return (await load([address]))[0]
    }
  }
  ofTable.set(column.id, { db, find })
  return find
}
