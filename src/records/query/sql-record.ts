import type { Table } from '../../tables/model'
import { allColumns } from './plan-outputs'
import type { Output } from './planned'
import { keyTexts } from './sql-fields'
import { outputList } from './sql-level'
import type { Writer } from './statement'

/** A record as PostgreSQL writes it: its bytes go to the socket unparsed. */
export const recordText = (writer: Writer, alias: string, outputs: Output[]): string =>
  // `r.*`, since a column may be named r, too.
  `(select row_to_json(r.*) from (select ${outputList(writer, alias, outputs)}) r)`

/** Whether a row's own version says that its record has changed: keys in a join table are none of the row's. */
const hasRowVersion = (table: Table): boolean => table.hasRowVersion && table.columns.every(({ joinTable }) => joinTable === undefined)

/** What an ETag of a bare record is made of: the row version, or where there is none a hash of the record. */
export const versionText = (writer: Writer, alias: string, table: Table): string =>
  hasRowVersion(table)
    ? `${alias}.xmin::text`
    : `encode(sha256(convert_to(${recordText(writer, alias, allColumns(table))}::text, 'UTF8')), 'hex')`

/** The key's parts as text, in a JSON array. */
export const keyJson = (alias: string, table: Table): string => `json_build_array(${keyTexts(alias, table).join(', ')})::text`
