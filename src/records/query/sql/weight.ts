import { driverError } from '../../../db/errors'
import { concat, equal, operator } from '../../../db/search-path'
import { translatable } from '../../../messages/message'
import { literal } from '../../../tables/ddl'
import { queryFailure } from '../plan-failure'
import type { StatementWriter } from './statement'

/**
 * The maximum size of one page, as PostgreSQL writes it. Names and embeddings multiply the stored data: a URL of 4 KB
 * has requested 800 MB.
 */
const maxWeightBytes = 32 * 1024 * 1024
/** The maximum number of rows of one embedding in one record. */
const mostEmbedded = 10_000
/** The same, for a statement that checks each row separately. */
const usuallyEmbedded = 1000
/** A row up to this size is never too heavy alone: the page is weighed as a whole at its end. */
const lightBytes = 8192

const above = operator('>')

const tooHeavy = 'rowhouse:page-too-heavy'
const tooManyEmbedded = 'rowhouse:too-many-embedded'

/** An error that PostgreSQL raises during execution, and not while planning: the text depends on a value. */
const failing = (reason: string, size: string): string =>
  `(${literal(reason)} ${concat} pg_catalog.left((${size})::text, 0))::int ${equal} 0`

const unless = (isWrong: string, reason: string, size: string, value: string): string =>
  `case when ${isWrong} then case when ${failing(reason, size)} then ${value} end else ${value} end`

/** `from` gives rows `w`, whose `value` is to be aggregated; the other columns of `rows` are also in `w`. */
export type Weighed = { from: string; value: string }

/**
 * Weighs rows while they are aggregated. By default sums their sizes, which costs a tenth of a page. A quick statement
 * (`StatementWriter.isQuick`) checks each row alone, at no cost: if every row is within its share of the page, the page
 * is not too heavy. Otherwise the statement fails and must be repeated without `isQuick`.
 * @param value of a row `p` @param most the maximum number of rows
 */
export function weighed(writer: StatementWriter, rows: string, value: string, most: number, more: string[] = []): Weighed {
  // Without an `offset` PostgreSQL would copy the expression to every place that uses it, and evaluate it in each.
  const valued = `select ${[`${value} as t`, ...more].join(', ')} from (${rows}) p offset 0`
  const size = 'pg_catalog.pg_column_size(w.t)'
  if (writer.isQuick) return { from: `(${valued}) w`, value: unless(`${size} ${above} ${shareOf(most)}`, tooHeavy, size, 'w.t') }
  const summed = `select x.*, pg_catalog.sum(pg_catalog.pg_column_size(x.t)) over (rows between unbounded preceding and current row) as weight from (${valued}) x`
  return { from: `(${summed}) w`, value: unless(`w.weight ${above} ${maxWeightBytes}`, tooHeavy, size, 'w.t') }
}

const shareOf = (most: number) => Math.max(lightBytes, Math.floor(maxWeightBytes / Math.max(most, 1)))

/** @param page a statement of one row with `body` */
export const weighedPage = (page: string, most: number, more: string[] = []): string =>
  shareOf(most) * most <= maxWeightBytes
    ? page
    : `select ${[`${unless(`pg_catalog.octet_length(b.body) ${above} ${maxWeightBytes}`, tooHeavy, 'pg_catalog.octet_length(b.body)', 'b.body')} as body`, ...more.map((name) => `b.${name}`)].join(', ')} from (${page}) b`

/** How many rows of an embedding to read, and how many are allowed: one more shows that there are too many. */
export function embeddedRows(writer: StatementWriter, limit: number | undefined): { limit: number; most: number } {
  const most = writer.isQuick ? usuallyEmbedded : mostEmbedded
  return limit !== undefined && limit <= most ? { limit, most: limit } : { limit: most + 1, most }
}

/** An aggregate of at most this many rows. */
export const countedText = (aggregate: string, { limit, most }: { limit: number; most: number }): string =>
  limit > most ? unless(`count(*) ${above} ${most}`, tooManyEmbedded, 'count(*)', aggregate) : aggregate

const errorMessage = (error: unknown): string => String((driverError(error) as { message?: unknown } | null)?.message)

/** Whether a statement reported its page as too heavy; a quick one may be wrong. */
export const isTooHeavy = (error: unknown): boolean =>
  errorMessage(error).includes(tooHeavy) || errorMessage(error).includes(tooManyEmbedded)

/** @throws QueryFailure tooMuch for such an error; otherwise the given error */
export function throwTooHeavy(error: unknown): never {
  if (!isTooHeavy(error)) throw error
  if (errorMessage(error).includes(tooManyEmbedded)) {
    throw queryFailure(
      'tooMuch',
      translatable('An embedding of one record has more than {mostEmbedded} rows.', { mostEmbedded }),
      translatable('Limit or filter the embedding (author.limit=100), or read the embedded table itself.'),
    )
  }
  throw queryFailure(
    'tooMuch',
    translatable('The answer would be larger than {megabytes} MB.', { megabytes: maxWeightBytes / 1024 / 1024 }),
    translatable('Ask for fewer records with "limit", or for fewer columns and embeddings with "select".'),
  )
}

/** Plans that were too heavy once are no longer read quickly. A plan may be cached for many requests. */
const heavy = new WeakSet<object>()

/** @param plan identifies the query @param read runs it, quickly or not */
export async function readWeighed<Result>(plan: object, read: (isQuick: boolean) => Promise<Result>): Promise<Result> {
  if (!heavy.has(plan)) {
    try {
      return await read(true)
    } catch (error) {
      if (!isTooHeavy(error)) throw error
      heavy.add(plan)
    }
  }
  return read(false).catch(throwTooHeavy)
}
