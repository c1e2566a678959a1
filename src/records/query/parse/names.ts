import { type Message, translatable } from '../../../messages/message'
import type { ColumnPath, JsonStep } from '../tree'
import type { Scanner } from './scanner'

/** A name in a query. A quoted name is never one of the grammar's reserved words. */
export type Name = { text: string; isQuoted: boolean }

/**
 * Letters of any script, digits, `_`, `$` and spaces, with `-` in between; `->` begins a JSON path. Any other name
 * needs quotes.
 */
const plainNamePattern = /[A-Za-z0-9_ $\u0080-\uffff]+(?:-(?!>)[A-Za-z0-9_ $\u0080-\uffff]+)*/y
/** The name of a type or of a text search configuration. */
const plainWord = /[A-Za-z0-9_ $\u0080-\uffff]+/y
const plainKey = /[^(\-:.,>)"]+(?:-(?!>)[^(\-:.,>)"]+)*/y
const index = /-?\d{1,10}(?=->|::|[.,)]|$)/y
/** `"…"`, in which a backslash precedes a quote or another backslash. */
const quotedName = /"((?:[^"\\]|\\[\s\S])*)"/y
/** PostgreSQL's operators take an index as an int4. */
const mostIndex = 2 ** 31 - 1

export const expectedName = translatable('a name (in double quotes when it holds punctuation)')

export function readName(scanner: Scanner): Name {
  scanner.skipBlanks()
  const inQuotes = readQuoted(scanner)
  if (inQuotes !== undefined) return { text: inQuotes, isQuoted: true }
  const text = scanner.match(plainNamePattern)?.[0].trim()
  return text ? { text, isQuoted: false } : scanner.fail(expectedName)
}

/** The text between quotes, or undefined without a closed quotation. */
export function readQuoted(scanner: Scanner): string | undefined {
  const text = scanner.match(quotedName)?.[1]
  return text?.includes('\\') ? text.replace(/\\([\s\S])/g, '$1') : text
}

export const readWord = (scanner: Scanner, expected: Message): string => scanner.match(plainWord)?.[0].trim() || scanner.fail(expected)

/** `name->key->>0` */
function readColumn(scanner: Scanner): ColumnPath {
  const { text } = readName(scanner)
  return { name: text, steps: readSteps(scanner) }
}

/** `(name)` after the name of a relation; null if there is none. */
export function readRelatedColumn(scanner: Scanner): ColumnPath | null {
  if (!scanner.take('(')) return null
  const column = readColumn(scanner)
  scanner.skipBlanks()
  scanner.expect(')')
  return column
}

export function readSteps(scanner: Scanner): JsonStep[] {
  const steps: JsonStep[] = []
  while (scanner.take('->')) {
    scanner.spend('items')
    const as = scanner.take('>') ? 'text' : 'json'
    steps.push({ as, key: readJsonKey(scanner) })
  }
  return steps
}

function readJsonKey(scanner: Scanner): string | number {
  const start = scanner.at
  const number = scanner.match(index)?.[0]
  if (number !== undefined) {
    if (Math.abs(Number(number)) <= mostIndex) return Number(number)
    scanner.at = start
    scanner.fail(translatable('an index within the range of PostgreSQL'))
  }
  return readQuoted(scanner) ?? (scanner.match(plainKey)?.[0].trim() || scanner.fail(translatable('a key or an index of the JSON value')))
}
