import { translatable } from '../../../messages/message'
import { type FormulaProblem, problemAt } from '../problem'
import { type FormulaToken, problemAtOffset, toTokens } from './tokens'

/** `at` and `end` are offsets from 0; those of a column include its braces. */
export type FormulaNode =
  | { kind: 'number' | 'text'; text: string; at: number }
  | { kind: 'column'; name: string; at: number; end: number }
  | { kind: 'call'; name: string; args: FormulaNode[]; at: number }
  | { kind: 'unary'; sign: '-' | '+' | '%'; operand: FormulaNode; at: number }
  | { kind: 'binary'; sign: string; left: FormulaNode; right: FormulaNode; at: number }

/** The precedence of the signs between two values: as in a spreadsheet, all are evaluated from left to right. */
const strengths: Record<string, number> = {
  ...{ '=': 1, '<>': 1, '!=': 1, '<': 1, '>': 1, '<=': 1, '>=': 1 },
  ...{ '&': 2, '+': 3, '-': 3, '*': 4, '/': 4, '^': 5 },
}

/** PostgreSQL and the parsers must process the whole formula with a limited stack. */
const maxTokens = 2000
const maxNesting = 60

/**
 * Reads a formula in the language of spreadsheets.
 * @throws FormulaProblem
 */
export function parseFormulaText(formula: string): FormulaNode {
  const tokens = toTokens(formula)
  if (tokens.length > maxTokens) throw problemAt(translatable('is too long'), null)
  const tree = new FormulaParser(tokens).read()
  requireDecimalPoints(tokens)
  return tree
}

/** Between arguments that are separated by semicolons, `1,19` is a number and not two. @throws FormulaProblem */
function requireDecimalPoints(tokens: readonly FormulaToken[]): void {
  if (!tokens.some(({ kind, text }) => kind === 'sign' && text === ';')) return
  for (const [index, token] of tokens.entries()) {
    const [before, after] = [tokens[index - 1], tokens[index + 1]]
    const isComma = token.kind === 'sign' && token.text === ','
    const isTight = before?.kind === 'number' && after?.kind === 'number' && before.end === token.at && after.at === token.end
    if (isComma && isTight) throw misplacedComma(token, `${before.text}.${after.text}`)
  }
}

/** A Pratt parser: each sign takes operands that bind more tightly. */
class FormulaParser {
  private place = 0
  private depth = 0

  constructor(private readonly tokens: readonly FormulaToken[]) {}

  read(): FormulaNode {
    const tree = this.expression(1)
    if (this.next.kind !== 'end') throw unexpected(this.next)
    return tree
  }

  private get next(): FormulaToken {
    return this.tokens[this.place]!
  }

  private take(): FormulaToken {
    return this.tokens[this.place++]!
  }

  private isSign(...signs: string[]): boolean {
    return this.next.kind === 'sign' && signs.includes(this.next.text)
  }

  private nested(read: () => FormulaNode): FormulaNode {
    if (++this.depth > maxNesting) throw problemAtOffset(translatable('is nested too deeply'), this.next)
    const result = read()
    this.depth--
    return result
  }

  private expression(least: number): FormulaNode {
    let left = this.operand()
    while (this.next.kind === 'sign' && (strengths[this.next.text] ?? 0) >= least) {
      const { text: sign, at } = this.take()
      left = { kind: 'binary', sign, left, right: this.expression(strengths[sign]! + 1), at }
    }
    return left
  }

  /** A minus binds more tightly than a power: -2^2 is 4. */
  private operand(): FormulaNode {
    if (this.isSign('-', '+')) {
      const { text: sign, at } = this.take()
      return { kind: 'unary', sign: sign as '-' | '+', operand: this.nested(() => this.operand()), at }
    }
    let value = this.primary()
    while (this.isSign('%')) value = { kind: 'unary', sign: '%', operand: value, at: this.take().at }
    return value
  }

  private primary(): FormulaNode {
    const token = this.take()
    const { kind, text, at, end } = token
    if (kind === 'number' || kind === 'text') return { kind, text, at }
    if (kind === 'word' && this.isSign('(')) return this.call(token)
    if (kind === 'word' && isTruthValue(text)) return { kind: 'call', name: text, args: [], at }
    if (kind === 'word' || kind === 'column') return { kind: 'column', name: text, at, end }
    if (text !== '(') throw unexpected(token)
    const inner = this.nested(() => this.expression(1))
    this.close()
    return inner
  }

  private call({ text: name, at }: FormulaToken): FormulaNode {
    this.take()
    const args: FormulaNode[] = []
    while (!(args.length === 0 && this.isSign(')'))) {
      args.push(this.nested(() => this.expression(1)))
      if (!this.isSign(',', ';')) break
      this.take()
    }
    this.close()
    return { kind: 'call', name, args, at }
  }

  private close(): void {
    if (!this.isSign(')')) throw unexpected(this.next)
    this.take()
  }
}

const misplacedComma = (token: FormulaToken, example: string): FormulaProblem =>
  problemAtOffset(translatable('has a comma that does not belong there; write decimals with a point: {example}', { example }), token)

function unexpected(token: FormulaToken): FormulaProblem {
  if (token.kind === 'end') return problemAtOffset(translatable('is incomplete'), token)
  if (token.kind === 'sign' && token.text === ',') return misplacedComma(token, '1.5')
  if (token.kind === 'sign') return problemAtOffset(translatable('has a "{sign}" that does not belong there', { sign: token.text }), token)
  const example = '{Net price}'
  return problemAtOffset(translatable('lacks an operator or a comma; put names of several words in braces: {example}', { example }), token)
}

/** A column of this name has to be written in braces. */
const isTruthValue = (word: string): boolean => /^(true|false)$/i.test(word)

/** The columns that a formula names, in their order. */
export function columnNodes(node: FormulaNode): Extract<FormulaNode, { kind: 'column' }>[] {
  switch (node.kind) {
    case 'column':
      return [node]
    case 'call':
      return node.args.flatMap(columnNodes)
    case 'unary':
      return columnNodes(node.operand)
    case 'binary':
      return [...columnNodes(node.left), ...columnNodes(node.right)]
    default:
      return []
  }
}

export const bracedName = (name: string): string => `{${name.replace(/[\\}]/g, '\\$&')}}`

/** A column's name as a formula writes it. @param isBare whether to omit braces that are not needed */
export const writtenName = (name: string, isBare: boolean): string =>
  isBare && /^[\p{L}_][\p{L}\p{N}\p{M}_]*$/u.test(name) && !isTruthValue(name) ? name : bracedName(name)
