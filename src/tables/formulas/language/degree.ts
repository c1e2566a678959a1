import type { FormulaNode } from './syntax'

/**
 * The maximum number of factors in a formula. Numbers have at most 308 digits before the decimal point and as many
 * after it, and PostgreSQL's `numeric` 131,072: with at most 400 factors no result exceeds it. A long number in the
 * text of the formula counts as several.
 */
export const maxDegree = 400

export function degreeOf(node: FormulaNode): number {
  switch (node.kind) {
    case 'call':
      return node.name.toUpperCase() === 'POWER' ? powerDegree(node.args[0], node.args[1]) : 1 + sum(node.args)
    case 'unary':
      return degreeOf(node.operand)
    case 'binary':
      return node.sign === '^' ? powerDegree(node.left, node.right) : sum([node.left, node.right])
    // Its exponent adds 99 digits at most.
    case 'number':
      return Math.ceil((node.text.length + 99) / 300)
    default:
      return 1
  }
}

const sum = (nodes: readonly FormulaNode[]): number => nodes.reduce((total, node) => total + degreeOf(node), 0)

/** Powers are bounded, unless the exponent is a small constant. */
function powerDegree(base: FormulaNode | undefined, exponent: FormulaNode | undefined): number {
  if (!base || !exponent) return 1
  const isSmall = exponent.kind === 'number' && /^[1-9]$/.test(exponent.text)
  return degreeOf(base) * (isSmall ? Number(exponent.text) : 1) + degreeOf(exponent)
}
