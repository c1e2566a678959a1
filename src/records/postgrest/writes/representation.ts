import type { Query } from '../../../db/open'
import type { Table } from '../../../tables/model'
import type { ReadPlan } from '../../query/plan/types'
import { rowsByKeys } from '../../query/sql/keys'
import { type Statement, startStatement } from '../../query/sql/statement'
import type { Returning } from '../../query/sql/write'
import { execute } from '../../store/execute'
import { isReadAgain } from '../../store/writes/read-again'
import type { Written, WrittenRow } from '../../store/writes/row-writes'
import { mostRows } from '../prepared-query'
import type { Media } from '../request/media'
import { sourceStatement } from '../sql'

/** `count` rows were written, of which `length` are in the body. `key` is a JSON array: the first row's. */
export type WriteOutcome = { body: string; length: number; count: number; key: string | undefined; hasNew: boolean }

/** One write, in the two ways in which its rows can come back. */
export type RowsWrite = {
  table: Table
  write: (returning: Returning) => Promise<Written>
  /** The statement alone; null where the write takes more than one, and only `write` knows them. */
  statement: ((returning: Returning) => Statement) | null
  /** What is to be done behind the statement alone. */
  finish?: () => Promise<void>
  /** Whether its rows are gone afterwards: they are shown as they were. */
  isRemoval?: boolean
}

/** @param asked what of the rows is to be seen besides `plan`; without a plan nothing is */
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
    const outcome = await represented(query, table, work.statement({ hasRow: true }), plan, media)
    await work.finish?.()
    return outcome
  }
  const { rows, count } = await work.write({ ...asked, plan })
  const records = plan ? rows.map(({ record }) => record!) : []
  const body = media.form === 'object' ? (records[0] ?? '') : `[${records.join(',')}]`
  return { body, length: records.length, count, key: askedKey(asked, rows), hasNew: rows.some(isNew) }
}

/** The query is around the rows as they are after the write. */
async function representedLater(
  query: Query,
  { table, write }: RowsWrite,
  asked: Returning,
  plan: ReadPlan,
  media: Media,
): Promise<WriteOutcome> {
  const { rows, count } = await write({ ...asked, hasKey: true })
  const keys = rows.map(({ key }) => key!)
  const outcome = await represented(query, table, rowsByKeys(table, keys), plan, media)
  return { ...outcome, count, key: askedKey(asked, rows), hasNew: rows.some(isNew) }
}

/** Rows that are read again have their keys in any case. */
const askedKey = ({ hasKey }: Returning, rows: readonly WrittenRow[]) => (hasKey ? rows[0]?.key : undefined)

const isNew = ({ isNew = true }: WrittenRow) => isNew

/**
 * Whether a row's JSON behind `returning` is all that is asked for; else a query around the write sorts, cuts and
 * rewrites.
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
): Promise<WriteOutcome> {
  const writer = startStatement()
  writer.parameters.push(...parameters)
  const limit = Math.min(plan.limit ?? mostRows, mostRows)
  const statement = sourceStatement(writer, { ...plan, condition: null, limit }, media, text)
  const [row] = await execute<Pick<WriteOutcome, 'body' | 'length' | 'count'>>(query, table, statement)
  return { ...row!, key: undefined, hasNew: row!.count > 0 }
}
