import type { Query } from '../db/open'
import { readsNotation } from './definitions/column-conversion'
import type { Column, ColumnPatch, Table } from './model'
import { guessNotation, type Notation } from './notation'
import { identifier, qualifiedName } from './sql-text'

const sampledTexts = 5000
const longestText = 100

/**
 * How the texts of a column that becomes one of numbers or dates write them: what most of them can only mean, and for
 * what they leave open, the notation of the patch.
 */
export async function findNotation(query: Query, table: Table, before: Column, patch: ColumnPatch): Promise<Notation> {
  if (patch.type === undefined || !readsNotation(before.type, patch.type)) return {}
  const value = `t.${identifier(before.name)}`
  const rows = await query<{ text: string }>(
    `select distinct left(${value}, ${longestText}) as text from (select * from ${qualifiedName(table)} limit ${4 * sampledTexts}) t
     where ${value} is not null and ${value} <> '' limit ${sampledTexts}`,
    [],
    { prepare: false },
  )
  const { ambiguous, ...found } = guessNotation([rows.map(({ text }) => text)])
  const given = Object.fromEntries(ambiguous.flatMap((name) => (patch.notation?.[name] ? [[name, patch.notation[name]]] : [])))
  return { ...found, ...given }
}
