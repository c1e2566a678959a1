import { arrayLiteral } from '../../db/arrays'
import { literal } from '../sql-text'

/** Whether a choice in a list with commas is read again as the same choice. */
const isPlainChoice = (choice: string): boolean => !/^$|^\s|\s$|^[[{"]|,/.test(choice)

const textArray = (choices: readonly string[]) => `${literal(arrayLiteral(choices))}::text[]`

/**
 * SQL: a list of choices as text with commas, or as a JSON array if the commas could be read as another list.
 * Null for an empty list.
 */
export function writtenChoices(list: string, choices: readonly string[]): string {
  const plain = "u.item !~ '^$|^[[:space:]]|[[:space:]]$|^[][{\"]|,'"
  const isSafe = `pg_catalog.bool_and(${plain})${choices.every(isPlainChoice) ? '' : ' and pg_catalog.count(*) = 1'}`
  return `(select case when ${isSafe} then pg_catalog.string_agg(u.item, ', ' order by u.place) else pg_catalog.to_json(${list})::text end
    from pg_catalog.unnest(${list}) with ordinality u (item, place) having pg_catalog.count(*) > 0)`
}

/** SQL: whether a text is a JSON array and not a choice. */
export const isJsonList = (text: string, choices: readonly string[]): string => {
  const brackets = choices.filter((choice) => choice.startsWith('['))
  return `${text} like '[%'${brackets.length ? ` and pg_catalog.btrim(${text}) <> all (${textArray(brackets)})` : ''}`
}

/**
 * Overlapping choices can have more readings than can be tried. The limit also counts partial lists: a text with one
 * reading has one for each of its choices.
 */
const maxBeginnings = 2000

/**
 * SQL: a list of choices with commas → PostgreSQL's array literal. A text that equals a choice is that choice, commas
 * included. Other texts are split into existing choices; a text with several readings has no value. Null for null.
 */
export function readChoices(text: string, choices: readonly string[]): string {
  const trimmed = `pg_catalog.btrim(${text})`
  const split = `pg_catalog.regexp_split_to_array(${trimmed}, ' *, *')::text`
  if (choices.every((choice) => isPlainChoice(choice))) return split
  const known = textArray(choices)
  const rest = 'pg_catalog.substr(p.rest, pg_catalog.length(c.choice) + 1)'
  const lists = `with recursive p (list, rest) as (
      select '{}'::text[], ${trimmed}
      union all
      select p.list || c.choice, pg_catalog.regexp_replace(${rest}, '^ *(, *|$)', '')
      from p, pg_catalog.unnest(${known}) c (choice)
      where pg_catalog.starts_with(p.rest, c.choice) and ${rest} ~ '^ *(,|$)' and c.choice <> all (p.list))
    select p.list, p.rest = '' and p.list <> '{}' as is_whole from p limit ${maxBeginnings}`
  return `case when ${trimmed} is null then null when ${trimmed} = any (${known}) then array[${trimmed}]::text
    else (select case when pg_catalog.count(*) < ${maxBeginnings} and pg_catalog.count(*) filter (where l.is_whole) = 1
      then pg_catalog.min(l.list::text) filter (where l.is_whole) else 'no list, or several' end from (${lists}) l) end`
}
