import { type Message, translatable } from '../../messages/message'
import { literalProblem } from './literals'
import { hasReadableKey } from './plan/order'
import type { OrderPlan, ReadPlan } from './plan/types'
import { QueryFailure, queryFailure } from './plan-failure'

/** A cursor is part of a URL: with longer values the next page could not be requested. */
export const longestCursorValue = 1000

/** Values that change with time may have passed a record when the next page is read. */
const isTimed = ({ value }: OrderPlan): boolean => {
  const inner = value.kind === 'spread' ? value.value : value
  return inner.kind === 'field' && Boolean(inner.field.column.computed?.isTimed)
}

/** Whether the next page is requested by a cursor; otherwise by an offset. */
export const hasCursor = ({ table, order, isAggregated }: Pick<ReadPlan, 'table' | 'order' | 'isAggregated'>): boolean =>
  !isAggregated && table.primaryKey.length > 0 && hasReadableKey(table) && !order.some(isTimed)

const labelOf = (order: OrderPlan[]) => order.map(({ label }) => label).join(',')

export const isTooLong = (values: (string | null)[]): boolean => values.some((value) => value !== null && value.length > longestCursorValue)

/**
 * Where the next page begins: the values of the order's terms in the last row of this page. It contains the order,
 * since the values mean nothing in another.
 */
export function writeCursor(order: OrderPlan[], values: (string | null)[]): string {
  if (isTooLong(values)) {
    throw queryFailure(
      'wrongOrder',
      translatable('A value in the order is too long for a cursor.'),
      translatable('Order by a column with shorter values, or page with "offset", starting at offset=0.'),
    )
  }
  return Buffer.from(JSON.stringify([labelOf(order), ...values])).toString('base64url')
}

const wrongCursor = (message: Message) =>
  new QueryFailure({ kind: 'wrongCursor' }, message, translatable('Send the nextCursor of the previous page unchanged.'))

/** @throws QueryFailure wrongCursor */
export function readCursor(order: OrderPlan[], cursor: string): (string | null)[] {
  const [label, ...values] = parseCursor(cursor)
  if (label !== labelOf(order)) throw wrongCursor(translatable('The cursor belongs to a list in another order or of another table.'))
  if (values.length !== order.length || !order.every((term, index) => isFit(term, values[index])))
    throw wrongCursor(translatable('The cursor cannot be read.'))
  return values as (string | null)[]
}

const isFit = ({ type, isNullable }: OrderPlan, value: unknown) =>
  value === null ? isNullable : typeof value === 'string' && literalProblem(type, value) === null

function parseCursor(cursor: string): unknown[] {
  try {
    const value: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString())
    if (Array.isArray(value)) return value
  } catch {}
  throw wrongCursor(translatable('The cursor cannot be read.'))
}
