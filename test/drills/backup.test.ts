import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { ask, backUp, openFolder, restoreFrom } from '../support/backups'
import { call, newFolder, startService } from '../support/executable'
import { newestMigration, undoNewestMigration } from '../support/last-migration'
import { startUsed } from '../support/used-data'

test('a backup of an older version is restored, and its database brought up to date by the start', async () => {
  const service = await startUsed()
  const { dataDir, token } = service
  // As the release before the last migration had it.
  const last = { name: newestMigration, undo: undoNewestMigration }
  const [found] = await ask<{ name: string }>(service, 'select name from rowhouse.migrations order by position desc limit 1')
  expect(found).toEqual({ name: last.name })
  await ask(service, `begin; ${last.undo}; delete from rowhouse.migrations where name = '${last.name}'; commit`)
  const file = join(openFolder(), 'older')
  expect((await backUp(dataDir, file)).code).toBe(0)
  await service.stop()
  const restored = join(newFolder(), 'data')
  expect((await restoreFrom(file, restored)).code).toBe(0)
  await using again = await startService({ dataDir: restored })
  expect((await call(`${again.url}/api/v1/tables/items/records`, { token, body: { number: 1 } })).status).toBe(201)
  expect(await ask(again, `select name from rowhouse.migrations where name = '${last.name}'`)).toEqual([{ name: last.name }])
}, 600_000)

test('a GIN index is checked, too: whole ones pass, and one in another order is named', async () => {
  await using service = await startUsed()
  const { dataDir } = service
  await ask(
    service,
    `create function data.compared(text, text) returns int immutable strict language sql return bttextcmp($1, $2);
    create operator class data.words for type text[] using gin as operator 1 &&(anyarray, anyarray),
      function 1 data.compared(text, text), function 2 ginarrayextract(anyarray, internal),
      function 3 ginqueryarrayextract(anyarray, internal, smallint, internal, internal, internal, internal),
      function 4 ginarrayconsistent(internal, smallint, anyarray, integer, internal, internal, internal, internal), storage text;
    create table data.listed as select array[(n % 50)::text, 'all'] as words from generate_series(1, 20000) n;
    create index listed_plain on data.listed using gin (words);
    create index listed_words on data.listed using gin (words data.words)`,
  )
  const folder = openFolder()
  expect(await backUp(dataDir, join(folder, 'whole'))).toMatchObject({ code: 0 })
  await ask(
    service,
    'create or replace function data.compared(text, text) returns int immutable strict language sql return bttextcmp($2, $1)',
  )
  const { code, stderr } = await backUp(dataDir, join(folder, 'other'))
  expect([code, stderr]).toEqual([3, expect.stringMatching(/The index data\.listed_words is damaged: /)])
}, 600_000)
