import { concat } from '../../db/search-path'
import { isStoredColumn } from '../computed-value'
import type { Column, Table } from '../model'
import { identifier } from '../sql-text'

/** The names of search indexes. The rest of a name identifies the columns, and stays if they are renamed. */
const namePrefix = 'search_'
export const searchIndexNames = new RegExp(`^${namePrefix}[0-9a-f]{32}$`)

/** A change of this number gives the indexes other names, so that they are rebuilt. */
const indexVersion = 1

/** The values of these types have the same text in every session. `rowhouse.search_text` converts other types. */
const plainTypes = ['text', 'character varying', 'smallint', 'integer', 'bigint', 'numeric', 'uuid', 'time without time zone']
const typesOfFunction = [...['date', 'timestamp without time zone', 'timestamp with time zone'], ...['double precision', 'real', 'text[]']]

/** Users are found by their names. */
const userTypes: Column['type'][] = ['user', 'createdBy', 'updatedBy']

/** Whether the values of a column can be in the index. */
export const isSearchText = ({ type, comparedAs, joinTable, computed }: Column): boolean =>
  isStoredColumn({ joinTable, computed }) &&
  !userTypes.includes(type) &&
  (plainTypes.includes(comparedAs) || typesOfFunction.includes(comparedAs))

/** The columns in an order that does not change with their positions. */
const indexedColumns = ({ columns }: Pick<Table, 'columns'>): Column[] =>
  columns.filter(isSearchText).sort((one, other) => (one.id < other.id ? -1 : 1))

export function searchIndexName(table: Pick<Table, 'id' | 'columns'>): string {
  const parts = indexedColumns(table).map(({ id, comparedAs }) => [id, comparedAs])
  const identity = JSON.stringify([indexVersion, table.id, parts])
  return namePrefix + new Bun.CryptoHasher('sha256').update(identity).digest('hex').slice(0, 32)
}

/**
 * The trigrams of the folded text of a record: SQL that is the same in the index and in the search. With an index on
 * the text itself, PostgreSQL would have to fold the text of each candidate again.
 * @param trigramSchema the schema of the extension `pg_trgm`
 */
export function searchTrigrams(table: Pick<Table, 'columns'>, trigramSchema: string): string {
  const columns = indexedColumns(table)
  // Only texts can have accents, and folding them takes most of the time.
  const parts = [columns.filter(isFolded), columns.filter((column) => !isFolded(column))].filter((part) => part.length > 0)
  const text = parts.map(foldedText).join(lineBreak) || "''"
  // In the collation of the database, PostgreSQL compares trigrams much more slowly.
  return `(${identifier(trigramSchema)}.show_trgm(${text}) collate pg_catalog."C")`
}

const isFolded = ({ comparedAs }: Column): boolean => ['text', 'character varying', 'text[]'].includes(comparedAs)

const lineBreak = ` ${concat} E'\\n' ${concat} `

/** Columns may have different collations. */
function foldedText(columns: readonly Column[]): string {
  const values = columns.map(({ name, comparedAs }) => {
    const value = plainTypes.includes(comparedAs) ? `${identifier(name)}::text` : `rowhouse.search_text(${identifier(name)})`
    return `coalesce(${value}, '')`
  })
  return `rowhouse.folded((${values.join(lineBreak)}) collate pg_catalog."C")`
}
