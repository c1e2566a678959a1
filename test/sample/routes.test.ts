import { expect, test } from 'bun:test'
import { json, startApp } from '../support/app'
import { expectProblem } from '../support/problem'

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
  expect(await made.json()).toMatchObject({
    tables: [
      { name: 'companies' },
      { name: 'contacts' },
      { name: 'projects' },
      { name: 'products' },
      { name: 'orders' },
      { name: 'lines' },
    ],
    records: 54,
  })
  const { records } = await json(
    app.call('/api/v1/tables/projects/records?select=title,days,people,company(name)&order=id&limit=1', { as: 'viewer' }),
  )
  expect(records).toEqual([{ title: 'Harbour library', days: 534, people: [1, 2, 11], company: { name: 'Alder & Stone' } }])
  expect((await app.call('/api/v1/tables/contacts/records', { as: 'editor', body: { name: 'One more' } })).status).toBe(201)

  const { records: sold } = await json(
    app.call('/api/v1/tables/orders/records?select=number,lines(position,sum,product(name))&id=eq.2&lines.order=position', {
      as: 'viewer',
    }),
  )
  expect(sold).toEqual([
    {
      number: '2026-002',
      lines: [
        { position: 1, sum: 870, product: { name: 'Harbour mug' } },
        { position: 2, sum: 232, product: { name: 'Country loaf' } },
      ],
    },
  ])
})

test('its products have pictures of a few kilobytes, from which smaller ones are made', async () => {
  const { records } = await json(app.call('/api/v1/tables/products/records', { as: 'viewer' }))
  expect(records).toHaveLength(8)
  for (const { pictures } of records) {
    expect(pictures).toEqual([expect.objectContaining({ type: 'image/png', width: 240, height: 180 })])
    expect(pictures[0].size).toBeLessThan(4000)
  }
  const [{ url }] = records[0].pictures
  const small = await app.call(`${url}?size=small`, { as: 'viewer' })
  expect([small.status, small.headers.get('content-type')]).toEqual([200, 'image/webp'])
})
