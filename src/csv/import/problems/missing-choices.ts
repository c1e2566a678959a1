import { arrayLiteral } from '../../../db/arrays'
import { choicesOf } from '../../../tables/column-types/choices'
import type { Assignment, Filled } from '../assignment'
import type { ImportSession } from '../session'
import { staging, valueName } from '../values'

/** Choices in cells that their column does not have. */
export type MissingChoices = { column: string; choices: string[] }

/** A column with more missing choices probably does not contain choices. */
const maxMissing = 50
const maxChoiceLength = 200

const choiceTypes = ['select', 'multiSelect']

/** @param columns the names of the columns with faults */
export async function findMissingChoices(
  { run }: ImportSession,
  { filled }: Assignment,
  columns: ReadonlySet<string | null>,
): Promise<MissingChoices[]> {
  const found: MissingChoices[] = []
  for (const part of filled) {
    const { column } = part
    if (!columns.has(column.name) || !choiceTypes.includes(column.type)) continue
    const choices = choicesOf(column.options)
    // If choices contain commas, it is unclear which parts of a list are choices.
    if (column.type === 'multiSelect' && choices.some((choice) => choice.includes(','))) continue
    const rows = await run<{ choice: string }>(
      `select distinct choice collate "C" as choice from (${choicesText(part)}) c
        where choice <> '' and choice = btrim(choice) and char_length(choice) <= ${maxChoiceLength} and choice <> all ($1::text[])
        order by choice limit ${maxMissing + 1}`,
      [arrayLiteral(choices)],
    )
    if (rows.length > 0 && rows.length <= maxMissing) found.push({ column: column.name, choices: rows.map(({ choice }) => choice) })
  }
  return found
}

/** SQL: the choices in the cells of a column, as `choice`. */
function choicesText(part: Filled): string {
  const cell = valueName(part)
  if (part.column.type === 'select') return `select ${cell} as choice from ${staging} s`
  const items = `case when ${cell} like '{%' then null
      when ${cell} like '[%' then case when rowhouse.can_cast(${cell}, 'json') then array(select json_array_elements_text(${cell}::json)) end
      else regexp_split_to_array(btrim(${cell}), ' *, *') end`
  return `select item as choice from ${staging} s cross join lateral unnest(${items}) item`
}
