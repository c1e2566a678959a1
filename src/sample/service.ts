import { insertRows } from '../records/store/writes/row-writes'
import type { Tables } from '../tables/catalog/catalog'
import { readTableInTransaction } from '../tables/catalog/table-in-transaction'
import { type Definitions, withSchemaLock } from '../tables/definitions/schema-lock'
import { createTableInTransaction, getTableById } from '../tables/definitions/service'
import type { Column, Table } from '../tables/model'
import { sampleTables } from './content'
import { pictureTexts } from './pictures.macro' with { type: 'macro' }

/** Puts a file into a cell; passed in from above, because attachments rank above records. */
export type StoreFile = (
  cell: { table: Table; key: readonly string[]; column: Column },
  name: string,
  bytes: Uint8Array,
  userId: string,
) => Promise<unknown>

/**
 * Creates the sample's tables with their records, all of them or none.
 * @throws Failure conflict if one of the names is taken, unavailable
 */
export async function createSample(definitions: Definitions, userId: string): Promise<{ tables: Table[]; records: number }> {
  const ids = await withSchemaLock(definitions, async ({ query, tables }) => {
    let existing = tables
    const made: string[] = []
    for (const { table: input, records } of sampleTables) {
      made.push(await createTableInTransaction(query, existing, input))
      const table = await readTableInTransaction(query, 'data', input.name)
      existing = withTable(existing, table)
      const names = [...new Set(records.flatMap((record) => Object.keys(record)))]
      const json = JSON.stringify(records)
      await insertRows(query, { table, names, isDefaultForMissing: true, userId, returning: {}, json })
    }
    return made
  })
  const tables = await Promise.all(ids.map((id) => getTableById(definitions, id)))
  return { tables, records: sampleTables.reduce((sum, { records }) => sum + records.length, 0) }
}

const pictureTextOf: Record<string, string> = pictureTexts()

/** One after another. @param made the tables in the order of the sample @throws Failure insufficient_storage … */
export async function addPictures(store: StoreFile, made: readonly Table[], userId: string): Promise<void> {
  for (const [index, { records, pictures }] of sampleTables.entries()) {
    const table = made[index]!
    const column = table.columns.find(({ name }) => name === pictures?.column)
    if (!column || !pictures) continue
    for (const index of records.keys()) {
      const name = pictures.nameOf(index)
      await store({ table, key: [String(index + 1)], column }, name, Buffer.from(pictureTextOf[name]!, 'base64'), userId)
    }
  }
}

/** The next table may link to this one. */
const withTable = (tables: Tables, table: Table): Tables => ({
  ...tables,
  list: [...tables.list, table],
  byId: new Map([...tables.byId, [table.id, table]]),
  byName: new Map([...tables.byName, [table.name, table]]),
  byQualifiedName: new Map([...tables.byQualifiedName, [`${table.schema}.${table.name}`, table]]),
})
