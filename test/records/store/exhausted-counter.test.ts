import { expect, test } from 'bun:test'
import { json, startApp } from '../../support/app'

/** A counter at its end is named, wherever a record is to be counted. */
const app = await startApp()
const columns = [
  { name: 't', type: 'text' },
  { name: 'code', type: 'text', unique: true },
]
await app.call('/api/v1/tables', { as: 'admin', body: { name: 'last', columns } })
const upload = (body: string, query = '') =>
  app.call(`/api/v1/tables/last/import${query}`, { as: 'editor', body, headers: { 'content-type': 'text/csv' } })

test('the import that brings the last number says that none is left, and so does each record behind it', async () => {
  const brought = 'id,t\n9223372036854775807,last\n'
  expect(await json(upload('id,t\n7,x\n'))).not.toHaveProperty('counterAtEnd')
  expect(await json(upload(brought, '?dryRun=true'))).toMatchObject({ dryRun: true, counterAtEnd: 'id' })
  expect(await json(upload(brought))).toMatchObject({ inserted: 1, counterAtEnd: 'id' })
  const one = await app.call('/api/v1/tables/last/records', { as: 'editor', body: { t: 'next' } })
  const several = await app.call('/api/v1/tables/last/records', { as: 'editor', body: [{ t: 'next' }, { t: 'one' }] })
  for (const response of [one, several]) {
    expect(response.status).toBe(409)
    expect(await json(response)).toMatchObject({
      message: expect.stringContaining('The counter of "id" is exhausted'),
      errors: [{ path: '/id', message: 'has a counter that is exhausted' }],
    })
  }
  const rest = await app.call('/rest/v1/last', { as: 'editor', body: { t: 'next' } })
  expect([rest.status, await json(rest)]).toMatchObject([400, { code: '2200H', details: 'The counter of column "id" is at its end.' }])
  const imported = await upload('t\nnext\n')
  expect(imported.status).not.toBe(200)
  expect(await imported.text()).toContain('exhausted')
})
