import { databaseFolder } from '../archive/names'

/** The entries of a logical copy, in the order in which they are written and read. */
export const beforeRowsName = `${databaseFolder}/before-rows.sql`
export const tablesName = `${databaseFolder}/tables.json`
/** The parts of a table: the table's number in the list of tables, and the number of the part. */
export const rowsFolder = `${databaseFolder}/rows`
export const sequencesName = `${databaseFolder}/sequences.sql`
export const checksumsName = `${databaseFolder}/checksums.json`
export const behindRowsName = `${databaseFolder}/behind-rows.sql`

export const rowsName = (table: number, part: number): string => `${rowsFolder}/${table}.${part}`

/** @returns null unless it is the name of an entry of rows */
export function readRowsName(name: string): { table: number; part: number } | null {
  if (!name.startsWith(`${rowsFolder}/`)) return null
  const [, table, part] = /^(\d{1,9})\.(\d{1,9})$/.exec(name.slice(rowsFolder.length + 1)) ?? []
  return table === undefined ? null : { table: Number(table), part: Number(part) }
}

/** Lines of JSON. */
export const toLines = (values: readonly object[]): string => values.map((value) => `${JSON.stringify(value)}\n`).join('')

export const fromLines = <Value>(text: string): Value[] =>
  text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Value)
