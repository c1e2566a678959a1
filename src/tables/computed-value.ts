import { columnTypes } from './column-types'
import type { CallerValues, Column, Table } from './model'
import { identifier } from './sql-text'

/**
 * `(select <value> <from>)`, with the record's own column `columns[i]` between `from[i]` and `from[i + 1]`. It contains
 * only names and constants, and no part of a request. An empty `from` means that `value` is a constant.
 */
export type ComputedValue = {
  from: string[]
  columns: string[]
  value: string
  /** Whether the value aggregates all linked records, instead of coming from a single one. */
  isAggregated?: boolean
  /** The maximum ratio of its length to the longest stored text; absent for 1. */
  growth?: number
  /** Whether it depends on the time of the read, which changes no version of a record. */
  isTimed?: boolean
  /** Set if the linked records are narrowed for a caller: the text has placeholders for these values. */
  caller?: CallerValues
}

/** SQL of the value in the record with this alias. */
export const computedText = (computed: ComputedValue, alias: string): string =>
  computed.from.length
    ? `(select ${computed.value} ${computedSource(computed, (name) => `${alias}.${identifier(name)}`)})`
    : `(${computed.value})`

/** The source of the value. @param own SQL of a column of the record itself */
export const computedSource = ({ from, columns }: ComputedValue, own: (name: string) => string): string =>
  from.map((part, index) => part + (index < columns.length ? own(columns[index]!) : '')).join('')

/** Whether the table itself has such a column in PostgreSQL. */
export const isStoredColumn = ({ joinTable, computed }: Pick<Column, 'joinTable' | 'computed'>): boolean => !joinTable && !computed

/** Whether the value comes from rows other than its own, unlike the value of a formula of the record alone. */
export const readsOtherRows = ({ joinTable, computed, reads }: Pick<Column, 'joinTable' | 'computed' | 'reads'>): boolean =>
  Boolean(joinTable) || (computed !== undefined && computed.from.length > 0 && reads?.length !== 0)

/** Whether records show values that change with time alone, without a new version of the record. */
export const showsTime = ({ columns }: Pick<Table, 'columns'>): boolean =>
  columns.some(({ isReadable, computed }) => isReadable && computed?.isTimed)

/**
 * Whether PostgreSQL has neither a column nor a table for it: its values are read from other columns or tables. Some
 * formulas are generated columns, others are computed at each read.
 */
export const isVirtual = ({ type, options }: Pick<Column, 'type' | 'options'>): boolean =>
  columnTypes[type].isVirtual === true || (type === 'formula' && options.atRead === true)
