import type { ColumnTypeName } from '../column-types/descriptors'
import { isVirtual } from '../computed-value'
import type { Column } from '../model'

/** A column as a formula reads it. */
export type FormulaOperand = {
  name: string
  /** The type of its values. */
  type: ColumnTypeName
  /** Whether it has several values. */
  isList?: boolean
  sqlType?: string
  /** Whether it is computed at each read. Formulas that use it are then also computed at each read. */
  isAtRead?: boolean
  /** Whether it is a generated column, which no other generated column may use. */
  isGenerated?: boolean
  /** Whether a column or table that it needs is missing. */
  isBroken?: boolean
  /** Whether its numbers may have the rounding errors of a division, as an average has, and a lookup of one. */
  isRounded?: boolean
  /** The currency in which its numbers are displayed. */
  currency?: string
}

/** The types of averages. */
const averageTypes: readonly unknown[] = ['decimal', 'currency', 'percent', 'duration']

export type OperandColumn = Pick<Column, 'name' | 'type' | 'options'> & Partial<Pick<Column, 'sqlType'>>

export function toOperand(column: OperandColumn): FormulaOperand {
  const { name, type, options, sqlType } = column
  const valueType = options.valueType as ColumnTypeName | undefined
  return {
    name,
    type: valueType ?? type,
    ...(options.isMany === true ? { isList: true } : {}),
    ...(sqlType === undefined ? {} : { sqlType: options.isMany === true ? sqlType.replace(/\[\]$/, '') : sqlType }),
    ...(isVirtual(column) ? { isAtRead: true } : {}),
    ...(type === 'formula' && !isVirtual(column) ? { isGenerated: true } : {}),
    ...(options.problem === undefined ? {} : { isBroken: true }),
    ...(isVirtual(column) && type !== 'formula' && options.function !== 'sum' && averageTypes.includes(valueType)
      ? { isRounded: true }
      : {}),
    ...(typeof options.currency === 'string' ? { currency: options.currency } : {}),
  }
}
