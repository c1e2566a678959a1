import type { TableView } from '../../../../tables/model'
import { toText } from '../../values/exact-json'
import { quoteName, type TableRecord } from '../values/record-key'
import type { Sort } from './list-query'

/** A sort column and the record's value in it. Null follows every other value, whatever the direction. */
export type SortPosition = Sort & { value: string | null; isNullable: boolean }

/**
 * The sort columns, followed by the primary key in the direction of the last one: the service makes each order total
 * in this way.
 */
export function sortPositions({ primaryKey, columns }: TableView, record: TableRecord, sort: readonly Sort[]): SortPosition[] {
  const isDescending = sort.at(-1)?.isDescending ?? false
  const rest = primaryKey.filter((name) => !sort.some(({ column }) => column === name)).map((column) => ({ column, isDescending }))
  return [...sort, ...rest].map((term) => {
    const value = record[term.column]
    const isNullable = !primaryKey.includes(term.column) && !columns.find(({ name }) => name === term.column)?.required
    return { ...term, isNullable, value: value === null || value === undefined ? null : toText(value) }
  })
}

/**
 * A filter for the records before or after a position: the first column is beyond it, or the first is equal and the
 * second is beyond it, and so on.
 */
export function beyondPosition(order: readonly SortPosition[], isAfter: boolean): string {
  const steps = order.flatMap((term, index) => {
    const same = order
      .slice(0, index)
      .map(({ column, value }) => `${quoteName(column)}.${value === null ? 'is.null' : `eq.${quoteName(value)}`}`)
    return beyondColumn(term, isAfter).map((step) => (same.length ? `and(${[...same, step].join(',')})` : step))
  })
  return `(${steps.join(',')})`
}

function beyondColumn({ column, isDescending, value, isNullable }: SortPosition, isAfter: boolean): string[] {
  if (value === null) return isAfter ? [] : [`${quoteName(column)}.not.is.null`]
  const step = `${quoteName(column)}.${isAfter === isDescending ? 'lt' : 'gt'}.${quoteName(value)}`
  return isAfter && isNullable ? [step, `${quoteName(column)}.is.null`] : [step]
}
