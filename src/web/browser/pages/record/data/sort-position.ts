import type { TableView } from '../../../../../tables/model'
import { textOf } from '../../../values/exact-json'
import type { Sort } from '../../grid/data/list-query'
import { quoted, type TableRecord } from './record-key'

/** A column that a list is ordered by, and where in it the record stands; null is larger than everything, as PostgreSQL has it. */
export type Standing = Sort & { value: string | null; isNullable: boolean }

/** The key stands behind the order, in the direction of its last column: so the service makes every order a total one. */
export function standings({ primaryKey, columns }: TableView, record: TableRecord, sort: readonly Sort[]): Standing[] {
  const isDescending = sort.at(-1)?.isDescending ?? false
  const rest = primaryKey.filter((name) => !sort.some(({ column }) => column === name)).map((column) => ({ column, isDescending }))
  return [...sort, ...rest].map((term) => {
    const value = record[term.column]
    const isNullable = !primaryKey.includes(term.column) && !columns.find(({ name }) => name === term.column)?.required
    return { ...term, isNullable, value: value === null || value === undefined ? null : textOf(value) }
  })
}

/** The records before or after one: its first part is further on, or the same and the next one is further on … */
export function beyond(order: readonly Standing[], isAfter: boolean): string {
  const steps = order.flatMap((term, index) => {
    const same = order.slice(0, index).map(({ column, value }) => `${quoted(column)}.${value === null ? 'is.null' : `eq.${quoted(value)}`}`)
    return further(term, isAfter).map((step) => (same.length ? `and(${[...same, step].join(',')})` : step))
  })
  return `(${steps.join(',')})`
}

function further({ column, isDescending, value, isNullable }: Standing, isAfter: boolean): string[] {
  const isUp = isAfter !== isDescending
  if (value === null) return isUp ? [] : [`${quoted(column)}.not.is.null`]
  const step = `${quoted(column)}.${isUp ? 'gt' : 'lt'}.${quoted(value)}`
  return isUp && isNullable ? [step, `${quoted(column)}.is.null`] : [step]
}
