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
