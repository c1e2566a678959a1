import { translatable } from '../../../messages/message'
import { type Aggregate, aggregates, type Embedding, type SelectItem } from '../tree'
import { expectedName, type Name, readName, readSteps, readWord } from './names'
import type { Scanner } from './scanner'

const isAggregate = (word: string): word is Aggregate => (aggregates as readonly string[]).includes(word)
const aggregateForm = /\.([a-z]+)\(\)/y
const expectedType = translatable('the name of a type')

/** The value of `select`; an empty value means the same as no `select`, as in PostgREST 12. */
export function readSelect(scanner: Scanner): SelectItem[] {
  const items = readItems(scanner, 1)
  scanner.expectEnd(translatable('"," or the end'))
  return items.length ? items : [{ kind: 'all' }]
}

function readItems(scanner: Scanner, depth: number): SelectItem[] {
  scanner.skipBlanks()
  if (scanner.isAtEnd || scanner.isBefore(')')) return []
  const items = [readItem(scanner, depth)]
  while (scanner.takeBetweenBlanks(',')) items.push(readItem(scanner, depth))
  scanner.skipBlanks()
  return items
}

function readItem(scanner: Scanner, depth: number): SelectItem {
  scanner.spend('items')
  if (scanner.take('*')) return { kind: 'all' }
  if (scanner.take('...')) return readEmbedding(scanner, readName(scanner), depth, { isSpread: true })
  const first = readName(scanner)
  const alias = takeAliasSign(scanner) ? first.text : undefined
  const name = alias === undefined ? first : readName(scanner)
  if (isCount(scanner, name)) return withAlias(alias, { kind: 'count', ...castOf(scanner) })
  if (scanner.isBefore('(') || scanner.isBefore('!')) return readEmbedding(scanner, name, depth, { alias, isSpread: false })
  return withAlias(alias, readColumnItem(scanner, name))
}

const withAlias = <Item extends SelectItem>(alias: string | undefined, item: Item): Item =>
  alias === undefined ? item : { ...item, alias }

/** A `:` that does not begin `::`. */
const takeAliasSign = (scanner: Scanner): boolean => !scanner.isBefore('::') && scanner.take(':')

const isCount = (scanner: Scanner, { text, isQuoted }: Name): boolean => text === 'count' && !isQuoted && scanner.take('()')

function readColumnItem(scanner: Scanner, { text }: Name): SelectItem {
  const column = { name: text, steps: readSteps(scanner) }
  const cast = castOf(scanner)
  const name = readAggregate(scanner)
  return { kind: 'column', column, ...cast, ...(name ? { aggregate: { name, ...castOf(scanner) } } : {}) }
}

const castOf = (scanner: Scanner): { cast?: string } => (scanner.take('::') ? { cast: readWord(scanner, expectedType) } : {})

function readAggregate(scanner: Scanner): Aggregate | undefined {
  if (!scanner.isBefore('.')) return undefined
  const start = scanner.at
  const [, word = ''] = scanner.match(aggregateForm) ?? []
  if (isAggregate(word)) return word
  scanner.at = start
  return scanner.fail(translatable('one of {aggregates}', { aggregates: aggregates.map((name) => `.${name}()`).join(', ') }))
}

/** Reads what follows the relation's name: `!hint!inner(items)`. */
function readEmbedding(scanner: Scanner, relation: Name, depth: number, written: { alias?: string; isSpread: boolean }): Embedding {
  scanner.requireDepth(depth)
  const { alias, isSpread } = written
  const embedding: Embedding = { kind: 'embedding', relation: relation.text, join: 'left', isSpread, items: [] }
  if (alias !== undefined) embedding.alias = alias
  const given = { hint: false, join: false }
  while (scanner.take('!')) readModifier(scanner, embedding, given)
  scanner.expect('(')
  embedding.items = readItems(scanner, depth + 1)
  scanner.expect(')', translatable('"," or ")"'))
  return embedding
}

function readModifier(scanner: Scanner, embedding: Embedding, given: { hint: boolean; join: boolean }): void {
  const start = scanner.at
  const { text, isQuoted } = readName(scanner)
  const kind = !isQuoted && (text === 'inner' || text === 'left') ? 'join' : 'hint'
  if (given[kind]) {
    scanner.at = start
    scanner.fail(
      kind === 'join'
        ? translatable('"(", since !inner or !left was already given')
        : translatable('"(", since {expectedName} was already given', { expectedName }),
    )
  }
  given[kind] = true
  if (kind === 'hint') embedding.hint = text
  else embedding.join = text as 'inner' | 'left'
}
