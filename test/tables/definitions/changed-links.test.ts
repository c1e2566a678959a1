import { beforeAll, expect, test } from 'bun:test'
import { json, startApp } from '../../support/app'
import { expectProblem } from '../../support/problem'
import { until } from '../../support/processes'

const app = await startApp()
const admin = (path: string, method: string, body?: unknown) => app.call(`/api/v1/tables${path}`, { as: 'admin', method, body })
const insert = (table: string, body: object) => app.call(`/api/v1/tables/${table}/records`, { as: 'editor', body })
const retarget = (table: string, more: object = {}, query = '') =>
  admin(`/${table}/columns/author${query}`, 'PATCH', { options: { table: 'publishers' }, ...more })
const author = { name: 'author', type: 'link', options: { table: 'authors' } }

beforeAll(async () => {
  for (const name of ['authors', 'publishers']) {
    expect((await admin('', 'POST', { name, columns: [{ name: 'email', type: 'text' }] })).status).toBe(201)
    await insert(name, [{ email: 'a@example.com' }, { email: 'b@example.com' }, { email: 'c@example.com' }])
  }
})

test('a link that leads to another table does not keep its keys', async () => {
  await admin('', 'POST', { name: 'books', columns: [author] })
  await insert('books', [{ author: 2 }, {}])
  expect(await json(retarget('books', {}, '?dryRun=true'))).toMatchObject({ convertible: 1, failing: 1 })
  await expectProblem(await retarget('books'), 409, 'conflict')
  expect((await retarget('books', { onFailure: 'null' })).status).toBe(200)
  const { records } = await json(app.call('/api/v1/tables/books/records', { as: 'viewer' }))
  expect(records.map((record: { author: unknown }) => record.author)).toEqual([null, null])
  expect((await insert('books', { author: 2 })).status).toBe(201)
  // The records of another table may be deleted now.
  expect((await admin('/authors/records/2', 'DELETE')).status).toBe(204)
})

test('a link without values leads to another table, unless columns read it', async () => {
  await admin('', 'POST', { name: 'films', columns: [author] })
  expect(
    (await admin('/films/columns', 'POST', { name: 'email', type: 'lookup', options: { link: 'author', column: 'email' } })).status,
  ).toBe(201)
  const { details } = await expectProblem(await retarget('films'), 409, 'conflict')
  expect(details).toMatchObject({ columns: ['"films"."email"'] })
  expect((await admin('/films/columns/email?confirm=email', 'DELETE')).status).toBe(204)
  expect((await retarget('films')).status).toBe(200)
  expect((await insert('films', { author: 1 })).status).toBe(201)
})

test('a link that becomes required keeps the record that it leads to', async () => {
  await admin('', 'POST', { name: 'songs', columns: [author] })
  await insert('songs', { author: 1 })
  const change = (body: object) => admin('/songs/columns/author', 'PATCH', body)
  const { options } = await json(admin('/songs', 'GET')).then(({ columns }) => columns[1])
  expect(options.onDelete).toBe('setNull')
  await expectProblem(await change({ required: true, options }), 422, 'validation_failed')
  expect(await json(change({ required: true }))).toMatchObject({ required: true, options: { onDelete: 'restrict' } })
  await expectProblem(await admin('/authors/records/1', 'DELETE'), 409, 'conflict')
  expect(await json(change({ required: false }))).toMatchObject({ required: false, options: { onDelete: 'restrict' } })
})

test('choices stay, with their colours, when a column takes several of them', async () => {
  const choices = [{ value: 'a', color: 'red' }, { value: 'b' }]
  await admin('', 'POST', { name: 'tagged', columns: [{ name: 'tag', type: 'select', options: { choices } }] })
  await insert('tagged', { tag: 'a' })
  const before = await json(admin('/tagged', 'GET')).then(({ columns }) => columns[1].options)
  for (const type of ['multiSelect', 'select'])
    expect(await json(admin('/tagged/columns/tag', 'PATCH', { type }))).toMatchObject({ type, options: before })
})

test('a list of links does not become a link while another transaction adds to it', async () => {
  await admin('', 'POST', { name: 'plays', columns: [{ ...author, type: 'manyLinks' }] })
  await insert('plays', { author: [1] })
  const play = (await app.deps.catalog.refresh()).list.find(({ name }) => name === 'plays')!
  const { name, ownColumns, targetColumns } = play.columns.find(({ joinTable }) => joinTable)!.joinTable!
  const writer = await app.deps.db.sql.reserve()
  await writer.unsafe('begin')
  await writer.unsafe(`insert into data."${name}" ("${ownColumns[0]}", "${targetColumns[0]}") values (1, 3)`)
  const change = admin('/plays/columns/author', 'PATCH', { type: 'link', options: { table: 'authors' } })
  const waiting = `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`
  await until('the change waits for the links', async () => (await app.deps.db.query(waiting)).length > 0)
  await writer.unsafe('commit')
  writer.release()
  await expectProblem(await change, 409, 'conflict')
  const { records } = await json(app.call('/api/v1/tables/plays/records', { as: 'viewer' }))
  expect(records[0].author).toEqual([1, 3])
})
