import { canonicalType } from '../sql-types'
import { formulaTypeOf } from './language/value'
import { type OperandColumn, toOperand } from './operands'

/** The type for which formulas are compiled: they have no values once the column has another one. */
export function operandKind(column: OperandColumn): string {
  const { type, sqlType = '', isList } = toOperand(column)
  return `${formulaTypeOf(type) ?? type} ${canonicalType(sqlType).replace(/\(.*\)/, '')}${isList ? '[]' : ''}`
}
