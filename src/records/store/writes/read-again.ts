import type { Query } from '../../../db/pool/open'
import { readsOtherRows } from '../../../tables/computed-value'
import type { RowRule, Table } from '../../../tables/model'
import type { LevelPlan } from '../../query/plan/types'
import { recordsByKeys } from '../../query/sql/keys'
import type { Returning } from '../../query/sql/write'
import { execute } from '../execute'
import { type RecordRow, type StoredRecord, toStoredRecord } from '../reads/reader'
import type { WrittenRow } from './written-row'

/**
 * A statement that writes sees other rows as they were before it, and its own rows before later triggers change them.
 * If a response contains values of other rows, or such triggers exist, the statement returns only the keys of its rows,
 * and a second statement of the same transaction reads these records.
 */
export const isReadAgain = (table: Table, { plan, hasVersion }: Returning): boolean =>
  table.primaryKey.length > 0 &&
  (Boolean(plan?.embeddings.length) || ((plan !== undefined || hasVersion === true) && (table.changesWritten || showsOtherRows(table))))

/** Whether a record contains values of other rows (possibly of itself), as with lookups, links to it and rules. */
const showsOtherRows = ({ columns, access }: Table): boolean =>
  columns.some((column) => readsOtherRows(column) || readsRows(column.access?.visibleIn)) || readsRows(access?.read)

/** A rule that follows links, or uses a computed value, has a subquery. */
const readsRows = (rule: RowRule | undefined): boolean => typeof rule === 'object' && rule.sql.includes('(select ')

/** The parts that a statement returns when its records are read again. */
export const keysOnly = ({ hasNewness, most }: Returning): Returning => ({ hasKey: true, hasNewness, most })

/** The answer for a record that the caller has written and may not read. */
const unreadable = { record: '{}', version: '' }

/**
 * Adds the current record and version to each row; `unreadable` where no row was written or the caller may not read it.
 */
export async function readWritten<Row extends WrittenRow>(
  query: Query,
  table: Table,
  { plan, hasVersion }: Returning,
  rows: readonly Row[],
): Promise<Row[]> {
  if ((!plan && !hasVersion) || !rows.some(({ key }) => key)) return [...rows]
  const keys = rows.map(({ key }) => key ?? '[]')
  const records = await readByKeys(query, table, plan ?? ({ table, outputs: [] as LevelPlan['outputs'] } as LevelPlan), keys)
  return rows.map((row, index) => {
    const found = records.get(index)
    return { ...row, ...(found ? { record: found.json, version: found.version } : unreadable) }
  })
}

/**
 * @param keys as JSON arrays of texts
 * @returns the records that the caller may read, by the places of their keys from 0
 */
export async function readByKeys(query: Query, table: Table, plan: LevelPlan, keys: readonly string[]): Promise<Map<number, StoredRecord>> {
  const rows = await execute<RecordRow & { place: number }>(query, table, recordsByKeys(plan, keys))
  return new Map(rows.map((row) => [row.place - 1, toStoredRecord(row)]))
}
