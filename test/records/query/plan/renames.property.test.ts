import { beforeAll, expect, test } from 'bun:test'
import fc from 'fast-check'
import { Failure } from '../../../../src/errors'
import { planRead } from '../../../../src/records/query/plan/read'
import { renamedQuery } from '../../../../src/records/query/plan/renames'
import { pageStatement } from '../../../../src/records/query/sql/read'
import type { RecordQuery } from '../../../../src/records/query/tree'
import { indexTables, type Tables } from '../../../../src/tables/catalog/catalog'
import type { Table } from '../../../../src/tables/model'
import { startApp } from '../../../support/app'
import { recordQuery } from '../../../support/arbitrary-query'
import { library } from '../../../support/library'
import { tables as names, queryOf } from '../../../support/library-query'

const app = await startApp({ ROWHOUSE_SCHEMAS: 'lib' })
await app.deps.db.sql.unsafe(library)
let [before, after] = [] as unknown as [Tables, Tables]
beforeAll(async () => {
  before = await app.deps.catalog.refresh()
  after = indexTables({ ...before, list: before.list.map(renamedTable) })
})

const suffix = '_renamed'
const rename = (name: string) => name + suffix

/** As the catalogue has it after every table and every column has got another name; constraints keep theirs. */
const renamedTable = (table: Table): Table => ({
  ...table,
  name: rename(table.name),
  primaryKey: table.primaryKey.map(rename),
  uniqueKeys: table.uniqueKeys.map((key) => key.map(rename)),
  foreignKeys: table.foreignKeys.map((key) => ({
    ...key,
    columns: key.columns.map(rename),
    target: { ...key.target, name: rename(key.target.name) },
    targetColumns: key.targetColumns.map(rename),
  })),
  columns: table.columns.map((column) => ({ ...column, name: rename(column.name) })),
})

const anyTable = fc.constantFrom(...names)
const anyQuery = anyTable.chain((name) => fc.tuple(fc.constant(name), fc.oneof({ weight: 9, arbitrary: queryOf(name) }, recordQuery)))

function statementFor(tables: Tables, table: Table, query: RecordQuery) {
  try {
    return pageStatement(planRead(tables, table, { limit: 20, ...query }))
  } catch (error) {
    if (error instanceof Failure) return null
    throw error
  }
}

test('a query says the same, and stays as it is, where no name has changed', () => {
  const property = fc.property(anyQuery, ([name, query]) => {
    const table = before.byName.get(name)!
    if (statementFor(before, table, query)) expect(renamedQuery({ before, after: before }, table.id, query)).toEqual(query)
  })
  fc.assert(property, { numRuns: 1500 })
})

test('a query becomes the same statement with the other names', () => {
  let count = 0
  const property = fc.property(anyQuery, ([name, query]) => {
    const table = before.byName.get(name)!
    const statement = statementFor(before, table, query)
    if (!statement) return
    const renamed = renamedQuery({ before, after }, table.id, query)
    const other = renamed && statementFor(after, after.byId.get(table.id)!, renamed)
    expect(other?.text.replaceAll(suffix, '')).toBe(statement.text)
    expect(other?.parameters).toEqual(statement.parameters)
    count++
  })
  fc.assert(property, { numRuns: 1500 })
  // Of no use if nearly all were refused.
  expect(count).toBeGreaterThan(150)
})
