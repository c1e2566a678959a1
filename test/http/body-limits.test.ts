import { expect, test } from 'bun:test'
import { json, startApp } from '../support/app'
import { endpoints, pluginsWith } from '../support/plugins'
import { expectProblem } from '../support/problem'

const size = 'async ({ bytes }) => (await bytes()).length'
const plugins = pluginsWith({
  'try/plugin.ts': endpoints(
    `{ method: 'POST', path: '/usual', public: true, allow: () => true, handle: ${size} }`,
    `{ method: 'POST', path: '/large', public: true, maxBodyBytes: 20_000_000, allow: () => true, handle: ${size} }`,
    `{ method: 'POST', path: '/small', public: true, maxBodyBytes: 1000, allow: () => true, handle: ${size} }`,
  ),
})
const app = await startApp({ ROWHOUSE_MAX_UPLOAD_BYTES: '15MB' }, { plugins })
const columns = ['title', 'author', 'publisher', 'place', 'note'].map((name) => ({ name, type: 'text' }))
await json(app.call('/api/v1/tables', { as: 'admin', body: { name: 'books', columns } }))

const ordinary = (number: number) => ({
  title: `A title of an ordinary length, number ${number}`,
  author: 'Somebody With Two Names',
  publisher: 'A House of Some Repute, Ltd.',
  place: 'Frankfurt am Main',
  note: 'A remark that somebody has written about it, in a sentence or in one and a half of them.',
})
const ten = Array.from({ length: 10_000 }, (_, number) => ordinary(number))
const mebibytes = (count: number) => 'x'.repeat(count * 2 ** 20)

test.each([
  ['/api/v1/tables/books/records', 'application/json'],
  ['/rest/v1/books', 'application/json'],
])('ten thousand ordinary records fit into one body: %s', async (path, type) => {
  const body = JSON.stringify(ten)
  expect(body.length).toBeGreaterThan(2 ** 20)
  const response = await app.call(path, { as: 'editor', body, headers: { 'content-type': type, prefer: 'return=minimal' } })
  expect({ status: response.status, problem: await response.text() }).toEqual({ status: 201, problem: '' })
})

test('a batch takes as much', async () => {
  const operations = Array.from({ length: 500 }, () => ({ method: 'POST', table: 'books', body: { title: 'x'.repeat(4000) } }))
  expect((await app.call('/api/v1/batch', { as: 'editor', body: { operations } })).status).not.toBe(413)
})

test('records beyond the limit are refused, and told which setting it is and what takes more', async () => {
  for (const path of ['/api/v1/tables/books/records', '/rest/v1/books']) {
    const response = await app.call(path, { as: 'editor', body: JSON.stringify([{ title: mebibytes(10) }]) })
    expect({ status: response.status, body: await response.text() }).toEqual({
      status: 413,
      body: expect.stringMatching(/ROWHOUSE_MAX_BODY_BYTES.*CSV.*ROWHOUSE_MAX_UPLOAD_BYTES/),
    })
  }
})

test('other JSON is at most one mebibyte', async () => {
  const { details } = await expectProblem(
    await app.call('/api/v1/tables', { as: 'admin', body: { name: mebibytes(1), columns: [] } }),
    413,
    'payload_too_large',
  )
  expect(details).toEqual({ limitBytes: 2 ** 20 })
  await expectProblem(await app.call('/auth/login', { body: { email: 'a@b.c', password: mebibytes(1) } }), 413, 'payload_too_large')
})

test('a plugin takes as much as records, or what its endpoint says, up to the limit of uploads', async () => {
  const post = (path: string, count: number) => app.call(`/api/v1/custom/try${path}`, { body: mebibytes(count) })
  expect(await json(post('/usual', 3))).toBe(3 * 2 ** 20)
  const usual = await expectProblem(await post('/usual', 11), 413, 'payload_too_large')
  expect(usual.hint).toContain('ROWHOUSE_MAX_BODY_BYTES')
  expect(await json(post('/large', 12))).toBe(12 * 2 ** 20)
  const large = await expectProblem(await post('/large', 16), 413, 'payload_too_large')
  expect([large.details, large.hint]).toEqual([{ limitBytes: 15 * 2 ** 20 }, expect.stringContaining('ROWHOUSE_MAX_UPLOAD_BYTES')])
  expect((await expectProblem(await post('/small', 1), 413, 'payload_too_large')).details).toEqual({ limitBytes: 1000 })
})
