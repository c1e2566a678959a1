import { type Message, translatable } from '../../../messages/message'
import { type FormulaProblem, problemAt } from '../problem'

/** `text` is the content: a name without its braces, a text without its quotes. `at` and `end` are offsets from 0. */
export type FormulaToken = { kind: 'number' | 'text' | 'word' | 'column' | 'sign' | 'end'; text: string; at: number; end: number }

/** @param at offset from 0 */
export const problemAtOffset = (problem: Message, { at }: { at: number }): FormulaProblem => problemAt(problem, at + 1)

const blank = /\s*/y
/** In braces a backslash escapes a brace or another backslash. */
const column = /\{((?:[^\\}]|\\[\\}]|\\(?![\\}]))*)\}/y
/** A quote within a text is written twice, as in a spreadsheet. */
const quotedText = /"((?:[^"]|"")*)"|'((?:[^']|'')*)'/y
const number = /(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,2}(?!\d))?(?![\p{L}\p{N}_.])/uy
const word = /[\p{L}_][\p{L}\p{N}\p{M}_]*/uy
const sign = /<>|!=|<=|>=|[-+*/^%&=<>(),;]/y

function matchAt(pattern: RegExp, formula: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at
  return pattern.exec(formula)
}

/** @throws FormulaProblem */
export function toTokens(formula: string): FormulaToken[] {
  const tokens: FormulaToken[] = []
  let at = matchAt(blank, formula, 0)![0].length
  // A spreadsheet's formula begins with an equals sign.
  if (formula[at] === '=') at += 1 + matchAt(blank, formula, at + 1)![0].length
  while (at < formula.length) {
    const token = tokenAt(formula, at)
    tokens.push(token)
    at = token.end + matchAt(blank, formula, token.end)![0].length
  }
  return [...tokens, { kind: 'end', text: '', at: formula.length, end: formula.length }]
}

function tokenAt(formula: string, at: number): FormulaToken {
  const token = (kind: FormulaToken['kind'], found: RegExpExecArray, content = found[0]): FormulaToken => ({
    kind,
    text: content,
    at,
    end: at + found[0].length,
  })
  const name = matchAt(column, formula, at)
  if (name) return token('column', name, name[1]!.replace(/\\([\\}])/g, '$1'))
  const quoted = matchAt(quotedText, formula, at)
  if (quoted) return token('text', quoted, quoted[1]?.replaceAll('""', '"') ?? quoted[2]!.replaceAll("''", "'"))
  const digits = matchAt(number, formula, at)
  if (digits) return token('number', digits)
  const letters = matchAt(word, formula, at)
  if (letters) return token('word', letters)
  const mark = matchAt(sign, formula, at)
  if (mark) return token('sign', mark)
  throw problemAtOffset(unreadableCharacter(formula[at]!), { at })
}

function unreadableCharacter(character: string): Message {
  if (character === '{') return translatable('has a name in braces without the closing brace')
  if (character === '"' || character === "'") return translatable('has a text without the closing quotation mark')
  if (/[“”„‟«»‘’‚‛]/.test(character)) return translatable('has a typographic quotation mark; use "')
  return /[\d.]/.test(character)
    ? translatable('has a number that cannot be read')
    : translatable('has a character that does not belong there')
}
