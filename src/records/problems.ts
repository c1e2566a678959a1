import { type Problem, validationFailed } from '../errors'
import { columnTypes } from '../tables/column-types'
import { hasHugeExponent, hugeExponent } from '../tables/column-types/exponent'
import { isCounted, isGenerated } from '../tables/ddl'
import type { Column, Table } from '../tables/model'
import { nearest } from '../tables/nearest'
import { mostRecords, type RecordBody } from './model'

/** Of a body that is wrong throughout, the first problems say enough. */
const mostProblems = 100
/** Looking for the nearest name takes time with each of the table's columns. */
const mostSuggestions = 5

/** @throws Failure validation_failed, when the bodies cannot be new records of this table */
export function checkNewRecords(table: Table, body: RecordBody | RecordBody[], text: string): void {
  if (Array.isArray(body) && body.length === 0) refuse([{ path: '', message: 'The array is empty.' }].values())
  if (Array.isArray(body) && body.length > mostRecords) {
    refuse([{ path: '', message: `One request takes at most ${mostRecords} records; send them in several.` }].values())
  }
  const check = checkOf(table)
  refuse(Array.isArray(body) ? inTurn(body, (item, index) => check.newRecord(item, `/${index}`)) : check.newRecord(body, ''))
  refuse(numberProblems(text))
}

/** @throws Failure validation_failed, when the body cannot change a record of this table */
export function checkChange(table: Table, body: RecordBody, text: string): void {
  refuse(checkOf(table).change(body))
  refuse(numberProblems(text))
}

function refuse(found: Iterator<Problem>): void {
  const problems = Iterator.from(found).take(mostProblems).toArray()
  if (problems.length) throw validationFailed(problems)
}

function* inTurn<Item>(items: Item[], problemsOf: (item: Item, index: number) => Iterable<Problem>): Generator<Problem> {
  for (const [index, item] of items.entries()) yield* problemsOf(item, index)
}

function* numberProblems(text: string): Generator<Problem> {
  if (hasHugeExponent(text)) yield { path: '', message: `A number ${hugeExponent}.` }
}

/** The checks of one request: they share the suggestions that are left. */
function checkOf(table: Table) {
  const columns = new Map(table.columns.map((column) => [column.name, column]))
  const needed = table.columns.filter((column) => column.required && !isGenerated(column) && column.default === null)
  const counted = table.columns.filter(isCounted)
  const generated = table.columns.filter(isGenerated)
  const names = [...columns.keys()]
  let suggestions = mostSuggestions

  const unknownColumn = (name: string): string => {
    const similar = suggestions-- > 0 ? nearest(name, names) : undefined
    return similar === undefined ? 'is not a column of this table' : `is not a column of this table; did you mean "${similar}"?`
  }
  const valueProblem = (column: Column, value: unknown): string | null => {
    if (value === null) return column.required ? 'is required and cannot be null' : null
    return columnTypes[column.type].problem(value, column.options) ?? unreachableKeyProblem(table, column.name, value)
  }
  function* values(body: RecordBody, path: string): Generator<Problem> {
    for (const [name, value] of Object.entries(body)) {
      const column = columns.get(name)
      const problem = column ? valueProblem(column, value) : unknownColumn(name)
      if (problem) yield problemAt(path, name, problem)
    }
  }
  function* newRecord(body: RecordBody, path: string): Generator<Problem> {
    yield* values(body, path)
    for (const { name } of counted) {
      if (Object.hasOwn(body, name)) yield problemAt(path, name, 'is counted by the database and cannot be chosen')
    }
    for (const { name } of needed) if (!Object.hasOwn(body, name)) yield problemAt(path, name, 'is required')
  }
  function* change(body: RecordBody): Generator<Problem> {
    yield* values(body, '')
    for (const { name } of generated) {
      if (Object.hasOwn(body, name)) yield problemAt('', name, 'is the key of the record and cannot be changed')
    }
  }
  return { newRecord, change }
}

/** RFC 3986 section 5.2.4: every client takes `.` and `..` out of a path, and an empty segment is the list's address. */
const unreachableKeyProblem = ({ primaryKey }: Table, name: string, value: unknown): string | null =>
  primaryKey.length === 1 && primaryKey[0] === name && ['', '.', '..'].includes(value as string)
    ? 'cannot be empty, "." or "..", since no address could name such a record'
    : null

const problemAt = (path: string, name: string, message: string): Problem => ({
  path: `${path}/${name.slice(0, 100).replaceAll('~', '~0').replaceAll('/', '~1')}`,
  message,
})
