import { quoteName } from '../values/record-key'
import { isRuleVariable } from './rule-variables'

/** A filter in the grammar of the API (docs/query-grammar.md). */
export type FilterTerm = {
  kind: 'term'
  column: string
  /** For a link, the column of the linked records that is compared. */
  linked?: string
  isNegated: boolean
  operator: string
  value: string | string[]
}
type FilterLogic = { kind: 'and' | 'or'; items: FilterExpression[] }
export type FilterExpression = FilterTerm | FilterLogic

/** Reserved parameter names. A column with such a name is quoted. */
const reserved = new Set('select order limit offset and or not columns on_conflict token cursor count q maxAffected dryRun view'.split(' '))

export const toColumnName = (name: string): string =>
  /^[\p{L}\p{N}_$]+(?:[ -][\p{L}\p{N}_$]+)*$/u.test(name) && !reserved.has(name) ? name : quoteName(name)

export const fromColumnName = (name: string): string => (/^".*"$/.test(name) ? name.slice(1, -1).replace(/\\([\\"])/g, '$1') : name)

export const toTermName = ({ column, linked }: Pick<FilterTerm, 'column' | 'linked'>): string =>
  toColumnName(column) + (linked === undefined ? '' : `(${toColumnName(linked)})`)

/** Writes a filter as a separate query parameter. */
export function writeParameter(expression: FilterExpression): [name: string, value: string] {
  if (expression.kind !== 'term') return [expression.kind, writeItems(expression)]
  const { value } = expression
  const text = typeof value === 'string' ? value : writeList(value)
  return [toTermName(expression), `${writeOperator(expression)}.${text}`]
}

const writeOperator = ({ isNegated, operator }: FilterTerm) => `${isNegated ? 'not.' : ''}${operator}`

const writeList = (values: readonly string[]): string => `(${values.map(quoteName).join(',')})`

const writeItems = ({ items }: FilterLogic): string => `(${items.map(writeItem).join(',')})`

function writeItem(expression: FilterExpression): string {
  if (expression.kind !== 'term') return `${expression.kind}${writeItems(expression)}`
  const { operator, value } = expression
  const text = typeof value !== 'string' ? writeList(value) : operator === 'is' || isRuleVariable(value) ? value : quoteName(value)
  return `${toTermName(expression)}.${writeOperator(expression)}.${text}`
}

/** @returns null for unsupported syntax: negated groups, paths into JSON and embedded records, quantifiers */
export function parseFilterParameter(name: string, value: string): FilterExpression | null {
  const reader = new FilterReader(value)
  if (name === 'and' || name === 'or') {
    const logic = reader.logic(name)
    return reader.isAtEnd ? logic : null
  }
  const [, link, linked] = linkedPattern.exec(name) ?? []
  if (link === undefined && (reserved.has(name) || /[.>]/.test(name.replace(/^".*"$/, '')))) return null
  const term = reader.term([link ?? name, linked], () => reader.rest())
  return reader.isAtEnd ? term : null
}

const namePart = String.raw`"(?:[^"\\]|\\.)*"|[\p{L}\p{N}_$ -]+`
const linkedPattern = new RegExp(String.raw`^(${namePart})\((${namePart})\)$`, 'u')

class FilterReader {
  private at = 0

  constructor(private readonly text: string) {}

  get isAtEnd(): boolean {
    return this.at === this.text.length
  }

  rest(): string {
    return this.match(/[\s\S]*/y)?.[0] ?? ''
  }

  logic(kind: 'and' | 'or'): FilterLogic | null {
    if (!this.match(/\(/y)) return null
    const items: FilterExpression[] = []
    do {
      const item = this.item()
      if (!item) return null
      items.push(item)
    } while (this.match(/,/y))
    return this.match(/\)/y) ? { kind, items } : null
  }

  private item(): FilterExpression | null {
    const [, group] = this.match(/(and|or)(?=\()/y) ?? []
    if (group) return this.logic(group as 'and' | 'or')
    const [name] = this.match(new RegExp(namePart, 'uy')) ?? []
    const [, linked] = this.match(new RegExp(String.raw`\((${namePart})\)`, 'uy')) ?? []
    if (name === undefined || name === 'not' || !this.match(/\./y)) return null
    return this.term([name, linked], () => this.quoted() ?? this.match(/\{[^{}]*\}(?=[,)])|[^,)]*/y)?.[0] ?? '')
  }

  term([name, linkedName]: [string, string?], readValue: () => string): FilterTerm | null {
    const [, negation, operator] = this.match(/(not\.)?([a-z]+)\./y) ?? []
    if (operator === undefined) return null
    const value = operator === 'in' ? this.list() : readValue()
    const linked = linkedName === undefined ? undefined : fromColumnName(linkedName)
    return value === null
      ? null
      : { kind: 'term', column: fromColumnName(name), linked, isNegated: negation !== undefined, operator, value }
  }

  private list(): string[] | null {
    const values: string[] = []
    if (!this.match(/\([ \t]*/y)) return null
    if (this.match(/\)/y)) return values
    do values.push(this.quoted() ?? this.match(/[^,)]*/y)?.[0] ?? '')
    while (this.match(/,/y))
    return this.match(/\)/y) ? values : null
  }

  private quoted(): string | null {
    const [text] = this.match(/"(?:[^"\\]|\\[\s\S])*"(?=[,)]|$)/y) ?? []
    return text === undefined ? null : text.slice(1, -1).replace(/\\([\s\S])/g, '$1')
  }

  private match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.at
    const found = pattern.exec(this.text)
    if (found) this.at = pattern.lastIndex
    return found
  }
}

/** The elements of an array literal of PostgreSQL. */
export const parseArray = (text: string): string[] =>
  [...text.slice(1, -1).matchAll(/"((?:[^"\\]|\\.)*)"|([^,]+)/g)].map(([, inside, bare]) => inside?.replace(/\\(.)/g, '$1') ?? bare ?? '')

export const writeArray = (values: readonly string[]): string => `{${values.map(quoteName).join(',')}}`
