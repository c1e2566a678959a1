import type { Query } from '../../../db/pool/open'
import type { Table } from '../../../tables/model'
import type { ReadPlan } from '../../query/plan/types'
import { rowsByKeys, storeKeys } from '../../query/sql/keys'
import { type Statement, startStatement } from '../../query/sql/statement'
import type { Returning } from '../../query/sql/write'
import { execute } from '../../store/execute'
import { isReadAgain } from '../../store/writes/read-again'
import type { Written } from '../../store/writes/row-writes'
import type { WrittenRow } from '../../store/writes/written-row'
import { mostRows } from '../prepared-query'
import type { Media } from '../request/media'
import { sourceStatement } from '../sql'

/** `count` rows were written, of which `length` are in the body. `key` is the first row's, as a JSON array. */
export type WriteOutcome = { body: string; length: number; count: number; key: string | undefined; hasNew: boolean }

/** One write, with the two ways to return its rows. */
export type RowsWrite = {
  table: Table
  write: (returning: Returning) => Promise<Written>
  /** The single statement; null if the write takes several, which only `write` knows. */
  statement: ((returning: Returning) => Statement) | null
  /** Work to do after the single statement. */
  finish?: () => Promise<void>
  /** Whether its rows are deleted: the response shows them as they were. */
  isRemoval?: boolean
}

/** @param asked the values to return for each row besides `plan`; without a plan the body has no rows */
export async function performWrite(
  query: Query,
  work: RowsWrite,
  asked: Returning,
  plan: ReadPlan | undefined,
  media: Media,
): Promise<WriteOutcome> {
  const { table } = work
  if (plan && !isPlain(plan, media)) {
    if (!work.statement || (!work.isRemoval && isReadAgain(table, { plan }))) return representedLater(query, work, asked, plan, media)
    // A column of that name would be ambiguous.
    const hasNewness = asked.hasNewness === true && !table.columns.some(({ name }) => name === 'isNew')
    const outcome = await represented(query, table, work.statement({ hasRow: true, hasNewness }), plan, media, hasNewness)
    await work.finish?.()
    return outcome
  }
  const { rows, count } = await work.write({ ...asked, plan })
  const records = plan ? rows.map(({ record }) => record!) : []
  const body = media.form === 'object' ? (records[0] ?? '') : `[${records.join(',')}]`
  return { body, length: records.length, count, key: askedKey(asked, rows), hasNew: rows.some(isNew) }
}

/**
 * The query runs on the rows as they are after the write. Their keys stay in the database, except those of rows whose
 * links were written.
 */
async function representedLater(
  query: Query,
  { table, write, statement, finish }: RowsWrite,
  asked: Returning,
  plan: ReadPlan,
  media: Media,
): Promise<WriteOutcome> {
  if (!statement) {
    const { rows, count } = await write({ ...asked, hasKey: true })
    const keys = rows.map(({ key }) => key!)
    const outcome = await represented(query, table, rowsByKeys(table, keys), plan, media)
    return { ...outcome, count, key: askedKey(asked, rows), hasNew: rows.some(isNew) }
  }
  const stored = storeKeys(statement({ ...asked, hasKey: true }), asked.hasNewness === true)
  const [written] = await execute<Pick<WriteOutcome, 'count' | 'key'> & { hasNew?: boolean }>(query, table, stored)
  await finish?.()
  const { count, key, hasNew = count > 0 } = written!
  const outcome = await represented(query, table, rowsByKeys(table, null), plan, media)
  return { ...outcome, count, key: asked.hasKey ? key : undefined, hasNew }
}

/** Rows that are read again always have their keys. */
const askedKey = ({ hasKey }: Returning, rows: readonly WrittenRow[]) => (hasKey ? rows[0]?.key : undefined)

const isNew = ({ isNew = true }: WrittenRow) => isNew

/**
 * Whether a row's JSON after `returning` is the whole response; otherwise a query around the write sorts, limits and
 * reformats.
 */
const isPlain = ({ order, limit, offset, embeddings, isAggregated }: ReadPlan, { form, isStripped }: Media): boolean =>
  form !== 'csv' &&
  !isStripped &&
  !isAggregated &&
  !order.length &&
  limit === undefined &&
  !offset &&
  !embeddings.some(({ isInner }) => isInner)

async function represented(
  query: Query,
  table: Table,
  { text, parameters }: Statement,
  plan: ReadPlan,
  media: Media,
  hasNewness = false,
): Promise<WriteOutcome> {
  const writer = startStatement()
  writer.parameters.push(...parameters)
  const limit = Math.min(plan.limit ?? mostRows, mostRows)
  const statement = sourceStatement(writer, { ...plan, condition: null, limit }, media, text, { hasNewness })
  const [row] = await execute<Pick<WriteOutcome, 'body' | 'length' | 'count'> & { hasNew?: boolean }>(query, table, statement)
  // A row that the caller may not read is an empty object, as in `readableRecord`.
  const body = table.access && media.form === 'object' && row!.length === 0 ? '{}' : row!.body
  return { ...row!, body, key: undefined, hasNew: row!.hasNew ?? row!.count > 0 }
}
