import { concat } from '../../../db/search-path'
import { readsOtherRows } from '../../../tables/computed-value'
import { literal } from '../../../tables/ddl'
import type { Table } from '../../../tables/model'
import { allColumns } from '../plan/outputs'
import type { PlannedOutput } from '../plan/types'
import { keyTexts } from './fields'
import { outputList } from './level'
import type { StatementWriter } from './statement'

/** A record as PostgreSQL writes it: its bytes go to the socket unparsed. */
export const recordText = (writer: StatementWriter, alias: string, outputs: PlannedOutput[]): string =>
  // `r.*`, since a column may also be named r.
  `(select pg_catalog.row_to_json(r.*) from (select ${outputList(writer, alias, outputs)}) r)`

/**
 * The version of a row and of its columns: `797-0.12-5be1a4f09c3d`. One transaction may write a row several times, with
 * a different location (`ctid`) each time; renaming, adding or dropping a column rewrites no row.
 */
const rowVersionText = (alias: string, { columnsHash }: Table): string =>
  `(${alias}.xmin::text ${concat} pg_catalog.translate(${alias}.ctid::text, '(,)', '-.') ${concat} ${literal(`-${columnsHash}`)})`

const hashText = (text: string): string => `pg_catalog.encode(pg_catalog.sha256(pg_catalog.convert_to(${text}, 'UTF8')), 'hex')`

/**
 * The source of the ETag of a record without embeddings: the row's version, and a hash of the record if the version is
 * not enough or missing. Links to many are stored in a join table, access rules may depend on other tables, and
 * computed values come from other tables, so the row's version does not change with them. A statement that waited for
 * another writer sees these as of its start and the row as of now, so the hash includes the row's version.
 */
export function versionText(writer: StatementWriter, alias: string, table: Table): string {
  const record = () => `${recordText(writer, alias, allColumns(table).filter(isVersioned))}::text`
  if (!table.hasRowVersion) return hashText(record())
  const version = rowVersionText(alias, table)
  const isMoreThanRow = table.columns.some((column) => (readsOtherRows(column) && !column.computed?.isTimed) || column.access?.visibleIn)
  return isMoreThanRow ? hashText(`${record()} ${concat} ' ' ${concat} ${version}`) : version
}

/** A version must not change with time alone: `If-Match` would fail although the record has not changed. */
const isVersioned = ({ value }: PlannedOutput): boolean => value?.kind !== 'field' || !value.field.column.computed?.isTimed

/** The key's parts as text, in a JSON array. */
export const keyJson = (alias: string, table: Table): string => `pg_catalog.json_build_array(${keyTexts(alias, table).join(', ')})::text`
