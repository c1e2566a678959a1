import { translatable } from '../../../messages/message'
import { nearest } from '../../../tables/nearest'
import { type ColumnPath, type Filter, type FilterCondition, type FilterOperator, filterOperators } from '../tree'
import { readName, readQuoted, readRelatedColumn, readSteps } from './names'
import type { Scanner } from './scanner'

type FilterOperation = Omit<FilterCondition, 'kind' | 'column'>
type Parts = { isNegated: boolean; operator: FilterOperator; argument?: string }

const knownOperators = new Set<string>(filterOperators)
const quantifiable = new Set<string>(['eq', 'gt', 'gte', 'lt', 'lte', 'like', 'ilike', 'match', 'imatch'])
const searches = new Set<string>(['fts', 'plfts', 'phfts', 'wfts'])

const operatorForm = /(not\.)?([a-z]+)(?:\(([^()]*)\))?\./y
const language = /^[A-Za-z0-9_ $\u0080-\uffff]+$/
const trilean = /(not_null|null|true|false|unknown)(?=[ \t,)]|$)/iy
const arrayPattern = /\{[^{}]*\}(?=[,)]|$)/y
const upToDelimiter = /[^,)]*/y
const negatedGroup = /not\.(and|or)[ \t]*\(/y
const group = /(and|or)[ \t]*\(/y

/** `operator.value`, where the whole text applies to one column. */
export function readFilter(scanner: Scanner, column: ColumnPath): FilterCondition {
  const operation = readOperation(scanner, (value) => value.rest())
  scanner.expectEnd(translatable('the end'))
  return { kind: 'condition', column, ...operation }
}

/** Whether a text begins like a filter's value; otherwise it can be something else, such as a function's argument. */
export function isOperation(text: string): boolean {
  operatorForm.lastIndex = 0
  const [, , word = '', argument] = operatorForm.exec(text) ?? []
  return knownOperators.has(word) && fitsArgument(word, argument)
}

/** `(a.eq.1,or(b.gt.2,c.is.null))`, the value of `and` or `or`. */
export function readLogic(scanner: Scanner, kind: 'and' | 'or', isNegated: boolean): Filter {
  scanner.skipBlanks()
  scanner.expect('(')
  const filters = readBranches(scanner, 1)
  scanner.expectEnd(translatable('the end'))
  return { kind, isNegated, filters }
}

/** Reads from after the opening parenthesis through the closing one. */
function readBranches(scanner: Scanner, depth: number): Filter[] {
  scanner.requireDepth(depth)
  const filters = [readBranch(scanner, depth)]
  while (scanner.takeBetweenBlanks(',')) filters.push(readBranch(scanner, depth))
  scanner.skipBlanks()
  scanner.expect(')', translatable('"," or ")"'))
  scanner.skipBlanks()
  return filters
}

function readBranch(scanner: Scanner, depth: number): Filter {
  scanner.skipBlanks()
  const negated = scanner.match(negatedGroup)
  const opened = negated ?? scanner.match(group)
  if (opened) return { kind: opened[1] as 'and' | 'or', isNegated: negated !== null, filters: readBranches(scanner, depth + 1) }
  const { text } = readName(scanner)
  const related = readRelatedColumn(scanner)
  const column = related ?? { name: text, steps: readSteps(scanner) }
  scanner.skipBlanks()
  scanner.expect('.', translatable('"." and an operator'))
  const condition: FilterCondition = { kind: 'condition', column, ...readOperation(scanner, readTreeValue) }
  return related ? { kind: 'linked', relation: text, condition } : condition
}

/** A value in a logic tree ends at a comma or a parenthesis, unless it is quoted or an array. */
function readTreeValue(scanner: Scanner): string {
  return readQuotedElement(scanner) ?? (scanner.match(arrayPattern) ?? scanner.match(upToDelimiter)!)[0]
}

function readOperation(scanner: Scanner, readValue: (scanner: Scanner) => string): FilterOperation {
  scanner.spend('conditions')
  const { isNegated, operator, argument } = readOperator(scanner)
  if (operator === 'in') return { isNegated, operator, value: readList(scanner) }
  if (operator === 'is') return readIs(scanner, isNegated)
  const value = readValue(scanner)
  if (argument === undefined) return { isNegated, operator, value }
  if (searches.has(operator)) return { isNegated, operator, language: argument, value }
  return { isNegated, operator, quantifier: argument as 'any' | 'all', value }
}

function readOperator(scanner: Scanner): Parts {
  const start = scanner.at
  const [, not, word = '', argument] = scanner.match(operatorForm) ?? []
  if (!knownOperators.has(word) || !fitsArgument(word, argument)) {
    scanner.at = start
    return refuseOperator(scanner, word, argument)
  }
  const parts = { isNegated: not !== undefined, operator: word as FilterOperator }
  return argument === undefined ? parts : { ...parts, argument: argument.trim() }
}

function fitsArgument(operator: string, argument: string | undefined): boolean {
  if (argument === undefined) return true
  if (searches.has(operator)) return language.test(argument) && argument.trim() !== ''
  return quantifiable.has(operator) && (argument === 'any' || argument === 'all')
}

function refuseOperator(scanner: Scanner, word: string, argument: string | undefined): never {
  if (knownOperators.has(word) && argument !== undefined) {
    scanner.fail(
      searches.has(word)
        ? translatable('a language in the parentheses')
        : translatable('an operator without a modifier, or (any) or (all) after one that accepts it'),
    )
  }
  const similar = word ? nearest(word, filterOperators) : undefined
  const hint = translatable('A filter is written column=operator.value, as in age=gte.18.')
  scanner.fail(
    translatable('an operator (eq, gt, in, is, like, …) and a dot'),
    similar === undefined ? hint : translatable('Did you mean "{similar}"? {hint}', { similar, hint }),
  )
}

function readIs(scanner: Scanner, isNegated: boolean): FilterOperation {
  const word = (scanner.match(trilean) ?? scanner.fail(translatable('null, not_null, true, false or unknown')))[0].toLowerCase()
  // Not `not.is.null`: along a link, that also finds records without a linked record.
  return { isNegated, operator: 'is', value: word }
}

/** `(a,"b,c",d)`; `()` is the empty list. */
function readList(scanner: Scanner): string[] {
  scanner.skipBlanks()
  scanner.expect('(', translatable('a list in parentheses'))
  scanner.skipBlanks()
  const elements: string[] = []
  if (!scanner.isBefore(')')) {
    do elements.push(readQuotedElement(scanner) ?? scanner.match(upToDelimiter)![0])
    while (scanner.take(','))
  }
  scanner.expect(')', translatable('"," or ")"'))
  scanner.skipBlanks()
  return elements
}

/** A text that begins with a quotation mark but continues after the closing one is taken literally. */
function readQuotedElement(scanner: Scanner): string | undefined {
  const start = scanner.at
  const text = readQuoted(scanner)
  if (text !== undefined && (scanner.isAtEnd || scanner.isBefore(',') || scanner.isBefore(')'))) return text
  scanner.at = start
  return undefined
}
