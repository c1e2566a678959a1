import type { Column, ComputedValue } from './model'

/** The value in the record that `alias` stands for. */
export const computedText = ({ from, value }: ComputedValue, alias: string): string =>
  from.length ? `(select ${value} ${from.join(alias)})` : `(${value})`

/** Whether the table itself has such a column in PostgreSQL. */
export const isStored = ({ joinTable, computed }: Pick<Column, 'joinTable' | 'computed'>): boolean => !joinTable && !computed
