import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { json, startApp } from '../support/app'

/**
 * Whatever is written, by whatever way: the log tells each row of each table, and the undo of a request leaves the rows
 * as they were before it. `FUZZ=1` runs more, with other seeds each time.
 */
const app = await startApp()
const { sql } = app.deps.db
const runs = process.env.FUZZ ? 400 : 25

const admin = async (path: string, method: string, body?: unknown) => {
  const response = await app.call(`/api/v1/tables${path}`, { as: 'admin', method, body })
  expect(response.status).toBeLessThan(300)
}
await admin('', 'POST', { name: 'teams', columns: [{ name: 'name', type: 'text' }] })
await admin('/teams/columns', 'POST', { name: 'parent', type: 'link', options: { table: 'teams' } })
await admin('', 'POST', {
  name: 'people',
  columns: [
    { name: 'name', type: 'text', unique: true },
    { name: 'size', type: 'decimal' },
    { name: 'data', type: 'json' },
    { name: 'tags', type: 'multiSelect', options: { choices: ['new', 'used'] } },
    { name: 'day', type: 'date' },
    { name: 'double', type: 'formula', options: { expression: 'size * 2' } },
    { name: 'team', type: 'link', options: { table: 'teams' } },
    { name: 'others', type: 'manyLinks', options: { table: 'teams' } },
  ],
})
await sql.unsafe(`create table data.pairs (a text, b int, note text, team bigint references data.teams on delete cascade, primary key (a, b));
  create table data.marks (id uuid primary key default gen_random_uuid(), value text unique, a text, b int, span int4range, at timestamptz,
    foreign key (a, b) references data.pairs on update cascade on delete set null)`)
await app.deps.catalog.refresh()
for (const name of ['pairs', 'marks']) await admin(`/${name}/history`, 'PUT', { logged: true })

const joinTable = (
  await sql<{ name: string }[]>`select distinct join_table ->> 'name' as name from rowhouse.columns where join_table is not null`
)[0]!.name
const tables = ['teams', 'people', joinTable, 'pairs', 'marks']
const quoted = (name: string) => `data."${name}"`

type Row = Record<string, unknown>
type Rows = Record<string, Row[]>
const sorted = (rows: Row[]) => rows.map((row) => JSON.stringify(row)).sort()

async function present(): Promise<Rows> {
  const each = tables.map(async (name) => {
    const rows = await sql.unsafe<{ row: string }[]>(`select row_to_json(t)::text as row from ${quoted(name)} t`)
    return [name, rows.map(({ row }) => JSON.parse(row) as Row)] as const
  })
  return Object.fromEntries(await Promise.all(each))
}
const same = (rows: Rows) => Object.fromEntries(Object.entries(rows).map(([name, list]) => [name, sorted(list)]))

/** Nothing but a few records that link to each other, all of them in the log. */
async function beginAgain(): Promise<void> {
  await sql.unsafe(`truncate ${tables.map(quoted).join(', ')} restart identity; delete from rowhouse.changes; delete from rowhouse.column_names;
    insert into data.teams (name, parent) select 'team ' || n, nullif(6 - n, 3) from generate_series(1, 5) n;
    insert into data.people (name, team) select 'person ' || n, n from generate_series(1, 5) n;
    insert into ${quoted(joinTable)} select n, 1 + n % 5 from generate_series(1, 5) n;
    insert into data.pairs select case when n < 4 then 'a' else 'b' end, n, 'note', n from generate_series(1, 5) n;
    insert into data.marks (value, a, b) select 'mark ' || n, 'a', n from generate_series(1, 3) n`)
}

/** The tables as the log tells them, from nothing. Each entry has to begin where the one before it ended. */
async function replayed(): Promise<Rows> {
  const entries = await sql<
    { id: string; name: string; operation: string; key: string; old_key: string | null; old: string; new: string }[]
  >`
    select c.id, coalesce(t.name, l.name, ${joinTable}) as name, c.operation, c.key, c.old_key, c.old_values::text as old, c.new_values::text as new
    from rowhouse.changes c left join rowhouse.tables t on t.id = c.table_id left join rowhouse.logged_tables l on l.table_id = c.table_id order by c.id`
  const renames = [
    ...(await sql<{ table: string; name: string; until: string; next: string | null }[]>`
    select t.name as table, n.name, n.until, coalesce(lead(n.name) over (partition by n.column_id order by n.until), c.name) as next
    from rowhouse.column_names n join rowhouse.tables t on t.id = n.table_id left join rowhouse.columns c on c.id = n.column_id order by n.until`),
  ]
  const state = Object.fromEntries(tables.map((name) => [name, new Map<string, Row>()]))
  const rename = (before: bigint) => {
    while (renames[0] && BigInt(renames[0].until) <= before) {
      const { table, name, next } = renames.shift()!
      for (const [key, row] of state[table]!)
        state[table]!.set(
          key,
          Object.fromEntries(
            Object.entries(row).flatMap(([column, value]) => (column !== name ? [[column, value]] : next ? [[next, value]] : [])),
          ),
        )
    }
  }
  for (const { id, name, operation, key, old_key, old, new: after } of entries) {
    rename(BigInt(id))
    const rows = state[name]!
    const [before, values] = [JSON.parse(old) as Row | null, JSON.parse(after) as Row | null]
    const former = rows.get(old_key ?? key)
    if (operation === 'truncate') rows.clear()
    else if (operation === 'insert') {
      expect(former).toBeUndefined()
      rows.set(key, values!)
    } else {
      expect(former).toMatchObject(before!)
      rows.delete(old_key ?? key)
      if (operation === 'update') rows.set(key, { ...former, ...values })
      else expect(former).toEqual(before!)
    }
  }
  rename(2n ** 63n)
  return Object.fromEntries(Object.entries(state).map(([name, rows]) => [name, [...rows.values()]]))
}

// What is written. Many of these are refused, which is fine: a refused write leaves nothing.
const small = fc.integer({ min: 1, max: 5 })
const text = fc.constantFrom('a', 'b', 'c', 'x "y"', '\\u0000', 'é🦊', "it's", '', '[null]')
const nullable = <Value>(of: fc.Arbitrary<Value>) => fc.option(of, { freq: 4 })
const team = fc.record({ name: nullable(text), parent: nullable(small) }, { requiredKeys: [] })
const person = fc.record(
  {
    name: nullable(text),
    size: nullable(fc.constantFrom('1', '1.50', '12345678901234567890.123', '-0.0001')),
    data: nullable(fc.jsonValue({ maxDepth: 2, stringUnit: 'grapheme' })),
    tags: nullable(fc.subarray(['new', 'used'])),
    day: nullable(fc.constantFrom('2026-01-31', '0001-01-01')),
    team: nullable(small),
    others: fc.uniqueArray(small, { maxLength: 3 }),
  },
  { requiredKeys: [] },
)
const stored = person.map(({ others: _, ...rest }) => rest)
const pair = fc.record({ a: text, b: small, note: nullable(text), team: nullable(small) })
const mark = fc.record({
  value: nullable(text),
  a: nullable(text),
  b: nullable(small),
  span: nullable(fc.constantFrom('[1,3)', 'empty')),
  at: nullable(fc.constantFrom('infinity', '2026-01-02T03:04:05.678901Z')),
})

type Call = { path: string; method: string; body?: unknown; headers?: Record<string, string> }
const records = (table: string, rest = '') => `/api/v1/tables/${table}/records${rest}`
const body = fc.oneof(
  team.map((value) => ({ table: 'teams', value: value as Row })),
  person.map((value) => ({ table: 'people', value: value as Row })),
  pair.map((value) => ({ table: 'pairs', value: value as Row })),
  mark.map((value) => ({ table: 'marks', value: value as Row })),
)
const create = body.map(({ table, value }): Call => ({ path: records(table), method: 'POST', body: value }))
const createMany = fc.oneof(
  fc.array(team, { minLength: 1, maxLength: 4 }).map((list): Call => ({ path: records('teams'), method: 'POST', body: list })),
  fc.array(person, { minLength: 1, maxLength: 4 }).map((list): Call => ({ path: records('people'), method: 'POST', body: list })),
)
const change = fc.oneof(
  fc.tuple(small, team).map(([id, value]): Call => ({ path: records('teams', `/${id}`), method: 'PATCH', body: value })),
  fc.tuple(small, person).map(([id, value]): Call => ({ path: records('people', `/${id}`), method: 'PATCH', body: value })),
  fc.tuple(small, stored).map(([id, value]): Call => ({ path: records('people', `?id=gte.${id}`), method: 'PATCH', body: value })),
  fc.tuple(small, nullable(text)).map(([id, note]): Call => ({ path: records('pairs', `?b=gte.${id}`), method: 'PATCH', body: { note } })),
)
const remove = fc.tuple(fc.constantFrom('teams', 'people', 'pairs', 'marks'), small, fc.boolean()).map(([table, id, isBulk]): Call => {
  const column = table === 'pairs' || table === 'marks' ? 'b' : 'id'
  return { path: records(table, isBulk || column === 'b' ? `?${column}=gte.${id}` : `/${id}`), method: 'DELETE' }
})
const upsert = fc
  .tuple(
    fc.constantFrom('merge', 'ignore'),
    fc.oneof(
      fc
        .array(
          fc.tuple(small, stored).map(([id, value]) => ({ id, name: null, ...value })),
          { minLength: 1, maxLength: 3 },
        )
        .map((list) => ['people', list] as const),
      fc.array(pair, { minLength: 1, maxLength: 3 }).map((list) => ['pairs', list] as const),
    ),
  )
  .map(
    ([resolution, [table, list]]): Call => ({
      path: `/rest/v1/${table}?columns=${[...new Set(list.flatMap((value) => Object.keys(value)))].join(',')}`,
      method: 'POST',
      body: list,
      headers: { prefer: `resolution=${resolution}-duplicates` },
    }),
  )
const batch = fc
  .array(
    fc.oneof(
      body.map(({ table, value }) => ({ method: 'POST', table, body: value })),
      fc.tuple(fc.constantFrom('teams', 'people'), small).map(([table, id]) => ({ method: 'DELETE', table, pk: String(id) })),
      fc.tuple(small, person).map(([id, value]) => ({ method: 'PATCH', table: 'people', pk: String(id), body: value })),
      fc.tuple(small, team).map(([id, value]) => ({ method: 'PATCH', table: 'teams', pk: String(id), body: value })),
    ),
    { minLength: 1, maxLength: 4 },
  )
  .map((operations): Call => ({ path: '/api/v1/batch', method: 'POST', body: { operations } }))
const imported = fc.array(fc.tuple(small, small), { minLength: 1, maxLength: 4 }).map(
  (list): Call => ({
    path: '/api/v1/tables/pairs/import?mode=upsert&on=a,b',
    method: 'POST',
    body: `a,b,note\n${list.map(([b, note]) => `a,${b},${note}`).join('\n')}\n`,
    headers: { 'content-type': 'text/csv' },
  }),
)
const request = fc.oneof(create, createMany, change, remove, upsert, batch, imported)

const statement = fc.oneof(
  fc
    .tuple(small, fc.integer({ min: 100, max: 100_000 }))
    .map(([from, to]) => `update data.pairs set b = ${to} where (a, b) in (select a, b from data.pairs where b = ${from} limit 1)`),
  fc
    .tuple(small, small)
    .map(([a, b]) => `insert into data.pairs values ('a', ${a}, 'new'), ('b', ${b}, null) on conflict (a, b) do update set note = 'again'`),
  small.map(
    (id) => `merge into data.pairs p using (values ('a', ${id}), ('c', ${id})) v (a, b) on p.a = v.a and p.b = v.b
    when matched and p.note is null then delete when matched then update set note = null when not matched then insert values (v.a, v.b, 'merged')`,
  ),
  small.map(
    (id) => `with gone as (delete from data.pairs where b = ${id} returning *) insert into data.pairs select a, b, 'moved', team from gone`,
  ),
  small.map((id) => `delete from data.teams where id = ${id} returning *`),
  fc.constantFrom('truncate data.marks', 'truncate data.pairs cascade', `update data.people set data = '{"a":[1.50,null]}', size = 'NaN'`),
)
const definition = fc.constantFrom('size', 'day', 'tags', 'data')

let count = 0
/** How many writes of a kind were done; the test could not fail if all were refused. */
const done = new Map<string, number>()
const note = (kind: string) => done.set(kind, (done.get(kind) ?? 0) + 1)
const send = async ({ path, method, body: sent, headers = {} }: Call) => {
  const id = `run-${++count}`
  const response = await app.call(path, { as: 'editor', method, body: sent, headers: { ...headers, 'x-request-id': id } })
  const answer = await response.text()
  expect([response.status < 500, path, answer]).toEqual([true, path, answer])
  if (response.status < 300) note(`${method} ${/upsert|resolution|batch/.exec(path + JSON.stringify(headers))?.[0] ?? 'records'}`)
  return { id, isDone: response.status < 300 }
}

test('the log tells each row, whatever has written it', async () => {
  const names = new Map(['size', 'day', 'tags', 'data'].map((name) => [name, name]))
  const renamed = (call: Call): Call =>
    JSON.parse(
      JSON.stringify(call, (key, value) => {
        const isRecord = typeof value === 'object' && value !== null && !Array.isArray(value) && key !== 'headers'
        return isRecord ? Object.fromEntries(Object.entries(value).map(([name, each]) => [names.get(name) ?? name, each])) : value
      }),
    )
  const step = fc.oneof(
    { weight: 6, arbitrary: request.map((call) => ({ call })) },
    { weight: 3, arbitrary: statement.map((text) => ({ text })) },
    { weight: 1, arbitrary: definition.map((column) => ({ column })) },
  )
  const property = fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
    await beginAgain()
    for (const each of steps) {
      if ('call' in each) await send(renamed(each.call))
      else if ('text' in each)
        await sql.unsafe(each.text.replace(/\b(data|size) = /g, (_, name) => `"${names.get(name)}" = `)).then(
          () => note(each.text.split(' ', 1)[0]!),
          (error) => expect(error.code).toMatch(/^23/),
        )
      else {
        const name = `${each.column}${++count}`
        await admin(`/people/columns/${names.get(each.column)}`, 'PATCH', { name })
        names.set(each.column, name)
      }
    }
    expect(same(await replayed())).toEqual(same(await present()))
  })
  await fc.assert(property, { numRuns: runs })
  for (const [name, now] of names) if (name !== now) await admin(`/people/columns/${now}`, 'PATCH', { name })
})

const kinds = [
  'POST records',
  'PATCH records',
  'DELETE records',
  'POST resolution',
  'POST batch',
  'POST upsert',
  'update',
  'insert',
  'merge',
  'with',
  'delete',
  'truncate',
]

test('the undo of a request leaves the rows as they were, and its own undo as they were then', async () => {
  const property = fc.asyncProperty(fc.array(request, { minLength: 4, maxLength: 15 }), async (calls) => {
    await beginAgain()
    for (const call of calls) {
      const before = same(await present())
      const { id, isDone } = await send(call)
      const after = same(await present())
      if (!isDone || JSON.stringify(after) === JSON.stringify(before)) continue
      const undo = (of: string) =>
        app.call(`/api/v1/changes/${of}/undo`, { as: 'editor', method: 'POST', headers: { 'x-request-id': `undo-${of}` } })
      expect(await json(undo(id))).toMatchObject({ requestId: id })
      expect(same(await present())).toEqual(before)
      expect(await json(undo(`undo-${id}`))).toMatchObject({ requestId: `undo-${id}` })
      expect(same(await present())).toEqual(after)
    }
  })
  await fc.assert(property, { numRuns: runs })
  const few = kinds.filter((kind) => (done.get(kind) ?? 0) < 5)
  expect(few).toEqual([])
})
