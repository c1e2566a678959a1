import { describe, expect, test } from 'bun:test'
import { json, startApp } from '../support/app'
import { expectProblem } from '../support/problem'

const app = await startApp()
const { sql } = app.deps.db

/** Makes a table by SQL, and logs it. */
async function logged(name: string, definition: string): Promise<void> {
  await sql.unsafe(`create table data.${name} ${definition}`)
  await app.deps.catalog.refresh()
  const response = await app.call(`/api/v1/tables/${name}/history`, { as: 'admin', method: 'PUT', body: { logged: true } })
  expect(response.status).toBe(204)
}

type Entry = { operation: string; key: string; old_values: Record<string, unknown> | null; new_values: Record<string, unknown> | null }
const entries = async (name: string): Promise<Entry[]> => [
  ...(await sql<Entry[]>`select c.operation, c.key, c.old_values, c.new_values from rowhouse.changes c
    join rowhouse.logged_tables l using (table_id) where l.name = ${name} order by c.id`),
]

describe('the log refuses no write', () => {
  test('of json whose escapes PostgreSQL keeps and cannot read', async () => {
    await logged('papers', '(id int primary key, a json, note text)')
    const odd = String.raw`{"a\u0000":"x\ud83d\ude00\\u0000\ud800\n\udc00é","a":[1.50,1.50]}`
    await sql.unsafe('insert into data.papers values (1, $1::text::json, $2)', [odd, String.raw`\u0000`])
    await sql.unsafe('update data.papers set a = $1::text::json', [String.raw`"\uD800\u0000"`])
    await sql.unsafe('delete from data.papers')
    const [made, changed, gone] = await sql<{ old: string; new: string }[]>`select old_values::text as old, new_values::text as new
      from rowhouse.changes where table_id = (select table_id from rowhouse.logged_tables where name = 'papers') order by id`
    const readable = String.raw`{"a\\u0000":"x\ud83d\ude00\\u0000\\ud800\n\\udc00é","a":[1.50,1.50]}`
    expect(made!.new).toBe(`{"id":1,"a":${readable},"note":${JSON.stringify(String.raw`\u0000`)}}`)
    expect(changed).toEqual({ old: `{ "a" : ${readable} }`, new: String.raw`{ "a" : "\\uD800\\u0000" }` })
    expect(gone!.old).toContain(String.raw`"\\uD800\\u0000"`)
    const session = await sql.reserve()
    await session.unsafe(`set standard_conforming_strings = off; insert into data.papers values (2, '{"a":"\\\\u0000"}')`)
    await session.unsafe('reset all')
    session.release()
    expect(await entries('papers')).toHaveLength(4)
  })

  test('of json with a number beyond those of jsonb', async () => {
    await logged('sums', '(id int primary key, a json)')
    await sql.unsafe(`insert into data.sums values (1, '1e400000')`)
    await sql.unsafe(`update data.sums set a = '{"n":1e400000}'`)
    await sql.unsafe(`update data.sums set id = 2, a = '0'`)
    const changes = await sql<{ key: string; old_key: string | null; old: string | null }[]>`select key, old_key, old_values ->> 'a' as old
      from rowhouse.changes where table_id = (select table_id from rowhouse.logged_tables where name = 'sums') order by id`
    expect(changes.map(({ key, old_key, old }) => [key, old_key, old])).toEqual([
      ['["1"]', null, null],
      ['["1"]', null, '1e400000'],
      ['["2"]', '["1"]', '{"n":1e400000}'],
    ])
  })

  test('of a key that is as long as an index takes', async () => {
    await logged('long_keys', '(id text primary key, raw bytea unique)')
    await sql`insert into data.long_keys (id) select left(string_agg(md5(i::text), ''), 2600) || '"\\"\\"\\' from generate_series(1, 90) i`
    await logged('raw_keys', '(id bytea primary key, place int)')
    await sql`insert into data.raw_keys select string_agg(sha256(i::text::bytea), '') from generate_series(1, 80) i`
    const [{ id }] = await sql`update data.long_keys set raw = 'x' returning id`.then((rows) => [rows[0]!] as [{ id: string }])
    const { changes } = await json(app.call(`/api/v1/tables/long_keys/records/${encodeURIComponent(id)}/history`, { as: 'viewer' }))
    expect(changes.map(({ action }: { action: string }) => action)).toEqual(['update', 'create'])
  })

  test('of many rows in a session that has changed single ones before', async () => {
    await logged('counters', '(id int primary key, place int)')
    await sql`insert into data.counters select n, 0 from generate_series(1, 20000) n`
    const session = await sql.reserve()
    for (let id = 1; id <= 10; id++) await session`update data.counters set place = 1 where id = ${id}`
    // Comparing each row with each other one, it would meet the time limit of a statement.
    await session`update data.counters set place = 2`
    session.release()
    const [{ count }] = await sql`select count(*)::int from rowhouse.changes where new_values ->> 'place' = '2'`.then(
      (rows) => rows as unknown as [{ count: number }],
    )
    expect(count).toBe(20000)
  })

  test('of a table whose key was renamed or dropped by psql', async () => {
    await logged('renamed', '(a int, b text, note text, primary key (a, b))')
    await sql`insert into data.renamed values (1, 'x')`
    await sql.unsafe(`alter table data.renamed rename b to c; update data.renamed set note = 'y'`)
    await sql.unsafe(`alter table data.renamed drop constraint renamed_pkey; update data.renamed set note = 'z'`)
    expect((await entries('renamed')).map(({ key }) => key)).toEqual(['["1", "x"]', '["1", "x"]', '[null]'])
  })
})

test('a key has its history by each text that means it', async () => {
  await sql.unsafe('create extension citext schema data')
  const keys = {
    numeric: ['1.50', '1.5', '1.500'],
    'numeric(6,2)': ['2.50', '2.5'],
    'char(5)': ['ab', 'ab   '],
    'data.citext': ['Ab', 'aB'],
    'timestamptz(0)': ['2026-01-02T03:04:05+00:00', '2026-01-02T04:04:05+01:00'],
  }
  for (const [index, [type, texts]] of Object.entries(keys).entries()) {
    const name = `texts${index}`
    await logged(name, `(id ${type} primary key, note text)`)
    await sql.unsafe(`insert into data.${name} values ('${texts[0]}')`)
    const address = (text: string) => `/api/v1/tables/${name}/records/${encodeURIComponent(text)}`
    const actions = async (text: string) => {
      const { changes } = await json(app.call(`${address(text)}/history`, { as: 'viewer' }))
      return [type, text, changes.map(({ action }: { action: string }) => action)]
    }
    for (const text of texts) expect(await actions(text)).toEqual([type, text, ['create']])
    expect((await app.call(address(texts[1]!), { as: 'editor', method: 'DELETE' })).status).toBe(204)
    expect(await actions(texts[0]!)).toEqual([type, texts[0]!, ['delete', 'create']])
  }
})

test('a record that has changed too often has no way back that would be wrong', async () => {
  await logged('busy', '(id int primary key, n int, note text)')
  await sql.unsafe(`insert into data.busy values (1, 0, 'first')`)
  await sql.unsafe(`do $$ begin for i in 1..10000 loop update data.busy set n = i; end loop; end $$`)
  await sql.unsafe(`update data.busy set note = 'last'`)
  const [first] = await sql<{ id: string }[]>`select c.id from rowhouse.changes c join rowhouse.logged_tables l using (table_id)
    where l.name = 'busy' order by c.id limit 1`
  const restored = await app.call(`/api/v1/tables/busy/records/1/history/${first!.id}/restore`, { as: 'editor', method: 'POST' })
  await expectProblem(restored, 409, 'conflict')
})

test('an id beyond those of the log is refused in words', async () => {
  for (const path of ['trash', 'history'])
    await expectProblem(
      await app.call(`/api/v1/tables/renamed/${path}?before=9999999999999999999`, { as: 'viewer' }),
      400,
      'invalid_request',
    )
})

test('a text that PostgreSQL cannot read as a key is no record', async () => {
  await sql.unsafe('create domain data.even as int check (value % 2 = 0)')
  const texts = { inet: 'abc', 'data.even': '3', 'numeric(4,2)': '123456' }
  for (const [index, [type, text]] of Object.entries(texts).entries()) {
    const name = `odd_keys${index}`
    await logged(name, `(id ${type} primary key, note text)`)
    const record = `/api/v1/tables/${name}/records/${text}`
    await expectProblem(await app.call(`${record}/history`, { as: 'viewer' }), 404, 'not_found')
    await expectProblem(await app.call(`${record}/history/1/restore`, { as: 'editor', method: 'POST' }), 404, 'not_found')
    await expectProblem(await app.call('/api/v1/links', { as: 'admin', body: { table: name, pk: text } }), 404, 'not_found')
  }
})

test('columns of a domain that takes no null hinder neither the trash nor the feed', async () => {
  await sql.unsafe('create domain data.needed as text not null')
  await logged('firms', '(id int primary key, name text)')
  await logged('people', '(id int primary key, mail data.needed, state text, firm int references data.firms on delete set null)')
  await sql.unsafe(`insert into data.firms values (1, 'a'); insert into data.people values (1, 'm', 'new', 1)`)
  const call = (path: string, method = 'GET', body?: object) => app.call(`/api/v1/tables/${path}`, { as: 'editor', method, body })
  const trash = async (table: string) => (await json(call(`${table}/trash`))).records
  expect((await call('firms/records/1', 'DELETE')).status).toBe(204)
  expect((await call(`firms/trash/${(await trash('firms'))[0].id}/restore`, 'POST')).status).toBe(201)
  expect(await json(call('people/records/1'))).toMatchObject({ mail: 'm', firm: 1 })
  const { cursor } = await json(call('people/changes?wait=0'))
  expect((await call('people/records/1', 'PATCH', { state: 'x' })).status).toBe(200)
  expect((await call('people/records/1', 'DELETE')).status).toBe(204)
  const { changes } = await json(call(`people/changes?wait=0&state=eq.x&after=${encodeURIComponent(cursor)}`))
  expect(changes.map(({ action }: { action: string }) => action)).toEqual(['delete'])
  const put = (rules: object[]) => app.call('/api/v1/access', { as: 'admin', method: 'PUT', body: { rules } })
  expect((await put([{ group: 'everyone', table: 'people', read: 'state=eq.x' }])).status).toBe(200)
  expect(await trash('people')).toMatchObject([{ pk: '1' }])
  // The log has no value of a column that was added since, and a rule cannot be applied without it.
  await sql.unsafe(`alter table data.people add column code data.needed default 'c'`)
  await app.deps.catalog.refresh()
  expect(await trash('people')).toEqual([])
  expect((await put([])).status).toBe(200)
})
