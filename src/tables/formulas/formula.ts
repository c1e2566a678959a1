import { type Message, translatable } from '../../messages/message'
import { columnTypes } from '../column-types'
import type { Column } from '../model'
import { nearest } from '../nearest'
import { identifier } from '../sql-text'
import { growthOf } from './growth'
import { parseExpression, toCharacterPosition, Unreadable } from './parser'
import { FormulaProblem, problemAt } from './problem'
import { Forbidden, render } from './rendering'

/**
 * `sql` is generated from the parsed expression; `uses` are the names of the columns in it; `text` is the expression as
 * it was written, but with each name spelled as its column's; `growth` is the maximum ratio of the result's length to
 * the longest text in the record.
 */
export type Formula = { sql: string; uses: string[]; text: string; growth: number }

type KnownColumn = Pick<Column, 'name' | 'type'>

/** @throws FormulaProblem */
export async function readFormula(expression: string, columns: readonly KnownColumn[]): Promise<Formula> {
  const uses = new Set<string>()
  const folded: Replacement[] = []
  const { sql, growth } = await rendered(expression, (name, offset) => {
    const column = columns.find((candidate) => candidate.name === name) ?? findFolded(name, columns)
    if (!column) throw new Forbidden(unknownColumn(name, columns), offset)
    if (column.type === 'formula')
      throw new Forbidden(translatable('names a column that is a formula itself, which PostgreSQL does not allow'), offset)
    if (column.type === 'manyLinks' || columnTypes[column.type].isVirtual)
      throw new Forbidden(translatable('names a column whose values come from other tables'), offset)
    uses.add(column.name)
    if (column.name !== name) folded.push({ offset, name: column.name })
    return identifier(column.name)
  })
  return { sql, uses: [...uses], text: replaceNames(expression, folded) ?? sql, growth }
}

/**
 * PostgreSQL folds a name without quotes to lower case, so `Price * 1.19` asks for `price`. If exactly one column has
 * the name in another case, that column is meant.
 */
function findFolded(name: string, columns: readonly KnownColumn[]): KnownColumn | undefined {
  const found = columns.filter((candidate) => candidate.name.toLowerCase() === name.toLowerCase())
  return found.length === 1 ? found[0] : undefined
}

/** The names of the columns that a stored formula uses; empty if it cannot be parsed. */
export async function columnsIn(expression: string): Promise<string[]> {
  const names = new Set<string>()
  await rendered(expression, (name) => {
    names.add(name)
    return ''
  }).catch(() => {})
  return [...names]
}

/** The same expression, as it was written, with another name for one of its columns. */
export async function renamedFormula(expression: string, from: string, to: string): Promise<string> {
  const renamed: Replacement[] = []
  const { sql } = await rendered(expression, (name, offset) => {
    if (name === from) renamed.push({ offset, name: to })
    return identifier(name === from ? to : name)
  })
  return replaceNames(expression, renamed) ?? sql
}

/** A new name for the one at `offset` (in bytes, from 0). */
type Replacement = { offset: number; name: string }

/** @returns null if a name has an unusual spelling: then the whole expression has to be rendered again */
function replaceNames(expression: string, replacements: readonly Replacement[]): string | null {
  const places = replacements
    .map(({ offset, name }) => ({ place: toCharacterPosition(expression, offset) - 1, name }))
    .sort((one, other) => other.place - one.place)
  let text = expression
  for (const { place, name } of places) {
    const written = /^("(?:[^"]|"")*"|(?![uU]&)[\p{L}_][\p{L}\p{N}\p{M}_$]*)/u.exec(text.slice(place))?.[0]
    if (written === undefined) return null
    text = text.slice(0, place) + identifier(name) + text.slice(place + written.length)
  }
  return text
}

async function rendered(
  expression: string,
  columnName: (name: string, offset: number) => string,
): Promise<{ sql: string; growth: number }> {
  try {
    const tree = await parseExpression(expression)
    const sql = render(tree, columnName)
    return { sql, growth: growthOf(tree) }
  } catch (error) {
    if (error instanceof Unreadable)
      throw new FormulaProblem(
        translatable('PostgreSQL cannot read the formula at character {position}.', { position: error.position }),
        error.position,
      )
    if (!(error instanceof Forbidden)) throw error
    throw problemAt(error.text, error.offset === null ? null : toCharacterPosition(expression, error.offset))
  }
}

function unknownColumn(name: string, columns: readonly KnownColumn[]): Message {
  const similar = nearest(
    name,
    columns.map((column) => column.name),
  )
  if (similar === undefined) return translatable('names a column that does not exist')
  const isPlain = /^[a-z_][a-z0-9_]*$/.test(similar)
  return isPlain
    ? translatable('names a column that does not exist; did you mean "{similar}"?', { similar })
    : translatable('names a column that does not exist; did you mean {similar}, in double quotes?', { similar: identifier(similar) })
}
