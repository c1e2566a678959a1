import { type Message, translatable } from '../../../messages/message'
import { truncateBytes } from '../../../truncate'
import { textProblem } from '../../column-types/text'
import { nearest } from '../../nearest'
import { hasPlaceholders } from '../../row-rules'
import type { FormulaOperand } from '../operands'
import { problemAt } from '../problem'
import { degreeOf, maxDegree } from './degree'
import { formulaFunctions } from './functions'
import { ListSummaries, requireSingleValue, type UsedSummary } from './lists'
import { applySign, applyUnary } from './operators'
import { functionOfOtherName, similarFunction } from './other-names'
import { bracedName, columnNodes, type FormulaNode, parseFormulaText, writtenName } from './syntax'
import { problemAtOffset } from './tokens'
import { columnValue, type FormulaValue, numberConstant, optional, settled, textConstant } from './value'

/** Repeated operands make SQL grow with each level. */
const maxSqlLength = 50_000

/**
 * `expression` is SQL for `readFormula`; `text` is the formula with each name spelled as its column's. A formula is
 * computed at each read if it depends on more than the values that PostgreSQL stores for the record.
 */
export type CompiledFormula = { expression: string; text: string; isAtRead: boolean; isTimed: boolean; summaries: readonly UsedSummary[] }

/**
 * Compiles a formula in the language of spreadsheets.
 * @throws FormulaProblem
 */
export function compileFormula(formula: string, columns: readonly FormulaOperand[]): CompiledFormula {
  const problem = textProblem(formula)
  if (problem) throw problemAt(problem, null)
  const tree = parseFormulaText(formula)
  const respelled = new Map<FormulaNode, string>()
  const summaries = new ListSummaries(columns)
  let [isAtRead, isTimed] = [false, false]

  const compile = (node: FormulaNode): FormulaValue => requireSingleValue(compileArgument(node))

  /** @returns a list for a column of several values */
  function compileArgument(node: FormulaNode): FormulaValue {
    const made = evaluate(node)
    if (made.sql.length + made.filled.length > maxSqlLength) throw problemAtOffset(translatable('is too complex'), node)
    return made
  }

  function evaluate(node: FormulaNode): FormulaValue {
    switch (node.kind) {
      case 'number':
        return numberConstant(node.at, node.text)
      case 'text':
        return textConstant(node.at, node.text)
      case 'column':
        return column(node)
      case 'unary':
        return applyUnary(node.sign, compile(node.operand), node.at)
      case 'binary':
        return applySign(node.sign, compile(node.left), compile(node.right), node.at)
      case 'call':
        return call(node)
    }
  }

  function column(node: Extract<FormulaNode, { kind: 'column' }>): FormulaValue {
    const found = findColumn(node.name, columns)
    const isBare = formula[node.at] !== '{'
    if (!found)
      throw problemAtOffset(isBare && isFunction(node.name) ? noArguments(node.name) : unknownName(node.name, columns, isBare), node)
    if (found.isBroken) throw problemAtOffset(translatable('names a column that has no values any more'), node)
    if (found.type === 'formula') throw problemAtOffset(translatable('names a formula that is computed from this one'), node)
    const value = found.isList ? summaries.valueOf(found, node.at) : columnValue(found, node.at)
    if (!value) throw problemAtOffset(translatable('names a column with several values, and it needs a single one'), node)
    if (found.isAtRead || found.isGenerated) isAtRead = true
    if (found.name !== node.name) respelled.set(node, found.name)
    return value
  }

  function call({ name, args, at }: Extract<FormulaNode, { kind: 'call' }>): FormulaValue {
    const upper = name.toUpperCase()
    if (!isFunction(name)) throw problemAtOffset(unknownFunction(upper), { at })
    const { min, max, make, takesLists } = formulaFunctions[upper]!
    if (args.length < min || args.length > max) throw problemAtOffset(wrongCount(upper, args.length, min, max), { at })
    if (clockFunctions.includes(upper)) isTimed = true
    return { ...make(args.map(takesLists ? compileArgument : compile), { name: upper, at }), at }
  }

  const expression = resultOf(compile(tree))
  isAtRead ||= isTimed
  // If a stored formula fails, only the record is refused. A formula that is computed at each read would make the table
  // unreadable.
  if (isAtRead && degreeOf(tree) > maxDegree) throw problemAt(translatable('is too complex'), null)
  // The texts of such columns have placeholders.
  if (isAtRead && hasPlaceholders(formula)) throw problemAt(translatable('contains a control character'), null)
  return { expression, text: respell(formula, tree, (node) => respelled.get(node)), isAtRead, isTimed, summaries: summaries.used }
}

const isFunction = (name: string): boolean => Object.hasOwn(formulaFunctions, name.toUpperCase())

/** The result as the column stores it. */
function resultOf(result: FormulaValue): string {
  if (result.type === 'other') throw problemAtOffset(translatable('ends in a value that a formula can only test with ISBLANK'), result)
  if (result.type === 'blank') return optional('text', result.at, 'cast(null as text)').sql
  if (result.type !== 'number' || result.isExact) return result.sql
  return `trim_scale(${settled(result, result.sql)})`
}

/** The column with exactly this name, or the only column whose name differs only in case. */
function findColumn(name: string, columns: readonly FormulaOperand[]): FormulaOperand | undefined {
  const exact = columns.find((column) => column.name === name)
  if (exact) return exact
  const folded = columns.filter((column) => column.name.toLowerCase() === name.toLowerCase())
  return folded.length === 1 ? folded[0] : undefined
}

/** Writes other names for some of its columns into a formula, and leaves the rest as it was typed. */
function respell(formula: string, tree: FormulaNode, nameOf: (node: FormulaNode & { kind: 'column' }) => string | undefined): string {
  const pieces: string[] = []
  let end = 0
  for (const node of columnNodes(tree)) {
    const name = nameOf(node)
    if (name === undefined) continue
    pieces.push(formula.slice(end, node.at), writtenName(name, formula[node.at] !== '{'))
    end = node.end
  }
  return [...pieces, formula.slice(end)].join('')
}

/** The same formula with another name for one of its columns; unchanged if it cannot be parsed. */
export function renamedFormulaText(formula: string, from: string, to: string): string {
  try {
    return respell(formula, parseFormulaText(formula), ({ name }) => (name === from ? to : undefined))
  } catch {
    return formula
  }
}

function unknownName(name: string, columns: readonly FormulaOperand[], isBare: boolean): Message {
  const similar = nearest(
    name,
    columns.map((column) => column.name),
  )
  // WAHR and HEUTE without parentheses. The name of a function that needs arguments may as well be a column, as Summe.
  const constant = isBare ? functionOfOtherName(name) : undefined
  if (similar === undefined && constant && formulaFunctions[constant]?.min === 0) return unknownFunction(name.toUpperCase())
  return similar === undefined
    ? translatable('names a column that does not exist')
    : translatable('names a column that does not exist; did you mean {similar}?', { similar: bracedName(similar) })
}

const noArguments = (name: string): Message => translatable('calls {name} without parentheses', { name: name.toUpperCase() })

const clockFunctions = ['NOW', 'TODAY']
/** Functions of Airtable that correspond to column types. */
const recordTimes = ['CREATED_TIME', 'LAST_MODIFIED_TIME']

function unknownFunction(name: string): Message {
  if (recordTimes.includes(name))
    return translatable('asks for the time of a record; add a column of the type createdAt or updatedAt, and use that')
  const shortName = truncateBytes(name, 64)
  const other = similarFunction(name)
  if (other)
    return translatable('uses the function {name}, which does not exist; {similar} is similar', { name: shortName, similar: other })
  const similar = functionOfOtherName(name) ?? nearest(name, Object.keys(formulaFunctions))
  return similar === undefined
    ? translatable('uses the function {name}, which does not exist', { name: shortName })
    : translatable('uses the function {name}, which does not exist; did you mean {similar}?', { name: shortName, similar })
}

function wrongCount(name: string, count: number, min: number, max: number): Message {
  if (min === max) return translatable('gives "{name}" {count} {count|value|values}, but it takes {max}', { name, count, max })
  return translatable('gives "{name}" {count} {count|value|values}, but it takes {min} to {max}', { name, count, min, max })
}
