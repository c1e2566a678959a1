import { equal, touchingRows } from '../../../db/search-path'
import type { Tables } from '../../catalog/catalog'
import { columnTypes } from '../../column-types'
import { rulesOf } from '../../constraints'
import { addColumnStatements, type ColumnDescription, dropColumnStatements } from '../../ddl'
import type { Column, Table } from '../../model'
import { linkedRecordName } from '../../record-name'
import { identifier, qualifiedName } from '../../sql-text'
import { keyOfName, type LookupRun, type NameLookup, nameProblem, namesIn } from './linked-names'

/** The conversion of a column to or from a list of links. A join table holds the links of a list. */
export type ListConversion = {
  /**
   * SQL of every record: its `place` (ctid), its key as `key_0` …, `words` (the value as text), and `value`. The value
   * is lost if `isLost` is true, or has the problem of that number.
   */
  values: string
  isLost?: string
  problem?: string
  statements: string[]
}

const keysOf = (table: Table) => table.primaryKey.map((name, index) => `t.${identifier(name)} as key_${index}`).join(', ')

const links = 'pg_temp.rowhouse_links'

/** Finds the links under PostgreSQL's own search path, and writes them under the role's, as the triggers expect. */
function toListStatements(table: Table, before: Column, after: ColumnDescription, found: string): string[] {
  const { ownColumns, targetColumns } = after.joinTable!
  const columns = [...ownColumns, ...targetColumns].map(identifier).join(', ')
  return [
    `create temporary table ${links.replace('pg_temp.', '')} on commit drop as ${found}`,
    ...addColumnStatements(table, after),
    ...touchingRows(`insert into ${qualifiedName(after.joinTable!)} (${columns}) select * from ${links}`),
    ...dropColumnStatements(table, before),
  ]
}

/** Converts texts, each a name or a list of names. */
export function namesToList(table: Table, before: Column, after: ColumnDescription, lookup: NameLookup, run: LookupRun): ListConversion {
  const text = columnTypes[before.type].conversion!.toText(`t.${identifier(before.name)}`)
  const from = `from ${qualifiedName(table)} t`
  const keys = keysOf(table)
  const parts = (words: string) => `${namesIn(lookup, words)} where btrim(part) <> ''`
  return {
    values: `select t.ctid as place, ${keys}, ${text} as words, null as value ${from}`,
    problem: `(select min(problem) from (select ${nameProblem(lookup, run, 'part')} as problem from ${parts('words')}) problems)`,
    statements: toListStatements(
      table,
      before,
      after,
      `select distinct ${keys}, (${keyOfName('part')})::${lookup.key.sqlType} as target ${from}, ${parts(text)} and ${keyOfName('part')} is not null`,
    ),
  }
}

/** A single link becomes a list of one. */
export function linkToList(table: Table, before: Column, after: ColumnDescription): ListConversion {
  const [from, value] = [`from ${qualifiedName(table)} t`, `t.${identifier(before.name)}`]
  return {
    values: `select t.ctid as place, ${keysOf(table)}, ${value}::text as words, ${value} as value ${from}`,
    statements: toListStatements(table, before, after, `select ${keysOf(table)}, ${value} as target ${from} where ${value} is not null`),
  }
}

/** A list becomes the names with commas between them, or its only link. */
export function fromList(table: Table, before: Column, after: ColumnDescription, tables: Tables): ListConversion {
  const { ownColumns, targetColumns, targetTableId } = before.joinTable!
  const target = `j.${identifier(targetColumns[0]!)}`
  const named = tables.byId.get(targetTableId)
  const name = (named && linkedRecordName(named)) ?? ((key: string) => `${key}::text`)
  const linksOf = (own: string[]) =>
    `from ${qualifiedName(before.joinTable!)} j where ${ownColumns.map((column, index) => `j.${identifier(column)} ${equal} ${own[index]}`).join(' and ')}`
  const words = (own: string[]) => `(select string_agg(${name(target)}, ', ' order by ${target}) ${linksOf(own)})`
  const only = (own: string[]) => `(select case when count(*) = 1 then (array_agg(${target}))[1] end ${linksOf(own)})`
  const value = after.type === 'link' ? only : words
  // Values that do not fit have already been refused, or become null.
  const rules = rulesOf(after, 'found').map(({ condition }) => `(${condition})`)
  const fitting = (found: string) =>
    rules.length ? `select case when ${rules.join(' and ')} then found end from (select ${found} as found offset 0) texts` : found
  const own = table.primaryKey.map((column) => `t.${identifier(column)}`)
  const types = table.primaryKey.map((column) => table.columns.find(({ name: its }) => its === column)!.sqlType)
  const column = `alter table ${qualifiedName(table)} alter column ${identifier(after.name)}`
  return {
    values: `select t.ctid as place, ${keysOf(table)}, ${words(own)} as words, ${value(own)} as value from ${qualifiedName(table)} t offset 0`,
    isLost: 'words is not null and value is null',
    statements: [
      ...addColumnStatements(table, { ...after, required: false }),
      `create function rowhouse.converted(${types.join(', ')}) returns ${after.sqlType} language sql return (${fitting(value(types.map((_, index) => `$${index + 1}`)))})`,
      ...touchingRows(`${column} type ${after.sqlType} using (rowhouse.converted(${table.primaryKey.map(identifier).join(', ')}))`),
      'drop function rowhouse.converted',
      ...(after.required ? [`${column} set not null`] : []),
      ...dropColumnStatements(table, before),
    ],
  }
}
