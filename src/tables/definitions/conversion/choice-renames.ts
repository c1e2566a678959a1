import { arrayLiteral } from '../../../db/arrays'
import type { Query } from '../../../db/pool/open'
import { equal, operator, textAt, touchingRows } from '../../../db/search-path'
import { conflict, type Problem } from '../../../errors'
import { type Message, translatable } from '../../../messages/message'
import { choicesOf } from '../../column-types/choices'
import { constraintName } from '../../constraints'
import type { Column, ColumnPatch, Table } from '../../model'
import { identifier, literal, qualifiedName } from '../../sql-text'
import { columnsOver } from '../formula-uses'
import { checkConstraints } from '../links/missing-records'
import { type ChangeScope, type ChoiceUse, findChoiceUses } from './choice-uses'

/** Choices to rename, all at once: each present name with the new one. */
export type ChoiceRenames = Readonly<Record<string, string>>

const pathOf = (choice: string): string => `/renameChoices/${choice.replaceAll('~', '~0').replaceAll('/', '~1')}`

type Typed = Pick<Column, 'name' | 'type'>

const withChoices = ['select', 'multiSelect']

/** The problems of the new names. @param options the options that the column will have */
export function renameProblems(before: Column, type: string, { renameChoices }: ColumnPatch, options: Column['options']): Problem[] {
  if (!renameChoices) return []
  const at = (choice: string, message: Message): Problem => ({ path: pathOf(choice), message })
  if (!withChoices.includes(before.type) || type !== before.type)
    return [
      { path: '/renameChoices', message: translatable('Choices can be renamed only in a column that has choices and keeps its type.') },
    ]
  const [present, wanted] = [choicesOf(before.options), choicesOf(options)]
  const targets = Object.values(renameChoices)
  return Object.entries(renameChoices).flatMap(([from, to]): Problem[] => {
    if (!present.includes(from)) return [at(from, translatable('The column has no such choice.'))]
    if (targets.filter((target) => target === to).length > 1) return [at(from, translatable('Two choices cannot get the same name.'))]
    if (!wanted.includes(to)) return [at(from, translatable('The new name is not among the choices that are sent.'))]
    return wanted.includes(from) && !targets.includes(from)
      ? [at(from, translatable('The old name is still among the choices that are sent.'))]
      : []
  })
}

/** The options with the new names; colours and order stay. */
export function renamedOptions(options: Column['options'], renames: ChoiceRenames): Column['options'] {
  const choices = (options.choices ?? []) as (string | { value: string })[]
  const renamed = choices.map((choice) =>
    typeof choice === 'string' ? choiceNameOf(renames, choice) : { ...choice, value: choiceNameOf(renames, choice.value) },
  )
  return { ...options, choices: renamed }
}

/** A default with the new names: one word or several different ones. */
export const renamedValue = (value: unknown, renames: ChoiceRenames): unknown =>
  Array.isArray(value)
    ? [...new Set(value.map((each) => renamedValue(each, renames)))]
    : typeof value === 'string'
      ? choiceNameOf(renames, value)
      : value

export const choiceNameOf = (renames: ChoiceRenames, choice: string): string => (Object.hasOwn(renames, choice) ? renames[choice]! : choice)

/**
 * SQL: a stored value with the new names. If two choices of a list become the same choice, it keeps the first of them.
 */
export function renamedSql({ type }: Typed, renames: ChoiceRenames): (value: string) => string {
  const one = (word: string) => `coalesce(${literal(JSON.stringify(renames))}::jsonb ${textAt} ${word}, ${word})`
  if (type === 'select') return one
  return (value) =>
    `case when ${value} is not null then array(select renamed.word from (select ${one('words.word')} as word, pg_catalog.min(words.place) as place
      from pg_catalog.unnest(${value}) with ordinality as words (word, place) group by 1) renamed order by renamed.place) end`
}

function hasRenamed({ name, type }: Typed, renames: ChoiceRenames): string {
  const old = `${literal(arrayLiteral(Object.keys(renames)))}::text[]`
  return type === 'select' ? `${identifier(name)} ${equal} any (${old})` : `${identifier(name)} ${operator('&&')} ${old}`
}

export const renameChoicesStatements = (table: Pick<Table, 'schema' | 'name'>, column: Typed, renames: ChoiceRenames): string[] => [
  ...touchingRows(
    `update ${qualifiedName(table)} set ${identifier(column.name)} = ${renamedSql(column, renames)(identifier(column.name))} where ${hasRenamed(column, renames)}`,
  ),
  ...touchingRows(checkConstraints),
]

/** The number of records with a choice to rename. */
export async function countRenamed(query: Query, table: Table, column: Typed, renames: ChoiceRenames): Promise<number> {
  const text = `select count(*)::int as records from ${qualifiedName(table)} where ${hasRenamed(column, renames)}`
  const [row] = await query<{ records: number }>(text, [], { prepare: false })
  return row!.records
}

/**
 * Refuses if formulas, checks, indexes, access rules, share links, forms or conditions contain a choice's name, since
 * their meaning would change.
 * @throws Failure conflict
 */
export async function requireUnreferenced(scope: ChangeScope, table: Table, before: Column, renames: ChoiceRenames): Promise<void> {
  const { query, tables } = scope
  const { name: column } = before
  const stored = await query<{ kind: string; name: string; definition: string }>(usesText, [table.schema, table.name, column])
  const read = (await columnsOver(tables, table, before)).flatMap(({ table: { id, name }, column: { name: formula, readFormula } }) =>
    readFormula ? [{ kind: 'formula', name: id === table.id ? formula : `${name}.${formula}`, definition: readFormula.sql }] : [],
  )
  const own = constraintName(column, 'choices')
  const inSql = [...stored, ...read].filter(({ name }) => name !== own)
  const uses: ChoiceUse[] = [
    ...inSql.map(({ definition, ...use }) => ({ ...use, isNaming: (choice: string) => definition.includes(literal(choice).trim()) })),
    ...(await findChoiceUses(scope, table, before)),
  ]
  for (const choice of Object.keys(renames)) {
    const named = uses.find(({ isNaming }) => isNaming(choice))
    if (!named) continue
    const subject = `${named.kind} ${JSON.stringify(named.name)}`
    throw conflict(
      translatable('The choice {choice} cannot be renamed: the {subject} names it.', { choice: JSON.stringify(choice), subject }),
      {
        errors: [{ path: pathOf(choice), message: translatable('is named by the {subject}', { subject }) }],
        hint: translatable('Change the {subject} first, or rename other choices of "{column}" only.', { subject, column }),
      },
    )
  }
}

/** Every object of the table that uses the column in an expression, with PostgreSQL's text of it. */
const usesText = `with place as (
    select c.oid, a.attnum from pg_class c join pg_namespace n on n.oid = c.relnamespace join pg_attribute a on a.attrelid = c.oid
    where n.nspname = $1::text and c.relname = $2::text and a.attname = $3::text)
  select 'check' as kind, con.conname::text as name, pg_get_constraintdef(con.oid) as definition
    from place join pg_constraint con on con.conrelid = place.oid and con.contype = 'c' and place.attnum = any (con.conkey)
  union all
  select 'formula', a.attname::text, pg_get_expr(d.adbin, d.adrelid)
    from place join pg_attribute a on a.attrelid = place.oid and a.attgenerated <> '' join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
    where exists (select from pg_depend dep where dep.refobjid = place.oid and dep.refobjsubid = place.attnum
      and ((dep.classid = 'pg_attrdef'::regclass and dep.objid = d.oid) or (dep.classid = 'pg_class'::regclass and dep.objid = place.oid and dep.objsubid = a.attnum)))
  union all
  select 'index', i.indexrelid::regclass::text, pg_get_indexdef(i.indexrelid)
    from place join pg_index i on i.indrelid = place.oid and (i.indpred is not null or i.indexprs is not null)
  order by kind, name`
