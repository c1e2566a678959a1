import { translatable } from '../../../messages/message'
import type { ColumnPath, Filter, JsonStep, Level, RecordQuery } from '../tree'
import { readFilter, readLogic } from './filter'
import { type Budget, fullBudget, queryLimits } from './limits'
import { type Name, readName, readRelatedColumn, readSteps } from './names'
import { readOrder } from './order'
import { type Pair, readPairs } from './pairs'
import { throwParameterProblem } from './problem'
import { Scanner } from './scanner'
import { readSelect } from './select'

/**
 * `postgrest` is the dialect of `/rest/v1`; `native` has additional reserved words, which are names of columns there.
 */
export type QueryDialect = 'native' | 'postgrest'

/**
 * Parses a query string. Does not look names up, and keeps the values of filters as they were sent (including `*` in
 * `like.a*`).
 * `embedded` has no prototype, so that a relation may have any name.
 * @param search the query with or without its `?`, or its parameters already decoded
 * @param places receives the position among the parameters, from 0, of each filter that is a parameter of its own
 * @throws Failure invalid_request with the parameter, the expected input and its position
 */
export function parseQuery(search: string | Iterable<Pair>, dialect: QueryDialect, places?: Map<Filter, number>): RecordQuery {
  const query: RecordQuery = { ...emptyLevel(), select: [{ kind: 'all' }] }
  const reading: ParseState = { query, dialect, seen: new Set(), budget: fullBudget() }
  let count = 0
  for (const [name, value] of typeof search === 'string' ? readPairs(search) : search) {
    if (++count > queryLimits.parameters)
      throwParameterProblem(
        name,
        translatable('is one too many: a query has at most {parameters} parameters.', { parameters: queryLimits.parameters }),
      )
    // The credential (docs/authentication.md, R0) is not a filter, however it was sent.
    const filter = name === 'token' ? undefined : readParameter(reading, name, value)
    if (filter) places?.set(filter, count - 1)
  }
  return query
}

type ParseState = { query: RecordQuery; dialect: QueryDialect; seen: Set<string>; budget: Budget }

const emptyLevel = (): Level => ({ filters: [], order: [], embedded: Object.create(null) })

/**
 * `author.books."limit"->a`: the embeddings that lead to the level, the name in it, and steps into a JSON column; or
 * `author.books(title)`, with the column of a linked record.
 */
type ColumnAddress = { path: Name[]; name: Name; steps: JsonStep[]; related: ColumnPath | null }

const simpleName = /^[A-Za-z0-9_]+$/

function readAddress(text: string, budget: Budget): ColumnAddress {
  if (simpleName.test(text)) return { path: [], name: { text, isQuoted: false }, steps: [], related: null }
  const scanner = new Scanner(text, text, budget)
  const path = [readName(scanner)]
  while (scanner.take('.')) path.push(readName(scanner))
  scanner.requireDepth(path.length - 1)
  const related = readRelatedColumn(scanner)
  const steps = related ? [] : readSteps(scanner)
  scanner.expectEnd(translatable('"." or "->" in the parameter’s name, or its end'))
  return { path, name: path.pop()!, steps, related }
}

/** @returns the condition, if the parameter is one */
function readParameter(reading: ParseState, parameter: string, value: string): Filter | undefined {
  const { path, name, steps, related } = readAddress(parameter, reading.budget)
  const scanner = new Scanner(value, parameter, reading.budget)
  if (!name.isQuoted && steps.length === 0 && !related && readReservedWord(reading, path, name.text, scanner)) return undefined
  const condition = readFilter(scanner, related ?? { name: name.text, steps })
  levelAt(reading.query, path).filters.push(related ? { kind: 'linked', relation: name.text, condition } : condition)
  return condition
}

/** @returns whether `word` is reserved */
function readReservedWord(reading: ParseState, path: Name[], word: string, scanner: Scanner): boolean {
  if (word === 'and' || word === 'or') return readLogicParameter(reading.query, path, word, scanner)
  if (isRefinement(word)) return readRefinement(reading, levelAt(reading.query, path), word, scanner)
  if (path.length > 0) return false
  return readTopWord(reading, word, scanner) || (reading.dialect === 'native' && readNativeWord(reading, word, scanner))
}

function levelAt(query: Level, path: readonly Name[]): Level {
  let level = query
  for (const { text } of path) {
    level.embedded[text] ??= emptyLevel()
    level = level.embedded[text]
  }
  return level
}

/** `author.not.or=(…)`, `not.author.or=(…)` */
function readLogicParameter(query: Level, path: Name[], kind: 'and' | 'or', scanner: Scanner): true {
  const isNot = ({ text, isQuoted }: Name) => text === 'not' && !isQuoted
  const names = path.filter((name) => !isNot(name))
  levelAt(query, names).filters.push(readLogic(scanner, kind, names.length < path.length))
  return true
}

/** The reserved words of every level. */
const isRefinement = (word: string) => word === 'order' || word === 'limit' || word === 'offset'

function readRefinement(reading: ParseState, level: Level, word: 'order' | 'limit' | 'offset', scanner: Scanner): true {
  if (word === 'order') {
    const order = readOrder(scanner)
    if (isFirst(reading, scanner)) level.order = order
  } else {
    const number = readNumber(scanner)
    // If there are several, PostgREST uses the last one here, and the first one elsewhere.
    isFirst(reading, scanner)
    level[word] = number
  }
  return true
}

function readTopWord(reading: ParseState, word: string, scanner: Scanner): boolean {
  const { query } = reading
  if (word === 'select') {
    const select = readSelect(scanner)
    if (isFirst(reading, scanner)) query.select = select
  } else if (word === 'columns') {
    const columns = readNames(scanner)
    if (isFirst(reading, scanner)) query.columns = columns
  } else if (word === 'on_conflict') {
    const columns = readNames(scanner)
    if (isFirst(reading, scanner)) query.onConflict = columns
  } else return false
  return true
}

/** @throws Failure invalid_request for a repeated parameter, unless PostgREST allows it */
function isFirst({ seen, dialect }: ParseState, { parameter }: Scanner): boolean {
  if (!seen.has(parameter)) return Boolean(seen.add(parameter))
  if (dialect === 'native') throwParameterProblem(parameter, translatable('appears in the URL more than once.'))
  return false
}

function readNativeWord(reading: ParseState, word: string, scanner: Scanner): boolean {
  const { query } = reading
  if (word === 'cursor') query.cursor = scanner.rest() || scanner.fail(translatable('the nextCursor of the previous page'))
  // An empty search is ignored: it would find only some records, and count as the filter that a write requires.
  else if (word === 'q') query.search = scanner.rest() || undefined
  else if (word === 'count') query.count = readChoice(scanner, ['none', 'exact', 'estimated'])
  else if (word === 'maxAffected') query.maxAffected = readNumber(scanner)
  else if (word === 'dryRun') query.isDryRun = readChoice(scanner, ['true', 'false']) === 'true'
  else return false
  isFirst(reading, scanner)
  return true
}

function readChoice<const Choice extends string>(scanner: Scanner, choices: readonly Choice[]): Choice {
  return (
    choices.find((choice) => choice === scanner.text) ?? scanner.fail(translatable('one of {choices}', { choices: choices.join(', ') }))
  )
}

/** Below 2^53, so that JavaScript holds the exact number. */
const wholeNumber = /^\d{1,15}$/

function readNumber(scanner: Scanner): number {
  return wholeNumber.test(scanner.text) ? Number(scanner.text) : scanner.fail(translatable('a whole number of at least 0'))
}

function readNames(scanner: Scanner): string[] {
  const names: string[] = []
  do {
    scanner.spend('items')
    names.push(readName(scanner).text)
  } while (scanner.takeBetweenBlanks(','))
  scanner.skipBlanks()
  scanner.expectEnd(translatable('"," or the end'))
  return names
}
