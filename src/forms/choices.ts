import type { Db } from '../db/pool/open'
import { inQuotes } from '../records/query/parse/pairs'
import { listRecords } from '../records/store/reads/list'
import type { Tables } from '../tables/catalog/catalog'
import { choicesOf } from '../tables/column-types/choices'
import type { ResolvedField } from './fields'
import { maxOffered } from './model'

export type Choice = { value: string; label: string }

/** The choices of each field, by the name of its column. For linked records, the first ones by name. */
export async function offeredChoices(db: Db, tables: Tables, fields: readonly ResolvedField[]): Promise<Map<string, Choice[]>> {
  const offered = await Promise.all(fields.map(async (field) => [field.column.name, await choicesOfField(db, tables, field)] as const))
  return new Map(offered.flatMap(([name, choices]) => (choices ? [[name, choices] as const] : [])))
}

async function choicesOfField(db: Db, tables: Tables, { column, target }: ResolvedField): Promise<Choice[] | null> {
  if (column.type === 'select' || column.type === 'multiSelect')
    return choicesOf(column.options).map((choice) => ({ value: choice, label: choice }))
  if (!target) return null
  const [key, display] = [inQuotes(target.key), inQuotes(target.display)]
  const { json } = await listRecords(db, tables, target.table, [
    ['select', `value:${key}::text,label:${display}::text`],
    ['order', `${display},${key}`],
    ['limit', String(maxOffered)],
  ])
  return (JSON.parse(json) as { value: string; label: string | null }[]).map(({ value, label }) => ({ value, label: label || value }))
}
