import { columnTypes } from './column-types'
import type { Column, ComputedValue, Table } from './model'
import { identifier } from './sql-text'

/** SQL of the value in the record with this alias. */
export const computedText = (computed: ComputedValue, alias: string): string =>
  computed.from.length
    ? `(select ${computed.value} ${computedSource(computed, (name) => `${alias}.${identifier(name)}`)})`
    : `(${computed.value})`

/** The source of the value. @param own SQL of a column of the record itself */
export const computedSource = ({ from, columns }: ComputedValue, own: (name: string) => string): string =>
  from.map((part, place) => part + (place < columns.length ? own(columns[place]!) : '')).join('')

/** Whether the table itself has such a column in PostgreSQL. */
export const isStoredColumn = ({ joinTable, computed }: Pick<Column, 'joinTable' | 'computed'>): boolean => !joinTable && !computed

/** Whether the value comes from other rows than its own. That of a formula of the record alone does not. */
export const readsOtherRows = ({ joinTable, computed, reads }: Pick<Column, 'joinTable' | 'computed' | 'reads'>): boolean =>
  Boolean(joinTable) || (computed !== undefined && computed.from.length > 0 && reads?.length !== 0)

/** Whether records show values that change with time alone, and with it no version. */
export const showsTime = ({ columns }: Pick<Table, 'columns'>): boolean =>
  columns.some(({ isReadable, computed }) => isReadable && computed?.isTimed)

/**
 * Whether PostgreSQL has neither a column nor a table for it: its values are read from other columns or tables. Some
 * formulas are generated columns, others are computed at each read.
 */
export const isVirtual = ({ type, options }: Pick<Column, 'type' | 'options'>): boolean =>
  columnTypes[type].isVirtual === true || (type === 'formula' && options.atRead === true)
