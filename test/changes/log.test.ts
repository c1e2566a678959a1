import { describe, expect, test } from 'bun:test'
import { json, startApp } from '../support/app'

const app = await startApp()
const { db } = app.deps

type Entry = Record<string, unknown>
/** All that was logged of a table since the call before, in its order. */
const seen = new Map<string, bigint>()
async function logged(table: string, columns = 'operation, key, old_key, old_values, new_values'): Promise<Entry[]> {
  const rows = await db.sql.unsafe<Entry[]>(
    `select id, ${columns} from rowhouse.changes where table_id = (select id from rowhouse.tables where name = $1) and id > $2 order by id`,
    [table, String(seen.get(table) ?? 0)],
  )
  if (rows.length) seen.set(table, BigInt(rows.at(-1)!.id as string))
  return rows.map(({ id: _, ...row }) => row)
}

const makeTable = async (name: string, columns: object[]) => {
  const response = await app.call('/api/v1/tables', { as: 'admin', body: { name, columns } })
  expect(response.status).toBe(201)
}
await makeTable('parts', [
  { name: 'name', type: 'text', unique: true },
  { name: 'size', type: 'decimal' },
  { name: 'tags', type: 'multiSelect', options: { choices: ['new', 'used'] } },
])
await makeTable('boxes', [
  { name: 'title', type: 'text' },
  { name: 'parts', type: 'manyLinks', options: { table: 'parts' } },
])

const records = (table: string, rest = '') => `/api/v1/tables/${table}/records${rest}`

describe('the log', () => {
  test('has what each write changed, by whom', async () => {
    const headers = { 'x-request-id': 'first-request' }
    await app.call(records('parts'), { as: 'editor', body: { name: 'nut', size: '1.50', tags: ['new'] }, headers })
    await app.call(records('parts', '/1'), { as: 'admin', method: 'PATCH', body: { size: 2 } })
    await app.call(records('parts', '/1'), { as: 'admin', method: 'PATCH', body: { size: 2 } })
    await app.call(records('parts', '/1'), { as: 'admin', method: 'DELETE' })
    const columns =
      'operation, key, old_values, new_values, request_id, credential, role, (select u.email from rowhouse.users u where u.id = user_id) as email'
    const whole = { id: 1, name: 'nut', size: 1.5, tags: ['new'] }
    const request = expect.any(String)
    const by = { credential: 'token', role: null }
    expect(await logged('parts', columns)).toEqual([
      {
        operation: 'insert',
        key: '["1"]',
        old_values: null,
        new_values: whole,
        request_id: 'first-request',
        ...by,
        email: 'editor@example.org',
      },
      {
        operation: 'update',
        key: '["1"]',
        old_values: { size: 1.5 },
        new_values: { size: 2 },
        request_id: request,
        ...by,
        email: 'admin@example.org',
      },
      {
        operation: 'delete',
        key: '["1"]',
        old_values: { ...whole, size: 2 },
        new_values: null,
        request_id: request,
        ...by,
        email: 'admin@example.org',
      },
    ])
  })

  test('tells the requests apart that share a statement', async () => {
    const ids = Array.from({ length: 40 }, (_, index) => index)
    const made = await Promise.all(
      ids.map((id) =>
        app.call(records('parts'), { as: 'editor', body: { name: `burst ${id}` }, headers: { 'x-request-id': `make-${id}` } }),
      ),
    )
    const keys = await Promise.all(made.map(async (response) => (await response.json()).id as number))
    await Promise.all(
      ids.map((id) =>
        app.call(records('parts', `/${keys[id]}`), {
          as: 'editor',
          method: 'PATCH',
          body: { size: id + 1 },
          headers: { 'x-request-id': `change-${id}` },
        }),
      ),
    )
    const entries = await logged('parts', 'xid::text, operation, key, new_values, request_id')
    expect(entries).toHaveLength(80)
    for (const { operation, key, new_values, request_id } of entries) {
      const [id] = JSON.parse(key as string)
      const values = new_values as { name: string; size: number }
      const expected = operation === 'insert' ? `make-${values.name.slice(6)}` : `change-${values.size - 1}`
      expect(request_id).toBe(expected)
      expect(keys.indexOf(Number(id))).toBe(Number(expected.split('-')[1]))
    }
    // Some have shared one.
    expect(new Set(entries.map(({ xid }) => xid)).size).toBeLessThan(80)
  })

  test('has a change of the key, a bulk write and its links, in one transaction', async () => {
    await app.call(records('parts'), { as: 'editor', body: [{ name: 'a' }, { name: 'b' }] })
    const [{ id: first }] = (await json(app.call(records('parts', '?name=eq.a'), { as: 'editor' }))).records
    await logged('parts')
    await app.call(records('boxes'), { as: 'editor', body: { title: 'x', parts: [first] } })
    const [box] = await logged('boxes')
    expect(box).toMatchObject({ operation: 'insert', new_values: { title: 'x' } })
    const join =
      await db.sql`select c.operation, c.new_values, t.operation as whole from rowhouse.changes c join rowhouse.changes t using (xid)
      where t.key = ${box!.key as string} and t.new_values ->> 'title' = 'x' and c.table_id <> t.table_id`
    expect(join).toHaveLength(1)
    expect(Object.values(join[0]!.new_values)).toEqual([1, first])

    await app.call('/rest/v1/parts?name=in.(a,b)', {
      as: 'editor',
      method: 'PATCH',
      body: { size: 7 },
      headers: { 'x-request-id': 'bulk' },
    })
    expect((await logged('parts', 'request_id, new_values')).map((entry) => entry)).toEqual(
      Array(2).fill({ request_id: 'bulk', new_values: { size: 7 } }),
    )
    await db.sql.unsafe('update data.parts set id = 1000 where id = $1', [first])
    const [moved] = await logged('parts', 'key, old_key, old_values, role, user_id')
    expect(moved).toEqual({ key: '["1000"]', old_key: `["${first}"]`, old_values: { id: first }, role: expect.any(String), user_id: null })
  })

  test('has what came by CSV, by another role and by truncate', async () => {
    const response = await app.call('/api/v1/tables/parts/import?mode=insert', {
      as: 'editor',
      method: 'POST',
      body: 'name,size\nfile 1,5\nfile 2,6\n',
      headers: { 'content-type': 'text/csv', 'x-request-id': 'csv' },
    })
    expect(response.status).toBe(200)
    expect(await logged('parts', 'operation, request_id, credential')).toEqual(
      Array(2).fill({ operation: 'insert', request_id: 'csv', credential: 'token' }),
    )
    await db.sql.unsafe(`set rowhouse.origin = ''; insert into data.parts (name) values ('by hand')`)
    expect(await logged('parts', 'operation, request_id, user_id')).toEqual([{ operation: 'insert', request_id: null, user_id: null }])
    await db.sql.unsafe('create role somebody; grant usage on schema data to somebody; grant all on data.parts to somebody')
    await db.sql.begin(async (tx) => {
      await tx.unsafe('set local role somebody')
      await tx.unsafe(`set local timezone = 'Asia/Tokyo'; update data.parts set size = 8 where name = 'by hand'`)
    })
    const [entry] = await logged('parts', 'operation, role, new_values')
    expect(entry).toEqual({ operation: 'update', role: 'somebody', new_values: { size: 8 } })
    await db.sql.unsafe('revoke all on data.parts from somebody; revoke usage on schema data from somebody; drop role somebody')
    await db.sql.unsafe('truncate data.parts cascade')
    expect(await logged('parts', 'operation, key')).toEqual([{ operation: 'truncate', key: '[]' }])
  })

  test('believes no other session of the database who it is', async () => {
    await db.sql.unsafe(`create role impostor login; grant usage on schema data to impostor; grant all on data.parts to impostor`)
    const claim = `select set_config('rowhouse.origin', '${crypto.randomUUID()} token:${crypto.randomUUID()} - forged', true)`
    await db.sql.begin(async (tx) => {
      await tx.unsafe('set local session authorization impostor')
      await tx.unsafe(claim)
      await tx.unsafe(`insert into data.parts (id, name) values (5000, 'forged')`)
    })
    const entry = { role: 'impostor', user_id: null, credential: null, request_id: null }
    expect(await logged('parts', 'role, user_id, credential, request_id')).toEqual([entry])
    await db.sql.unsafe(
      'delete from data.parts; revoke all on data.parts from impostor; revoke usage on schema data from impostor; drop role impostor',
    )
    await logged('parts')
  })

  test('goes on through renames, and keeps the names of before', async () => {
    const rename = (column: string, name: string) =>
      app.call(`/api/v1/tables/boxes/columns/${column}`, { as: 'admin', method: 'PATCH', body: { name } })
    await app.call(records('boxes'), { as: 'editor', body: { title: 'y' } })
    expect((await rename('title', 'label')).status).toBe(200)
    await app.call('/api/v1/tables/boxes', { as: 'admin', method: 'PATCH', body: { name: 'crates' } })
    await app.call(records('crates'), { as: 'editor', body: { label: 'z' } })
    await logged('boxes')
    const entries = await logged('crates', 'new_values')
    expect(entries.at(-1)).toMatchObject({ new_values: { label: 'z' } })
    await db.sql.unsafe('alter table data.crates rename label to heading')
    expect((await app.call(records('crates'), { as: 'editor', body: { heading: 'w' } })).status).toBeLessThan(500)
    await db.sql.unsafe('alter table data.crates rename heading to label')
    const names =
      await db.sql`select n.name from rowhouse.column_names n join rowhouse.tables t on t.id = n.table_id where t.name = 'crates'`
    expect(names.map(({ name }) => name)).toEqual(['title'])
  })

  test('leaves writes that share a statement as they were', async () => {
    const { byQualifiedName } = await app.deps.catalog.current()
    const { isLogged, actsOnStatements, runsFunctions } = byQualifiedName.get('data.crates')!
    expect({ isLogged, actsOnStatements, runsFunctions }).toEqual({ isLogged: true, actsOnStatements: false, runsFunctions: false })
  })
})
