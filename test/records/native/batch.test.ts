import { describe, expect, test } from 'bun:test'
import { json, startApp } from '../../support/app'
import { expectProblem } from '../../support/problem'

const app = await startApp()
for (const name of ['parts', 'boxes']) {
  const columns = [
    { name: 'name', type: 'text', required: true, unique: true },
    { name: 'size', type: 'decimal' },
  ]
  await app.call('/api/v1/tables', { as: 'admin', body: { name, columns } })
}
const batch = (operations: unknown, query = '', as: 'editor' | 'viewer' = 'editor') =>
  app.call(`/api/v1/batch${query}`, { as, body: typeof operations === 'string' ? operations : { operations } })
const names = async (table: string) =>
  (await json(app.call(`/api/v1/tables/${table}/records`, { as: 'viewer' }))).records.map(({ name }: { name: string }) => name)

test('after a rename that no event trigger noted answers 409 once', async () => {
  await app.call('/api/v1/tables', { as: 'admin', body: { name: 'renamed', columns: [{ name: 'a', type: 'text' }] } })
  await batch([{ method: 'POST', table: 'renamed', body: {} }])
  await app.deps.db.sql.begin((tx) =>
    tx.unsafe(`select set_config('rowhouse.change_noted', pg_current_xact_id()::text, true); alter table data.renamed rename a to b`),
  )
  const insert = [{ method: 'POST', table: 'renamed', body: { a: 'x' } }]
  expect([(await batch(insert)).status, (await batch(insert)).status]).toEqual([409, 422])
})

describe('a batch', () => {
  test('does everything in its order, over several tables', async () => {
    const response = await batch([
      { method: 'POST', table: 'parts', body: { name: 'nut' } },
      { method: 'POST', table: 'boxes', body: [{ name: 'small' }, { name: 'large' }] },
      { method: 'PATCH', table: 'parts', pk: '1', body: { size: '1.50' } },
      { method: 'PUT', table: 'boxes', pk: '2', body: { name: 'huge' } },
      { method: 'DELETE', table: 'boxes', pk: '1' },
      { method: 'PUT', table: 'boxes', pk: '1', ifNoneMatch: '*', body: { name: 'again' } },
      { method: 'DELETE', table: 'boxes', pk: '1' },
    ])
    const { results } = await json(response)
    expect(response.status).toBe(200)
    expect(results.map(({ status }: { status: number }) => status)).toEqual([201, 201, 200, 200, 204, 201, 204])
    expect(results[2]).toMatchObject({ body: { id: 1, name: 'nut', size: 1.5 } })
    expect(results[2].etag).toMatch(/^"\d+-\d+\.\d+-[0-9a-f]{12}"$/)
    expect(results[4]).toEqual({ status: 204 })
    expect([await names('parts'), await names('boxes')]).toEqual([['nut'], ['huge']])
  })

  test('keeps all digits of its numbers', async () => {
    const response = await batch(
      '{"operations":[{"method":"POST","table":"parts","body":{"name":"exact","size":12345678901234567890.10}}]}',
    )
    expect(await response.text()).toContain('"size":12345678901234567890.10')
  })

  test('makes again what was deleted, with its key and its links to many, and leaves alone what is there', async () => {
    const columns = [
      { name: 'title', type: 'text' },
      { name: 'parts', type: 'manyLinks', options: { table: 'parts' } },
      { name: 'boxes', type: 'manyLinks', options: { table: 'boxes' } },
    ]
    await app.call('/api/v1/tables', { as: 'admin', body: { name: 'orders', columns } })
    const linked = (await json(app.call('/api/v1/tables/parts/records', { as: 'viewer' }))).records[0].id
    const again = (pk: string) => ({
      method: 'PUT',
      table: 'orders',
      pk,
      ifNoneMatch: '*',
      body: { title: `order ${pk}`, parts: [linked], boxes: [] },
    })
    const response = await batch([again('7'), again('8')])
    const { results } = await json(response)
    expect({ status: response.status, bodies: results.map(({ body }: { body: unknown }) => body) }).toEqual({
      status: 200,
      bodies: [
        { id: 7, title: 'order 7', parts: [linked], boxes: [] },
        { id: 8, title: 'order 8', parts: [linked], boxes: [] },
      ],
    })
    const taken = { ...again('7'), body: { title: 'other', parts: [] } }
    await expectProblem(await batch([taken]), 412, 'precondition_failed')
    expect(await json(app.call('/api/v1/tables/orders/records/7', { as: 'viewer' }))).toMatchObject({ title: 'order 7', parts: [linked] })
  })

  test.each([
    ['a wrong value', { method: 'POST', table: 'parts', body: { name: 5 } }, 422, 'validation_failed'],
    ['an unknown table', { method: 'POST', table: 'part', body: {} }, 404, 'not_found'],
    ['a record that is not there', { method: 'PATCH', table: 'parts', pk: '999', body: { name: 'x' } }, 404, 'not_found'],
    ['another version', { method: 'DELETE', table: 'parts', pk: '1', ifMatch: '"1"' }, 412, 'precondition_failed'],
    ['a value that is taken', { method: 'POST', table: 'parts', body: { name: 'nut' } }, 409, 'conflict'],
    ['no key', { method: 'DELETE', table: 'parts' }, 400, 'invalid_request'],
    ['a key that is taken', { method: 'PUT', table: 'parts', pk: '1', ifNoneMatch: '*', body: { name: 'y' } }, 412, 'precondition_failed'],
    ['a word of PUT', { method: 'DELETE', table: 'parts', pk: '1', ifNoneMatch: '*' }, 400, 'invalid_request'],
    ['a key too many', { method: 'POST', table: 'parts', pk: '1', body: { name: 'x' } }, 400, 'invalid_request'],
    ['no body', { method: 'PATCH', table: 'parts', pk: '1' }, 422, 'validation_failed'],
    ['an array to change one', { method: 'PATCH', table: 'parts', pk: '1', body: [{ name: 'x' }] }, 422, 'validation_failed'],
  ] as const)('with %s fails as that alone would, says where, and does nothing', async (_what, operation, status, code) => {
    const before = [await names('parts'), await names('boxes')]
    const response = await batch([{ method: 'POST', table: 'boxes', body: { name: 'lost' } }, operation])
    const { details, errors } = await expectProblem(response, status, code)
    expect(details).toMatchObject({ index: 1 })
    for (const { path } of errors ?? []) expect(path).toStartWith('/operations/1/body')
    expect([await names('parts'), await names('boxes')]).toEqual(before)
  })

  test('as a dry run is undone', async () => {
    const before = await names('parts')
    const response = await batch([{ method: 'POST', table: 'parts', body: { name: 'dry' } }], '?dryRun=true')
    expect({ status: response.status, dry: response.headers.get('dry-run') }).toEqual({ status: 200, dry: 'true' })
    expect(await names('parts')).toEqual(before)
  })

  test.each([
    ['nothing', []],
    ['too much', Array(501).fill({ method: 'DELETE', table: 'parts', pk: '1' })],
    ['another method', [{ method: 'GET', table: 'parts' }]],
    ['another word', [{ method: 'DELETE', table: 'parts', pk: '1', extra: 1 }]],
    ['no array', {}],
  ])('of %s is a 422', async (_what, operations) => {
    await expectProblem(await batch(operations), 422, 'validation_failed')
  })

  test('is for editors', async () => {
    await expectProblem(await batch([{ method: 'DELETE', table: 'parts', pk: '1' }], '', 'viewer'), 403, 'forbidden')
  })
})
