import type { Column } from '../model'
import { columnNodes, parseFormulaText } from './language/syntax'

type FormulaColumn = Pick<Column, 'name' | 'options'>

/** Formulas, each after those that it uses; in any order if they use each other. */
export function inOrderOfUse<Formula extends FormulaColumn>(formulas: readonly Formula[]): Formula[] {
  const ordered = new Set<Formula>()
  const begun = new Set<Formula>()
  const take = (formula: Formula) => {
    if (begun.has(formula)) return
    begun.add(formula)
    const names = usedNames(formula)
    for (const other of formulas) if (names.includes(other.name.toLowerCase())) take(other)
    ordered.add(formula)
  }
  for (const formula of formulas) take(formula)
  return [...ordered]
}

function usedNames({ options: { formula } }: FormulaColumn): string[] {
  try {
    return typeof formula === 'string' ? columnNodes(parseFormulaText(formula)).map(({ name }) => name.toLowerCase()) : []
  } catch {
    return []
  }
}
