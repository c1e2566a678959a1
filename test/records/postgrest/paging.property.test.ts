import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { json, startApp } from '../../support/app'
import { expectProblem } from '../../support/problem'

/** Pages one after the other hold each row once, whatever they are ordered by. */
const app = await startApp()
const total = 300
const make = (body: object) => app.call('/api/v1/tables', { as: 'admin', body })
await make({ name: 'groups', columns: [{ name: 'name', type: 'text' }] })
await make({
  name: 'rows',
  columns: [
    { name: 'few', type: 'integer' },
    { name: 'some', type: 'text' },
    { name: 'group', type: 'link', options: { table: 'groups' } },
  ],
})
await app.call('/api/v1/tables/groups/records', { as: 'editor', body: [{ name: 'one' }] })
const rows = Array.from({ length: total }, (_, n) => ({ few: n % 2, some: n % 3 === 0 ? null : `t${n % 5}`, group: 1 }))
await app.call('/api/v1/tables/rows/records', { as: 'editor', body: rows })
// Rows that were changed are elsewhere on the disk.
await app.call('/api/v1/tables/rows/records?few=eq.1', { as: 'editor', method: 'PATCH', body: { group: 1 } })
const ids = Array.from({ length: total }, (_, n) => n + 1)

type Row = { id: number }
const sorted = (found: Row[]) => found.map(({ id }) => id).sort((one, other) => one - other)
const read = (path: string, headers = {}) => json(app.call(`/rest/v1/${path}`, { as: 'viewer', headers }))

const term = fc
  .tuple(
    fc.constantFrom('few', 'some', 'group', 'groups(name)'),
    fc.constantFrom('', '.asc', '.desc'),
    fc.constantFrom('', '.nullsfirst', '.nullslast'),
  )
  .map((parts) => parts.join(''))
const order = fc.uniqueArray(term, { maxLength: 3, selector: (text) => text.split('.')[0]! })
const size = fc.integer({ min: 20, max: 170 })
const orderText = (name: string, terms: string[]) => (terms.length ? `&${name}=${terms.join(',')}` : '')

test('by limit and offset, and by the header Range', async () => {
  const property = fc.asyncProperty(order, size, fc.boolean(), async (terms, limit, isHeader) => {
    const found: Row[] = []
    for (let offset = 0; offset < total; offset += limit) {
      const path = `rows?select=id,groups(name)${orderText('order', terms)}`
      found.push(
        ...(isHeader
          ? await read(path, { range: `${offset}-${offset + limit - 1}` })
          : await read(`${path}&limit=${limit}&offset=${offset}`)),
      )
    }
    expect(sorted(found)).toEqual(ids)
  })
  await fc.assert(property, { numRuns: 40 })
})

test('of embedded rows', async () => {
  const own = order.map((terms) => terms.filter((text) => !text.startsWith('groups(')))
  const property = fc.asyncProperty(own, size, async (terms, limit) => {
    const found: Row[] = []
    for (let offset = 0; offset < total; offset += limit) {
      const page = `&rows.limit=${limit}&rows.offset=${offset}`
      found.push(...(await read(`groups?select=rows(id)${orderText('rows.order', terms)}${page}`))[0].rows)
    }
    expect(sorted(found)).toEqual(ids)
  })
  await fc.assert(property, { numRuns: 20 })
})

test('of aggregates are ordered by what they are grouped by alone', async () => {
  expect(await read('rows?select=few,count()&order=few.desc&limit=1')).toEqual([{ few: 1, count: total / 2 }])
})

test('of a table whose key the role of the connection may not read, in the order that was asked for', async () => {
  const owner = await startApp({ ROWHOUSE_SCHEMAS: 'crm' })
  const role = `reader_${crypto.randomUUID().slice(0, 8)}`
  const { sql } = owner.deps.db
  await sql.unsafe(`create role ${role}; grant all on schema rowhouse to ${role}; grant all on all tables in schema rowhouse to ${role};
    grant all on all sequences in schema rowhouse to ${role}; create schema crm; grant usage on schema crm to ${role};
    create table crm.names (id int primary key, name text); insert into crm.names values (1, 'b'), (2, 'a'); grant select (name) on crm.names to ${role};
    do $$ begin execute format('alter role %I in database %I set role = %L', current_user, current_database(), '${role}'); end $$`)
  const reader = await startApp({ ROWHOUSE_SCHEMAS: 'crm' }, { beside: owner })
  try {
    const answer = await reader.call('/rest/v1/names?select=name&order=name&limit=5', {
      as: 'viewer',
      headers: { 'accept-profile': 'crm' },
    })
    expect([answer.status, await answer.json()]).toEqual([200, [{ name: 'a' }, { name: 'b' }]])
    const list = (query: string) => reader.call(`/api/v1/tables/names/records${query}`, { as: 'viewer' })
    expect(await json(list(''))).toMatchObject({ records: [{ name: expect.any(String) }, { name: expect.any(String) }], nextCursor: null })
    expect(await json(list('?order=name&limit=1'))).toEqual({ records: [{ name: 'a' }], nextCursor: null, nextOffset: 1 })
    expect(await json(list('?order=name&limit=1&offset=1'))).toEqual({ records: [{ name: 'b' }], nextCursor: null, nextOffset: null })
    const { message } = await expectProblem(await list('?cursor=W10'), 400, 'invalid_request')
    expect(message).toBe('"names" has no primary key that can be read, and so no cursor.')
  } finally {
    await reader.stop()
    await sql.unsafe(`drop owned by ${role} cascade; drop role ${role}`)
  }
})
