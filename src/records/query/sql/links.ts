import { equal, jsonAt, textAt } from '../../../db/search-path'
import { identifier, qualifiedName } from '../../../tables/ddl'
import type { Column, Table } from '../../../tables/model'
import { comparedType } from '../type-families'
import { columnText } from './fields'
import { finish, type Statement, startStatement } from './statement'

/** The keys that one record is to link to: `own` are the parts of its own key. */
export type LinkSet = { own: string[]; targets: (string | number)[] }

/** What `own` and `targets` are in the rows of the sets, typed. */
function linkTypes(table: Table, column: Column) {
  const { ownColumns, targetColumns, ...join } = column.joinTable!
  const own = ownColumns.map((name, index) => {
    const { comparedAs } = table.columns.find((candidate) => candidate.name === table.primaryKey[index])!
    return { name, value: `(e.item ${jsonAt} 'own' ${textAt} ${index})::${comparedType(comparedAs)}` }
  })
  return { join, own, target: { name: targetColumns[0]!, type: column.sqlType.replace(/\[\]$/, '') } }
}

/** Takes away the links that a record has and its set has not. */
export function unlinkStatement(table: Table, column: Column, sets: LinkSet[]): Statement {
  const writer = startStatement()
  const { join, own, target } = linkTypes(table, column)
  const items = `pg_catalog.jsonb_array_elements(${writer.parameter(JSON.stringify(sets), 'jsonb')}) e (item)`
  const isOwn = own.map(({ name, value }) => `${columnText('j', name)} ${equal} ${value}`).join(' and ')
  const isKept = `exists (select from pg_catalog.jsonb_array_elements_text(e.item ${jsonAt} 'targets') v where v.value::${target.type} ${equal} ${columnText('j', target.name)})`
  return finish(writer, `delete from ${qualifiedName(join)} j using ${items} where ${isOwn} and not ${isKept}`)
}

export function linkStatement(table: Table, column: Column, sets: LinkSet[]): Statement {
  const writer = startStatement()
  const { join, own, target } = linkTypes(table, column)
  const items = `pg_catalog.jsonb_array_elements(${writer.parameter(JSON.stringify(sets), 'jsonb')}) e (item), pg_catalog.jsonb_array_elements_text(e.item ${jsonAt} 'targets') v`
  const columns = [...own.map(({ name }) => identifier(name)), identifier(target.name)].join(', ')
  const values = [...own.map(({ value }) => value), `v.value::${target.type}`].join(', ')
  return finish(writer, `insert into ${qualifiedName(join)} (${columns}) select ${values} from ${items} on conflict do nothing`)
}
