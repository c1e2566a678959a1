import { equal, jsonAt, textAt } from '../../../db/search-path'
import { maxShownLinks } from '../../../tables/column-types/links'
import { identifier, qualifiedName } from '../../../tables/ddl'
import type { Column, Table } from '../../../tables/model'
import { comparedType } from '../../../tables/sql-types'
import { columnText } from './fields'
import { ruleText } from './rules'
import { finish, type Statement, type StatementWriter, startStatement } from './statement'

/** The keys that one record should link to: `own` holds the parts of its own key. */
export type LinkSet = { own: string[]; targets: (string | number)[] }

/** The types of `own` and `targets` in the rows of the sets. */
function linkTypes(table: Table, column: Column) {
  const { ownColumns, targetColumns, schema, name: joinName } = column.joinTable!
  const join = { schema, name: joinName }
  const own = ownColumns.map((name, index) => {
    const { comparedAs } = table.columns.find((candidate) => candidate.name === table.primaryKey[index])!
    return { name, value: `(e.item ${jsonAt} 'own' ${textAt} ${index})::${comparedType(comparedAs)}` }
  })
  return { join, own, target: { name: targetColumns[0]!, type: column.sqlType.replace(/\[\]$/, '') } }
}

/** Removes the links of a record that its set lacks. @param userId the author in changed records that link back */
export function unlinkStatement(table: Table, column: Column, sets: LinkSet[], userId: string | null): Statement {
  const writer = startStatement()
  const { join, own, target } = linkTypes(table, column)
  const items = `pg_catalog.jsonb_array_elements(${writer.parameter(JSON.stringify(sets), 'jsonb')}) e (item)`
  const isOwn = own.map(({ name, value }) => `${columnText('j', name)} ${equal} ${value}`).join(' and ')
  const isLinkable = ruleText(writer, column.joinTable!.linkable ?? 'all', 'j')
  // Links to records that the caller cannot see stay.
  const isRemoved = isLinkable === null ? '' : ` and ${isLinkable}`
  const isKept = `exists (select from pg_catalog.jsonb_array_elements_text(e.item ${jsonAt} 'targets') v where v.value::${target.type} ${equal} ${columnText('j', target.name)})`
  if (!column.joinTable!.isTarget)
    return finish(writer, `delete from ${qualifiedName(join)} j using ${items} where ${isOwn} and not ${isKept}${isRemoved}`)
  const change = linkBack(writer, column, 'null', userId)
  return finish(writer, `update ${qualifiedName(join)} j set ${change} from ${items} where ${isOwn} and not ${isKept}${isRemoved}`)
}

export function linkStatement(table: Table, column: Column, sets: LinkSet[], userId: string | null): Statement {
  const writer = startStatement()
  const { join, own, target } = linkTypes(table, column)
  const items = `pg_catalog.jsonb_array_elements(${writer.parameter(JSON.stringify(sets), 'jsonb')}) e (item), pg_catalog.jsonb_array_elements_text(e.item ${jsonAt} 'targets') v`
  const columns = [...own.map(({ name }) => identifier(name)), identifier(target.name)].join(', ')
  if (column.joinTable!.isTarget) {
    const link = own[0]!
    // "is distinct from" would find its operator by the search path.
    const isOther = `(${columnText('j', link.name)} ${equal} ${link.value}) is not true`
    const isTarget = `${columnText('j', target.name)} ${equal} v.value::${target.type}`
    const change = linkBack(writer, column, link.value, userId)
    return finish(writer, `update ${qualifiedName(join)} j set ${change} from ${items} where ${isTarget} and ${isOther}`)
  }
  const values = [...own.map(({ value }) => value), `v.value::${target.type}`].join(', ')
  return finish(writer, `insert into ${qualifiedName(join)} (${columns}) select ${values} from ${items} on conflict do nothing`)
}

/** The assignments of an update of a record that links back. */
function linkBack(writer: StatementWriter, { joinTable }: Column, value: string, userId: string | null): string {
  const { ownColumns, authorColumns = [] } = joinTable!
  const authors = authorColumns.map((name) => `${identifier(name)} = ${writer.parameter(userId, 'uuid')}`)
  return [`${identifier(ownColumns[0]!)} = ${value}`, ...authors].join(', ')
}

/** One row, `missing`, if a target is not a record that the caller may link to. */
export function missingTargetStatement(table: Table, column: Column, sets: LinkSet[]): Statement {
  const writer = startStatement()
  const { join, target } = linkTypes(table, column)
  const items = `pg_catalog.jsonb_array_elements(${writer.parameter(JSON.stringify(sets), 'jsonb')}) e (item), pg_catalog.jsonb_array_elements_text(e.item ${jsonAt} 'targets') v`
  const rule = ruleText(writer, column.joinTable!.linkable ?? 'all', 'j')
  const isLinkable = rule === null ? '' : ` and ${rule}`
  // For a join table, the rule uses only the key, because the row does not exist yet.
  const rows = column.joinTable!.isTarget ? qualifiedName(join) : `(select v.value::${target.type} as ${identifier(target.name)})`
  const isThere = `exists (select from ${rows} j where ${columnText('j', target.name)} ${equal} v.value::${target.type}${isLinkable})`
  return finish(writer, `select true as missing from ${items} where not ${isThere} limit 1`)
}

/** One row, `crowded`, if a record has more links than are shown. */
export function crowdedSetStatement(table: Table, column: Column, sets: LinkSet[]): Statement {
  const writer = startStatement()
  const { join, own } = linkTypes(table, column)
  const items = `pg_catalog.jsonb_array_elements(${writer.parameter(JSON.stringify(sets), 'jsonb')}) e (item)`
  const isOwn = own.map(({ name, value }) => `${columnText('j', name)} ${equal} ${value}`).join(' and ')
  return finish(
    writer,
    `select true as crowded from ${items} where exists (select from ${qualifiedName(join)} j where ${isOwn} offset ${maxShownLinks}) limit 1`,
  )
}
