import { arrayLiteral } from '../../../db/arrays'
import { equal, operator } from '../../../db/search-path'
import { operatorSchemaOf } from '../../../tables/catalog/links/linked-records'
import { searchIndexName, searchTrigrams } from '../../../tables/catalog/search-text'
import { identifier, qualifiedName } from '../../../tables/ddl'
import type { SearchCandidates } from '../plan/search-candidates'
import type { SearchedColumn } from '../plan/types'
import { columnText } from './fields'
import { finish, type Statement, startStatement } from './statement'

/** Keys may be long texts, and all of them are one parameter of the statement that reads the records. */
const maxKeyBytes = 4_000_000

/**
 * One row: `keys`, an array literal of the keys of all records that the search may find. It is null if there are more
 * than `most`, if they are too long, or without the index. The index may be dropped while the statement waits for a
 * lock: it would then be planned without the index, and fold every record. Access rules are left to the statement that
 * reads the records: it checks the search again.
 */
export function searchCandidatesStatement(candidates: SearchCandidates, most: number): Statement {
  const { table, key, indexed, search, trigramSchema } = candidates
  const writer = startStatement()
  const trigrams = searchTrigrams(table, trigramSchema)
  const index = qualifiedName({ schema: table.schema, name: searchIndexName(table) })
  const isIndexed = `exists (select from pg_catalog.pg_index i
    where i.indisvalid and i.indexrelid ${equal} pg_catalog.to_regclass(${writer.parameter(index, 'text')})::oid)`
  const limit = writer.parameter(String(most + 1), 'bigint')
  const isNamed = search.columns.some(({ as }) => namedWays.includes(as))
  const named = isNamed && 'text' in search.pattern ? writer.parameter(search.pattern.text, 'text') : ''
  const own = `select t.${identifier(key.name)} as key from ${qualifiedName(table)} t`
  const ways = [
    ...indexed.map(
      (list) => `${own} where ${isIndexed} and ${trigrams} ${operator('@>')} ${writer.parameter(arrayLiteral(list), 'text[]')}`,
    ),
    ...search.columns.flatMap((column) => otherWay(column, own, named) ?? []),
  ].map((way) => `(${way} limit ${limit})`)
  return finish(
    writer,
    `select case when ${isIndexed} and f.length ${operator('<')} ${limit} and pg_catalog.octet_length(f.keys) ${operator('<=')} ${maxKeyBytes}
        then f.keys end as keys
      from (select coalesce(pg_catalog.array_agg(c.key)::text, '{}') as keys, pg_catalog.count(*) as length
        from (${ways.join(' union all ')}) c where c.key is not null) f`,
  )
}

const namedWays: SearchedColumn['as'][] = ['user', 'link', 'links']

/** Finds records by the name of a linked record or a user. If no name matches, the table is not read. */
function otherWay(searched: SearchedColumn, own: string, named: string): string | null {
  const finds = (name: string) => `${name}::text ${operator('~')} ${named}`
  const value = columnText('t', searched.column.name)
  if (searched.as === 'user') return whereAny(own, value, 'u.id', `rowhouse.users u where ${finds('u.name')}`)
  if (searched.as === 'link')
    return whereAny(
      own,
      value,
      `n.${identifier(searched.key)}`,
      `${qualifiedName(searched.target)} n where ${finds(columnText('n', searched.name.name))}`,
    )
  if (searched.as !== 'links') return null
  const { target, name, column } = searched
  const { ownColumns, targetColumns } = column.joinTable!
  const targets = `${qualifiedName(target)} n where ${finds(columnText('n', name.name))}`
  const links = `select j.${identifier(ownColumns[0]!)} as key from ${qualifiedName(column.joinTable!)} j`
  const targetKey = target.primaryKey[0]!
  const equals = operator('=', operatorSchemaOf(target, targetKey))
  return whereAny(links, `j.${identifier(targetColumns[0]!)}`, `n.${identifier(targetKey)}`, targets, equals)
}

const whereAny = (rows: string, value: string, key: string, from: string, equals = equal): string =>
  `${rows} where ${value} ${equals} any(array(select ${key} from ${from})) and exists (select from ${from})`
