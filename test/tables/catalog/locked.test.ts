import { expect, test } from 'bun:test'
import { narrowTables } from '../../../src/access/narrow-tables'
import { createCatalog } from '../../../src/tables/catalog/catalog'
import { json, startApp } from '../../support/app'

const app = await startApp({ ROWHOUSE_SCHEMAS: 'crm' })
const { db } = app.deps

test('a table that is locked while an instance starts is 503 until it can be looked at, and not unknown', async () => {
  await db.sql.unsafe(
    'create schema crm; create table crm.people (id int primary key); insert into crm.people values (1); create table crm.others (id int)',
  )
  // What an instance that has just started knows.
  const { locked } = await db.sql.begin(async (tx) => {
    await tx.unsafe('lock table crm.people in access exclusive mode')
    Object.assign(app.deps.catalog, createCatalog(db, ['crm'], narrowTables))
    const asked = ['/api/v1/tables/crm.people', '/api/v1/tables/people/records', '/api/v1/tables/people/records/1']
    const answers = await Promise.all([
      ...asked.map((path) => app.call(path, { as: 'viewer' })),
      app.call('/rest/v1/people', { as: 'viewer', headers: { 'accept-profile': 'crm' } }),
    ])
    expect(answers.map(({ status }) => status)).toEqual([503, 503, 503, 503])
    for (const answer of answers) expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await app.call('/api/v1/tables/crm.others', { as: 'viewer' })).status).toBe(200)
    expect((await app.call('/api/v1/tables/crm.nobody', { as: 'viewer' })).status).toBe(404)
    return { locked: answers.length }
  })
  expect(locked).toBe(4)
  await app.deps.catalog.refresh()
  expect(await json(app.call('/api/v1/tables/people/records/1', { as: 'viewer' }))).toEqual({ id: 1 })
})
