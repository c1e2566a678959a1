import { expect, test } from 'bun:test'
import { json, startApp } from '../../support/app'
import { expectProblem } from '../../support/problem'

const app = await startApp()

test('only an administrator makes the sample', async () => {
  await expectProblem(await app.call('/api/v1/sample-data', { as: 'editor', method: 'POST' }), 403, 'forbidden')
  await expectProblem(await app.call('/api/v1/sample-data', { method: 'POST' }), 401, 'unauthenticated')
})

test('it is there whole, with its links, and a second time is a conflict that leaves nothing', async () => {
  // One of the names is taken, and it is not the first.
  await app.call('/api/v1/tables', { as: 'admin', body: { name: 'projects', columns: [] } })
  await expectProblem(await app.call('/api/v1/sample-data', { as: 'admin', method: 'POST' }), 409, 'conflict')
  expect((await json(app.call('/api/v1/tables', { as: 'viewer' }))).tables.map(({ name }: { name: string }) => name)).toEqual(['projects'])
  await app.deps.db.sql.unsafe('drop table data.projects; delete from rowhouse.tables')

  const made = await app.call('/api/v1/sample-data', { as: 'admin', method: 'POST' })
  expect(made.status).toBe(201)
  expect(await made.json()).toMatchObject({ tables: [{ name: 'companies' }, { name: 'contacts' }, { name: 'projects' }], records: 26 })
  const { records } = await json(
    app.call('/api/v1/tables/projects/records?select=title,days,people,company(name)&order=id&limit=1', { as: 'viewer' }),
  )
  expect(records).toEqual([{ title: 'Harbour library', days: 534, people: [1, 2, 11], company: { name: 'Alder & Stone' } }])
  expect((await app.call('/api/v1/tables/contacts/records', { as: 'editor', body: { name: 'One more' } })).status).toBe(201)
})
