import { afterAll, expect, test } from 'bun:test'
import type { TableOfBackup } from '../../src/backup/archive/manifest'
import { listTablesOfBackup } from '../../src/backup/source/table-list'
import { restoreTable } from '../../src/backup/table/restore-table'
import { connectDirectly } from '../../src/db/pool/open'
import { startApp } from '../support/app'
import { forgedBackup, manifestText } from '../support/archives'
import { rejection } from '../support/rejection'

const app = await startApp()
const { deps, target } = app
const sql = connectDirectly(target, deps.config)
afterAll(() => sql.end())

const made = (tables: object[]) =>
  Promise.all(tables.map(async (body) => expect((await app.call('/api/v1/tables', { as: 'admin', body })).status).toBe(201)))
await made([{ name: 'tags', columns: [] }])
await made([{ name: 'my orders', columns: [{ name: 'tagged', type: 'manyLinks', options: { table: 'tags' } }] }])
await sql.unsafe('create table data.by_hand (id int primary key); create schema other; create view other.shown as select 1 as one')
const tables = (await listTablesOfBackup(sql, ['other', 'missing']))!

test('a backup lists the tables of the served schemas, with the ids of those that Rowhouse made', () => {
  const named = (name: string) => tables.filter((table) => table.name === name)
  const id = expect.stringMatching(/^[0-9a-f-]{36}$/) as unknown as string
  expect(named('my orders')).toEqual([{ schema: 'data', name: 'my orders', id }])
  expect([...named('by_hand'), ...named('shown')]).toEqual([
    { schema: 'data', name: 'by_hand', id: null },
    { schema: 'other', name: 'shown', id: null },
  ])
  expect(tables.filter((table) => table.id !== null).map(({ name }) => name)).toEqual(['my orders', 'tags'])
})

/** What `restore --table` says of a backup that has nothing but its manifest, and the steps that it began. */
async function refusal(table: string, listed: TableOfBackup[] | undefined, isRecovered = false) {
  const bytes = await forgedBackup([], manifestText({ tables: listed }))
  const steps: string[] = []
  const error = await rejection(
    restoreTable({
      ...{ deps, target, table, as: 'again', passphrase: undefined, size: bytes.length, signal: new AbortController().signal },
      open: async function* () {
        yield bytes
      },
      progress: { begin: (step) => void steps.push(step), add: () => {} },
      recovery: isRecovered ? { place: '/nowhere', target: 'latest' } : undefined,
    }),
  )
  return { message: (error as Error).message, steps }
}

test('a table that the manifest does not list is refused before anything is unpacked', async () => {
  expect(await refusal('my oders', tables)).toEqual({
    message: 'The backup has no table "my oders". It has my orders, tags. Did you mean "my orders"?',
    steps: [],
  })
  for (const foreign of ['by_hand', 'data.by_hand', 'other.shown'])
    expect(await refusal(foreign, tables)).toEqual({ message: expect.stringContaining(`Rowhouse did not make "${foreign}"`), steps: [] })
  expect((await refusal('tags', [])).message).toContain('It has none.')
})

test('is looked for in the database where the manifest does not know it', async () => {
  const { id } = tables.find(({ name }) => name === 'tags')!
  for (const reference of ['tags', 'data.tags', id!, id!.toUpperCase()])
    expect((await refusal(reference, tables)).steps).toEqual(['Unpacking'])
  // Older backups have no list, and the log may make a table.
  expect((await refusal('nothing', undefined)).steps).toEqual(['Unpacking'])
  expect((await refusal('nothing', tables, true)).steps).toEqual(['Unpacking'])
})
