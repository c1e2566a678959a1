import { translatable } from '../../../messages/message'
import type { OrderTerm } from '../tree'
import { readName, readRelatedColumn, readSteps } from './names'
import type { Scanner } from './scanner'

const suffix = /(?:\.(asc|desc))?(?:\.nulls(first|last))?(?=[ \t]*(?:,|$))/y

/** The value of `order`. */
export function readOrder(scanner: Scanner): OrderTerm[] {
  const terms = [readTerm(scanner)]
  while (scanner.takeBetweenBlanks(',')) terms.push(readTerm(scanner))
  scanner.skipBlanks()
  scanner.expectEnd(translatable('"," or the end'))
  return terms
}

function readTerm(scanner: Scanner): OrderTerm {
  scanner.spend('items')
  const { text } = readName(scanner)
  const related = readRelatedColumn(scanner)
  const subject = related ? { relation: text, column: related } : { column: { name: text, steps: readSteps(scanner) } }
  const found = scanner.match(suffix) ?? scanner.fail(translatable('.asc, .desc, .nullsfirst, .nullslast, "," or the end'))
  const [, direction, nulls] = found as unknown as [string, 'asc' | 'desc' | undefined, 'first' | 'last' | undefined]
  return { ...subject, direction: direction ?? 'asc', ...(nulls ? { nulls } : {}) }
}
