import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { json, startApp } from '../../support/app'
import { expectProblem } from '../../support/problem'
import '../../support/properties'

/** Triggers and row level security refuse a write without an error: they leave its row out. */
const app = await startApp()
const { db } = app.deps

const make = async (name: string, columns: object[]) =>
  expect((await app.call('/api/v1/tables', { as: 'admin', body: { name, columns } })).status).toBe(201)
await make('labels', [{ name: 'name', type: 'text' }])
await make('books', [{ name: 'title', type: 'text' }])
await make('linked', [
  { name: 'title', type: 'text' },
  { name: 'labels', type: 'manyLinks', options: { table: 'labels' } },
])
await app.call('/api/v1/tables/labels/records', { as: 'editor', body: [{ name: 'red' }, { name: 'green' }] })
await db.query(`create function data.leave_out() returns trigger language plpgsql as
  $$ begin if (case tg_op when 'INSERT' then new.title else old.title end) = 'left out' then return null; end if; return coalesce(new, old); end $$`)
for (const table of ['books', 'linked']) {
  await db.query(
    `create trigger leave_out before insert or update or delete on data.${table} for each row execute function data.leave_out()`,
  )
}

const rows = (table: string) =>
  db.query<{ id: string; title: string }>(`select id::text, title from data.${table} order by data.${table}.id`)
const records = (table: string) => `/api/v1/tables/${table}/records`

describe('an array of which a trigger leaves records out', () => {
  const titles = fc.array(fc.constantFrom('kept', 'left out'), { minLength: 1, maxLength: 4 })

  test('is made whole or not at all, with and without links, alone and in a batch', async () => {
    await fc.assert(
      fc.asyncProperty(titles, fc.constantFrom('books', 'linked'), fc.boolean(), async (sent, table, isBatch) => {
        const body = sent.map((title, index) => (table === 'linked' && index % 2 ? { title, labels: [1] } : { title }))
        const before = await rows(table)
        const answer = isBatch
          ? await app.call('/api/v1/batch', { as: 'editor', body: { operations: [{ method: 'POST', table, body }] } })
          : await app.call(records(table), { as: 'editor', body })
        if (!sent.includes('left out')) {
          expect(answer.status).toBe(isBatch ? 200 : 201)
          expect(await rows(table)).toHaveLength(before.length + sent.length)
          return
        }
        await expectProblem(answer, 409, 'conflict')
        expect(await rows(table)).toEqual(before)
      }),
      { numRuns: 40 },
    )
  })

  test('is told by /rest/v1 as PostgREST tells it: the rows that were made, and no other', async () => {
    const body = [{ title: 'kept' }, { title: 'left out' }, { title: 'kept' }]
    const before = await rows('books')
    const answer = await app.call('/rest/v1/books', { as: 'editor', body, headers: { prefer: 'return=representation' } })
    expect(answer.status).toBe(201)
    expect((await json(answer)).map(({ title }: { title: string }) => title)).toEqual(['kept', 'kept'])
    expect(await rows('books')).toHaveLength(before.length + 2)
  })

  test('never gives the links of one row to another by /rest/v1', async () => {
    const body = [
      { title: 'left out', labels: [1] },
      { title: 'kept', labels: [2] },
    ]
    const before = await rows('linked')
    const answer = await app.call('/rest/v1/linked', { as: 'editor', body, headers: { prefer: 'return=representation' } })
    expect(answer.status).toBe(409)
    expect(await rows('linked')).toEqual(before)
  })
})

describe('a change that is refused without an error', () => {
  /** What each tries with a record that may not be written, without any If-Match. */
  const writes: [string, string, object | undefined][] = [
    ['PATCH', '', { title: 'x' }],
    ['PATCH with links', '', { title: 'x', labels: [1] }],
    ['PUT', '', { title: 'x' }],
    ['DELETE', '', undefined],
  ]
  const refusedRecord = async (table: string) => {
    await db.query(`alter table data.${table} disable trigger user`)
    const made = await app.call(records(table), { as: 'editor', body: { title: 'left out' } })
    await db.query(`alter table data.${table} enable trigger user`)
    return { path: made.headers.get('location')!, etag: made.headers.get('etag')! }
  }

  test.each(writes)('by a trigger is a conflict, not a record that has changed: %s', async (kind, _rest, body) => {
    const table = kind.includes('links') ? 'linked' : 'books'
    const method = kind.split(' ')[0]!
    const { path, etag } = await refusedRecord(table)
    const pk = path.split('/').at(-1)!
    for (const ifMatch of [undefined, '*', etag]) {
      const headers: Record<string, string> = ifMatch ? { 'if-match': ifMatch } : {}
      const { message } = await expectProblem(await app.call(path, { as: 'editor', method, body, headers }), 409, 'conflict')
      expect(message).toBe('A rule in the database refused this.')
    }
    const operations = [{ method, table, pk, ...(body && { body }) }]
    await expectProblem(await app.call('/api/v1/batch', { as: 'editor', body: { operations } }), 409, 'conflict')
    await expectProblem(await app.call(path, { as: 'editor', method, body, headers: { 'if-match': '"1"' } }), 412, 'precondition_failed')
  })

  test('of a record that is not there yet is none that is not found', async () => {
    await db.query(`create table data.named (name text primary key, title text)`)
    await db.query('create trigger leave_out before insert on data.named for each row execute function data.leave_out()')
    for (const headers of [undefined, { 'if-none-match': '*' }]) {
      const put = app.call(`${records('named')}/a`, { as: 'editor', method: 'PUT', body: { title: 'left out' }, headers })
      await expectProblem(await put, 409, 'conflict')
    }
  })
})

describe('PUT with If-Match: *', () => {
  test('makes nothing, alone and in a batch', async () => {
    const path = `${records('books')}/4711`
    const { details } = await expectProblem(
      await app.call(path, { as: 'editor', method: 'PUT', body: { title: 'x' }, headers: { 'if-match': '*' } }),
      412,
      'precondition_failed',
    )
    expect(details).toEqual({ current: null })
    const operations = [{ method: 'PUT', table: 'books', pk: '4711', ifMatch: '*', body: { title: 'x' } }]
    await expectProblem(await app.call('/api/v1/batch', { as: 'editor', body: { operations } }), 412, 'precondition_failed')
    await expectProblem(await app.call(path, { as: 'viewer' }), 404, 'not_found')
  })

  test('replaces what is there', async () => {
    const made = await app.call(records('books'), { as: 'editor', body: { title: 'here' } })
    const sent = { as: 'editor', method: 'PUT', body: { title: 'replaced' }, headers: { 'if-match': '*' } } as const
    const replaced = await app.call(made.headers.get('location')!, sent)
    expect({ status: replaced.status, title: (await json(replaced)).title }).toEqual({ status: 200, title: 'replaced' })
  })
})

describe('a broken link says which end of it is missing', () => {
  const tree = '/api/v1/tables/tree/records'
  const columns = [
    { name: 'name', type: 'text' },
    { name: 'parent', type: 'link', options: { table: 'tree', onDelete: 'restrict' } },
    { name: 'label', type: 'link', options: { table: 'labels', onDelete: 'restrict' } },
  ]
  const messageOf = async (path: string, options: { method?: string; body?: unknown }) => {
    const { message, errors } = await expectProblem(await app.call(path, { as: 'editor', ...options }), 409, 'conflict')
    return { message, errors }
  }
  const breaks = (path: string) => [{ path, message: 'breaks a link' }]

  test('where the record is linked to, and where it links, also within one table', async () => {
    await make('tree', columns)
    const root = await json(app.call(tree, { as: 'editor', body: { name: 'root', label: 2 } }))
    await json(app.call(tree, { as: 'editor', body: { name: 'leaf', parent: root.id } }))
    const missing = (name: string) => ({ message: `"${name}" links to a record that does not exist.`, errors: breaks(`/${name}`) })
    expect(await messageOf(tree, { body: { name: 'x', label: 99 } })).toEqual(missing('label'))
    expect(await messageOf(tree, { body: { name: 'x', parent: 99 } })).toEqual(missing('parent'))
    expect(await messageOf(`${tree}/${root.id}`, { method: 'PATCH', body: { parent: 99 } })).toEqual(missing('parent'))
    const linked = { message: 'Other records still link to this one.', errors: breaks('/id') }
    expect(await messageOf(`${records('labels')}/2`, { method: 'DELETE' })).toEqual(linked)
    const { message } = await messageOf(`${tree}/${root.id}`, { method: 'DELETE' })
    expect(message).toBe('Other records still link to this one.')
  })
})
