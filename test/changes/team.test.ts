import { afterAll, expect, test } from 'bun:test'
import { maintainLog } from '../../src/changes/maintenance'
import { applyMigrations } from '../../src/commands/bootstrap'
import { readConfig } from '../../src/ops/settings/config'
import { readUri } from '../../src/ops/settings/connection-uri'
import { json, startApp } from '../support/app'
import { newFolder } from '../support/executable'
import { expectProblem } from '../support/problem'
import { startTeamPostgres } from '../support/team-postgres'

/** A team's PostgreSQL 15, and a role that owns its schemas and is no superuser. */
const team = await startTeamPostgres()
const target = { uri: readUri(await team.createDatabase('team')) }
await applyMigrations(target, readConfig({ HOST: '127.0.0.1', PORT: '0', ROWHOUSE_DATA_DIR: newFolder() }))
const app = await startApp({ DATABASE_PREPARE: '0' }, { target })
const owner = team.connect('team')
afterAll(() => team[Symbol.asyncDispose]())

const makeTable = (name: string) => app.call('/api/v1/tables', { as: 'admin', body: { name, columns: [{ name: 'name', type: 'text' }] } })

test('tables are made, logged and undone in the oldest PostgreSQL, without prepared statements', async () => {
  expect((await makeTable('first')).status).toBe(201)
  const names = Array.from({ length: 20 }, (_, n) => `n${n}`)
  const write = (name: string) =>
    app.call('/api/v1/tables/first/records', { as: 'editor', body: { name }, headers: { 'x-request-id': name } })
  expect((await Promise.all(names.map(write))).map(({ status }) => status)).toEqual(names.map(() => 201))
  const entries = await owner<
    { request_id: string; name: string }[]
  >`select request_id, new_values ->> 'name' as name from rowhouse.changes`
  expect(entries).toHaveLength(20)
  expect(entries.filter(({ request_id, name }) => request_id !== name)).toEqual([])
  const undone = await json(app.call('/api/v1/changes/n7/undo', { as: 'editor', method: 'POST' }))
  expect(undone).toMatchObject({ deleted: 1 })
})

test('a logged table of another owner keeps nobody from changing tables, whatever its owner does', async () => {
  await owner.unsafe(`create table data.theirs (id int primary key, name text); grant select, insert, update, delete on data.theirs to app`)
  await app.deps.catalog.refresh()
  const log = (logged: boolean) => app.call('/api/v1/tables/theirs/history', { as: 'admin', method: 'PUT', body: { logged } })
  await expectProblem(await log(true), 403, 'forbidden')
  await owner.unsafe('grant trigger on data.theirs to app')
  expect((await log(true)).status).toBe(204)
  await owner.unsafe('alter table data.theirs rename id to key')
  expect((await makeTable('second')).status).toBe(201)
  await owner.unsafe(`insert into data.theirs values (1, 'x')`)
  const [entry] = await owner`select key, new_values from rowhouse.changes order by id desc limit 1`
  expect(entry).toEqual({ key: '["1"]', new_values: { key: 1, name: 'x' } })
  // Its triggers are its owner's to take away.
  const { hint } = await expectProblem(await log(false), 403, 'forbidden')
  expect(hint).toContain('owner')
  await owner.unsafe('revoke trigger on data.theirs from app; alter table data.theirs drop constraint theirs_pkey')
  expect((await makeTable('third')).status).toBe(201)
  await maintainLog(app.deps)
  await owner.unsafe('alter table data.theirs owner to app')
  expect((await makeTable('fourth')).status).toBe(201)
  const triggers = await owner`select from pg_trigger where tgrelid = 'data.theirs'::regclass and not tgisinternal`
  expect(triggers).toHaveLength(0)
})
