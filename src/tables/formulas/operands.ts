import type { ColumnTypeName } from '../column-types/descriptors'
import { isVirtual } from '../computed-value'
import type { Column } from '../model'

/** A column as a formula reads it. */
export type FormulaOperand = {
  name: string
  /** The type of its values. */
  type: ColumnTypeName
  sqlType?: string
  /** Whether it is computed at each read, and so are the formulas that use it. */
  isAtRead?: boolean
  /** Whether PostgreSQL stores its values for a formula already, which no generated column may use. */
  isGenerated?: boolean
  /** Whether its numbers have the rounding errors of a division. */
  isRounded?: boolean
}

type OperandColumn = Pick<Column, 'name' | 'type' | 'options'> & Partial<Pick<Column, 'sqlType'>>

export function toOperand(column: OperandColumn): FormulaOperand {
  const { name, type, options, sqlType } = column
  const valueType = options.valueType as ColumnTypeName | undefined
  return {
    name,
    // A list has no single value.
    type: options.isMany === true ? 'manyLinks' : (valueType ?? type),
    ...(sqlType === undefined ? {} : { sqlType }),
    ...(isVirtual(column) ? { isAtRead: true } : {}),
    ...(type === 'formula' && !isVirtual(column) ? { isGenerated: true } : {}),
    ...(options.function === 'avg' ? { isRounded: true } : {}),
  }
}

/** The type for which formulas are compiled: they have no values once the column has another one. */
export const operandKind = (column: OperandColumn): string => {
  const { type, sqlType } = toOperand(column)
  return `${type} ${sqlType?.replace(/\(.*\)/, '')}`
}
