import type { Tables } from '../../tables/catalog'
import { changing, type Definitions } from '../../tables/changing'
import type { Table } from '../../tables/model'
import { makeTable, tableOf } from '../../tables/service'
import { tableWithin } from '../../tables/within'
import { insertRows } from '../row-writes'
import { sampleTables } from './content'

/**
 * The sample's tables with their records, all of them or none.
 * @throws Failure conflict when one of the names is taken, unavailable
 */
export async function makeSample(definitions: Definitions, userId: string): Promise<{ tables: Table[]; records: number }> {
  const ids = await changing(definitions, async ({ query, tables }) => {
    let known = tables
    const made: string[] = []
    for (const { table: input, records } of sampleTables) {
      made.push(await makeTable(query, known, input))
      const table = await tableWithin(query, 'data', input.name)
      known = withTable(known, table)
      const names = [...new Set(records.flatMap((record) => Object.keys(record)))]
      const json = JSON.stringify(records)
      await insertRows(query, { table, names, isDefaultForMissing: true, userId, returning: {}, bodies: records, json })
    }
    return made
  })
  const tables = await Promise.all(ids.map((id) => tableOf(definitions, id)))
  return { tables, records: sampleTables.reduce((sum, { records }) => sum + records.length, 0) }
}

/** The next table may link to this one. */
const withTable = (tables: Tables, table: Table): Tables => ({
  ...tables,
  list: [...tables.list, table],
  byId: new Map([...tables.byId, [table.id, table]]),
  byName: new Map([...tables.byName, [table.name, table]]),
  byQualifiedName: new Map([...tables.byQualifiedName, [`${table.schema}.${table.name}`, table]]),
})
