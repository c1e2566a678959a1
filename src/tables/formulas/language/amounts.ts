import { currencyDecimals } from '../../column-types/descriptors'
import type { FormulaOperand } from '../operands'
import { type FormulaNode, parseFormulaText } from './syntax'
import { formulaTypeOf } from './value'

/** The display options that fit the values of a formula. */
export type ProposedDisplay = { currency?: string; decimals?: number }

/** A currency's code, or a word in lower case: `constant` fits any unit, `none` is a unit that pages cannot show. */
type Unit = string

const isAmount = (unit: Unit): boolean => /^[A-Z]{3}$/.test(unit)

/** Functions whose result has the unit of their first argument. */
const unitOfFirst = ['ROUND', 'ROUNDUP', 'ROUNDDOWN', 'CEILING', 'FLOOR', 'INT', 'MOD', 'ABS']
/** Functions whose result is one of their arguments, or a sum or mean of them. */
const unitOfAll = ['SUM', 'AVERAGE', 'MIN', 'MAX', 'IFBLANK', 'IFERROR']
const unitless = ['POWER', 'SQRT', 'EXP', 'LN', 'LOG']

/**
 * The currency of a formula that computes with amounts of one currency, and the currency's decimal places if the
 * formula may produce more of them.
 * @param formula a formula that compiles, with each name spelled as its column's
 */
export function proposedDisplay(formula: string, columns: readonly FormulaOperand[]): ProposedDisplay {
  const tree = parseFormulaText(formula)
  const currency = unitOf(tree, columns)
  if (!isAmount(currency)) return {}
  return isScaled(tree) ? { currency, decimals: currencyDecimals(currency) } : { currency }
}

function unitOf(node: FormulaNode, columns: readonly FormulaOperand[]): Unit {
  const unit = (inner: FormulaNode) => unitOf(inner, columns)
  switch (node.kind) {
    case 'number':
    case 'text':
      return 'constant'
    case 'column':
      return columnUnit(columns.find(({ name }) => name === node.name))
    case 'unary':
      return unit(node.operand)
    case 'binary':
      return signUnit(node.sign, unit(node.left), unit(node.right))
    case 'call':
      return callUnit(node.name.toUpperCase(), node.args, unit)
  }
}

function columnUnit(column: FormulaOperand | undefined): Unit {
  return column?.currency !== undefined && formulaTypeOf(column.type) === 'number' ? column.currency : 'plain'
}

function signUnit(sign: string, left: Unit, right: Unit): Unit {
  if (sign === '+' || sign === '-') return common([left, right])
  if (sign !== '*' && sign !== '/') return 'plain'
  if (left === 'none' || right === 'none') return 'none'
  if (isAmount(left) && isAmount(right)) return sign === '/' && left === right ? 'plain' : 'none'
  if (isAmount(right)) return sign === '*' ? right : 'none'
  return left === 'constant' ? right : left
}

function callUnit(name: string, args: readonly FormulaNode[], unit: (node: FormulaNode) => Unit): Unit {
  if (unitOfFirst.includes(name)) return unit(args[0]!)
  if (unitless.includes(name)) return 'none'
  const results = resultsOf(name, args)
  return results ? common(results.map(unit)) : name === 'BLANK' ? 'constant' : 'plain'
}

/** The arguments of which the result is one, a sum, or a mean. */
function resultsOf(name: string, args: readonly FormulaNode[]): readonly FormulaNode[] | null {
  if (unitOfAll.includes(name)) return args
  if (name === 'IF') return args.slice(1)
  if (name === 'IFS') return args.filter((_, at) => at % 2 === 1)
  // The first argument is compared, and a last one without a partner is the default.
  if (name === 'SWITCH') return args.filter((_, at) => at > 0 && (at % 2 === 0 || at === args.length - 1))
  return null
}

function common(units: readonly Unit[]): Unit {
  const [first = 'constant', ...others] = units.filter((unit) => unit !== 'constant')
  return others.every((unit) => unit === first) ? first : 'none'
}

/** Whether the formula multiplies or divides, which makes more decimal places than its columns have. */
function isScaled(node: FormulaNode): boolean {
  switch (node.kind) {
    case 'unary':
      return node.sign === '%' || isScaled(node.operand)
    case 'binary':
      return node.sign === '*' || node.sign === '/' || isScaled(node.left) || isScaled(node.right)
    case 'call':
      return node.name.toUpperCase() === 'AVERAGE' || node.args.some(isScaled)
    default:
      return false
  }
}
