import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { json } from '../../support/app'
import { type Holder, startTwo } from '../../support/presuming'
import { until } from '../../support/processes'

const { app, other, careful, newHolder, send, queriesOf } = await startTwo()
const { db } = app.deps
const columns = [
  { name: 'title', type: 'text', unique: true },
  { name: 'pages', type: 'integer' },
]
const idOf = async (name: string): Promise<string> => (await json(app.call('/api/v1/tables', { as: 'admin', body: { name, columns } }))).id
const [books, films] = [await idOf('books'), await idOf('films')]
const records = '/api/v1/tables/books/records'
await app.call(records, { as: 'admin', body: [{ title: 'Emma' }, { title: 'Persuasion' }] })

await db.query(`create table data.changed (id int)`)
await db.query(`create function data.note_change() returns trigger language plpgsql as
  $$ begin insert into data.changed values (new.id); return null; end $$`)
// Deferred, since a table with another trigger is read again in a second statement.
await db.query(
  'create constraint trigger note_change after update on data.books deferrable initially deferred for each row execute function data.note_change()',
)

let count = 0
const newTitle = () => `title ${count++}`

type Asked = [kind: string, path: string, sent: () => Parameters<typeof send>[3], status: number]
/**
 * Every kind of write; those that prove by themselves who asks, those that cannot, and those that PostgreSQL or we
 * refuse.
 */
const asked: Asked[] = [
  ['a new record', records, () => ({ body: { title: newTitle() } }), 201],
  ['a record of defaults', '/api/v1/tables/films/records', () => ({ body: {} }), 201],
  ['several new records', records, () => ({ body: [{ title: newTitle() }, { title: newTitle() }] }), 201],
  ['a record tried out', `${records}?dryRun=true`, () => ({ body: { title: newTitle() } }), 201],
  ['a record that is there', records, () => ({ body: { title: 'Emma' } }), 409],
  ['what is no record', records, () => ({ body: { pages: 'x' } }), 422],
  ['a number too large', records, () => ({ body: { pages: 99999999999 } }), 422],
  ['a record of no table', '/api/v1/tables/nothing/records', () => ({ body: {} }), 404],
  ['a change', `${records}/1`, () => ({ method: 'PATCH', body: { pages: count++ } }), 200],
  ['a change of nothing', `${records}/1`, () => ({ method: 'PATCH', body: {} }), 200],
  ['a change of no record', `${records}/999999`, () => ({ method: 'PATCH', body: { pages: 1 } }), 404],
  ['a change of another version', `${records}/1`, () => ({ method: 'PATCH', body: { pages: 1 }, headers: { 'if-match': '"x"' } }), 412],
  ['a change of many', `${records}?title=eq.Emma`, () => ({ method: 'PATCH', body: { pages: count++ } }), 200],
  ['a row', '/rest/v1/books', () => ({ body: { title: newTitle() } }), 201],
  ['several rows', '/rest/v1/books', () => ({ body: [{ title: newTitle() }, { title: newTitle() }] }), 201],
  ['a row that is there', '/rest/v1/books', () => ({ body: { title: 'Emma' } }), 409],
  ['a row of no table', '/rest/v1/nothing', () => ({ body: {} }), 404],
  ['a change of a row', '/rest/v1/books?id=eq.1', () => ({ method: 'PATCH', body: { pages: count++ } }), 204],
  ['a change of rows', '/rest/v1/books?title=eq.Emma', () => ({ method: 'PATCH', body: { pages: count++ } }), 204],
  ['a change of no row', '/rest/v1/books?id=eq.999999', () => ({ method: 'PATCH', body: { pages: 1 } }), 204],
]

const state = async () => (await db.query<{ text: string }>('select jsonb_agg(b order by id)::text as text from data.books b'))[0]!.text

/** Is presumed from now on. */
async function newWriter(): Promise<Holder> {
  const holder = await newHolder('editor')
  await send(app.url, holder, `${records}/1`)
  return holder
}

describe('a caller who was there a moment ago', () => {
  test.each<[...Asked, number]>([
    [...asked[0]!, 1],
    [...asked.find(([kind]) => kind === 'a change')!, 1],
    [...asked.find(([kind]) => kind === 'a row')!, 1],
    [...asked.find(([kind]) => kind === 'a change of a row')!, 1],
    // These are proven by a look-up before anything is written. A transaction's own statements are not counted.
    [...asked.find(([kind]) => kind === 'several new records')!, 1],
    [...asked.find(([kind]) => kind === 'several rows')!, 2],
  ])('is found out by the statement that writes: %s', async (_kind, path, sent, status, queries) => {
    const holder = await newWriter()
    const write = async () => expect((await send(app.url, holder, path, sent())).status).toBe(status)
    await write()
    expect(await queriesOf(write)).toBe(queries)
  })

  test('and many of them share a statement', async () => {
    const holder = await newWriter()
    const write = () => Promise.all(Array.from({ length: 8 }, () => send(app.url, holder, records, { body: { title: newTitle() } })))
    let answers: Response[] = []
    const queries = await queriesOf(async () => {
      answers = await write()
    })
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(201))
    expect(queries).toBeLessThan(8)
  })

  test.each(asked)('is answered as one who is looked up: %s', async (_kind, path, sent, status) => {
    const holder = await newWriter()
    for (let time = 0; time < 2; time++) {
      expect((await send(app.url, holder, path, sent())).status).toBe(status)
      expect((await send(other.url, holder, path, sent())).status).toBe(status)
    }
  })

  test('has the use of the token noted', async () => {
    const holder = await newWriter()
    await db.query("update rowhouse.tokens set last_used_at = now() - interval '1 hour' where id = $1::uuid", [holder.id])
    const before = JSON.parse(await state()).length
    expect((await send(app.url, holder, records, { body: { title: newTitle() } })).status).toBe(201)
    expect(JSON.parse(await state()).length).toBe(before + 1)
    const isNoted = "select from rowhouse.tokens where id = $1::uuid and last_used_at > now() - interval '50 minutes'"
    await until('the use is noted', async () => (await db.query(isNoted, [holder.id])).length > 0)
  })

  test('has a record written once where a trigger puts it elsewhere', async () => {
    await idOf('kept')
    await db.query('create table data.elsewhere (title text)')
    await db.query(`create function data.move() returns trigger language plpgsql as
      $$ begin insert into data.elsewhere values (new.title); return null; end $$`)
    await db.query('create trigger move before insert on data.kept for each row execute function data.move()')
    const holder = await newWriter()
    for (const path of ['/api/v1/tables/kept/records', '/rest/v1/kept']) await send(app.url, holder, path, { body: { title: path } })
    expect(await db.query('select title, count(*)::int from data.elsewhere group by 1 order by 1')).toEqual([
      { title: '/api/v1/tables/kept/records', count: 1 },
      { title: '/rest/v1/kept', count: 1 },
    ] as never)
    const titles = Array.from({ length: 16 }, newTitle)
    await Promise.all(titles.map((title) => send(app.url, holder, '/rest/v1/kept', { body: { title } })))
    const kept = await db.query<{ title: string }>("select title from data.elsewhere where title like 'title%'")
    expect(kept.map(({ title }) => title).sort()).toEqual(titles.sort())
  })

  test('has a change made once where a trigger puts it elsewhere', async () => {
    await idOf('held')
    await app.call('/api/v1/tables/held/records', { as: 'admin', body: { title: 'first' } })
    await db.query('create table data.proposals (title text)')
    await db.query(`create function data.propose() returns trigger language plpgsql as
      $$ begin if new.pages is null then insert into data.proposals values (new.title); return null; end if; return new; end $$`)
    await db.query('create trigger propose before update on data.held for each row execute function data.propose()')
    const holder = await newWriter()
    const titles = Array.from({ length: 16 }, newTitle)
    await Promise.all(titles.map((title) => send(app.url, holder, '/rest/v1/held?id=eq.1', { method: 'PATCH', body: { title } })))
    const proposed = await db.query<{ title: string }>('select title from data.proposals')
    expect(proposed.map(({ title }) => title).sort()).toEqual(titles.sort())
  })
})

test('only triggers that may leave changes out keep these from sharing a statement', async () => {
  const own = [...columns, { name: 'touched', type: 'updatedAt' }]
  for (const name of ['kept_new', 'kept_own', 'left_out']) {
    await app.call('/api/v1/tables', { as: 'admin', body: { name, columns: name === 'kept_own' ? own : columns } })
  }
  const make = (name: string, body: string) =>
    db.query(`create function data.before_${name}() returns trigger language plpgsql as $$ begin ${body} end $$`)
  await make('kept_new', 'new.pages := 1; RETURN  NEW;')
  await make('left_out', 'if new.pages = 1 then return old; end if; return new;')
  for (const name of ['kept_new', 'left_out']) {
    await db.query(`create trigger b before update on data.${name} for each row execute function data.before_${name}()`)
  }
  const { byName } = await app.deps.catalog.current()
  const flags = ['kept_new', 'kept_own', 'left_out'].map((name) => byName.get(name)!.leavesOutChanges)
  expect(flags).toEqual([false, false, true])
})

describe('a table for whose statements PostgreSQL does more than to write rows', () => {
  const writes: [number, string, (title: string) => Parameters<typeof send>[3]][] = [
    [201, '/api/v1/tables/{}/records', (title) => ({ body: { title } })],
    [201, '/rest/v1/{}', (title) => ({ body: { title } })],
    [200, '/api/v1/tables/{}/records/1', (title) => ({ method: 'PATCH', body: { title } })],
    [204, '/rest/v1/{}?id=eq.1', (title) => ({ method: 'PATCH', body: { title } })],
  ]
  const logOf = async (table: string) =>
    (await db.query<{ title: string }>(`select title from data.${table}_log order by 1`)).map(({ title }) => title)
  const prepare = async (table: string, statements: string[]) => {
    await idOf(table)
    await app.call(`/api/v1/tables/${table}/records`, { as: 'admin', body: { title: 'first' } })
    await db.query(`create table data.${table}_log (title text)`)
    for (const statement of statements) await db.query(statement)
  }

  test('by a rule, is written as ever', async () => {
    const log = 'do also insert into data.ruled_log values (new.title)'
    await prepare('ruled', [`create rule a as on insert to data.ruled ${log}`, `create rule b as on update to data.ruled ${log}`])
    const holder = await newWriter()
    const titles = writes.map(() => newTitle())
    for (const [index, [status, path, sent]] of writes.entries()) {
      expect((await send(app.url, holder, path.replace('{}', 'ruled'), sent(titles[index]!))).status).toBe(status)
    }
    expect(await logOf('ruled')).toEqual(titles.sort())
  })

  test('by a trigger for statements, does nothing for a caller who may no longer write', async () => {
    await prepare('told', [
      `create function data.tell() returns trigger language plpgsql as $$ begin insert into data.told_log values (tg_op); return null; end $$`,
      'create trigger tell before insert or update on data.told for each statement execute function data.tell()',
    ])
    for (const [status, path, sent] of writes) {
      const holder = await newWriter()
      const write = () => send(app.url, holder, path.replace('{}', 'told'), sent(newTitle()))
      expect((await write()).status).toBe(status)
      const before = await logOf('told')
      await careful.db.query('delete from rowhouse.tokens where id = $1::uuid', [holder.id])
      expect((await write()).status).toBe(401)
      expect(await logOf('told')).toEqual(before)
    }
  })
})

const changes: Record<string, (holder: Holder) => Promise<unknown>> = {
  'the token is revoked': ({ id }) => careful.db.query('delete from rowhouse.tokens where id = $1::uuid', [id]),
  'the token ends': ({ id }) => careful.db.query('update rowhouse.tokens set expires_at = now() where id = $1::uuid', [id]),
  'the token may only read': ({ id }) => careful.db.query("update rowhouse.tokens set scope = 'read' where id = $1::uuid", [id]),
  'the token is held to another table': ({ id }) =>
    careful.db.query("update rowhouse.tokens set tables = array['00000000-0000-4000-8000-000000000000'::uuid] where id = $1::uuid", [id]),
  'the user is disabled': ({ userId }) => careful.db.query('update rowhouse.users set disabled_at = now() where id = $1::uuid', [userId]),
  'the user may only look': ({ userId }) => careful.db.query("update rowhouse.users set role = 'viewer' where id = $1::uuid", [userId]),
}

describe('what shares a statement', () => {
  const changesOf = async (id: number) =>
    Number((await db.query<{ n: string }>('select count(*)::text as n from data.changed where id = $1::int', [String(id)]))[0]!.n)

  test.each([
    [200, `${records}/2`],
    [204, '/rest/v1/books?id=eq.2'],
  ])('and is left to a second one is made all the same, where the claim holds no more by then (%i)', async (status, path) => {
    const holder = await newWriter()
    const { query } = db
    let isFirst = true
    db.query = async (...given) => {
      const rows = await query(...(given as Parameters<typeof query>))
      if (isFirst && given[0].includes('update "data"."books"') && given[0].includes('with ordinality')) {
        isFirst = false
        await careful.db.query('update rowhouse.users set last_login_at = now() where id = $1::uuid', [holder.userId])
      }
      return rows as never
    }
    // Of changes of one record a statement makes one.
    const write = (_: unknown, pages: number) => send(app.url, holder, path, { method: 'PATCH', body: { pages } })
    const before = await changesOf(2)
    const answers = await Promise.all(Array.from({ length: 16 }, write)).finally(() => Object.assign(db, { query }))
    expect(isFirst).toBe(false)
    expect(answers.map((answer) => answer.status)).toEqual(Array(16).fill(status))
    expect((await changesOf(2)) - before).toBe(16)
  })
})

describe('the next write knows', () => {
  for (const [what, change] of Object.entries(changes)) {
    test.each(asked)(`that ${what}, for %s`, async (_kind, path, sent) => {
      const holder = await newWriter()
      await send(app.url, holder, path, sent())
      await change(holder)
      const before = await state()
      const answer = await send(app.url, holder, path, sent())
      const expected = await send(other.url, holder, path, sent())
      expect([answer.status, (await answer.text()).replace(/"requestId":"[^"]*"/, '')]).toEqual([
        expected.status,
        (await expected.text()).replace(/"requestId":"[^"]*"/, ''),
      ])
      expect([401, 403, 404]).toContain(answer.status)
      expect(await state()).toBe(before)
    })
  }

  test('in a flood, from the moment on that the change is made, and none is lost or made twice', async () => {
    for (const change of Object.values(changes)) {
      const holder = await newWriter()
      const mark = crypto.randomUUID()
      let changedAt = Number.POSITIVE_INFINITY
      const [late, made]: [number[], string[]] = [[], []]
      const flood = async (index: number) => {
        const path = index % 2 ? records : '/rest/v1/books'
        while (late.length < 50) {
          const [sentAt, title] = [performance.now(), `${mark} ${count++}`]
          const { status } = await send(app.url, holder, path, { body: { title } })
          if (status === 201) made.push(title)
          if (sentAt > changedAt) late.push(status)
        }
      }
      const changing = until('records are made', () => made.length >= 16).then(async () => {
        await change(holder)
        changedAt = performance.now()
      })
      await Promise.all([changing, ...Array.from({ length: 16 }, (_, index) => flood(index))])
      expect(made.length).toBeGreaterThan(0)
      expect(late.length).toBeGreaterThan(0)
      expect(late.filter((status) => ![401, 403, 404].includes(status))).toEqual([])
      const rows = await db.query<{ title: string }>("select title from data.books where title like $1 || '%'", [mark])
      expect(rows.map(({ title }) => title).sort()).toEqual(made.sort())
    }
  })
})

test('what may have been written is not written again, also where PgBouncer says that it lost the connection', async () => {
  for (const [index, size] of [1, 8].entries()) {
    const holder = await newWriter()
    const { query } = db
    db.query = async (...given) => {
      const rows = await query(...(given as Parameters<typeof query>))
      if (!given[0].includes('insert into "data"."books"')) return rows as never
      await careful.db.query('update rowhouse.users set last_login_at = now() where id = $1::uuid', [holder.userId])
      throw Object.assign(new Error('server closed the connection unexpectedly'), { code: '08P01', severity: 'FATAL' })
    }
    const write = () => send(app.url, holder, records, { body: { pages: 7000 + index } })
    const answers = await Promise.all(Array.from({ length: size }, write)).finally(() => Object.assign(db, { query }))
    expect(answers.map(({ status }) => status)).toEqual(Array(size).fill(503))
    const [made] = await db.query<{ count: number }>('select count(*)::int from data.books where pages = $1::int', [String(7000 + index)])
    expect(made!.count).toBeLessThanOrEqual(size)
  }
})

describe('a body that cannot be read, where the request starts over', () => {
  const bytes = (...given: number[]) => new Uint8Array(given)
  const inParts = (whole: Uint8Array<ArrayBuffer>) => new Blob([whole]).stream()
  const large = new Uint8Array(11_000_000).fill(32)
  test.each([
    ['no UTF-8', bytes(0x7b, 0xff, 0x7d), 400],
    ['no UTF-8, in parts', inParts(bytes(0x7b, 0xff, 0x7d)), 400],
    ['too large', large, 413],
    ['too large, in parts', inParts(large), 413],
  ])('is refused as at first: %s', async (_kind, body, status) => {
    const streams = body instanceof ReadableStream ? body.tee() : [body, body]
    for (const [index, path] of [records, '/rest/v1/books'].entries()) {
      const holder = await newWriter()
      await careful.db.query('update rowhouse.users set last_login_at = now() where id = $1::uuid', [holder.userId])
      const headers = { authorization: `Bearer ${holder.token}`, 'content-type': 'application/json' }
      expect((await fetch(app.url + path, { method: 'POST', headers, body: streams[index] })).status).toBe(status)
    }
  })
})

type Step = { kind: 'ask'; index: number } | { kind: 'change'; statement: string }

const statements = [
  `update rowhouse.tokens set tables = array['${films}'::uuid] where id = $1::uuid`,
  `update rowhouse.tokens set tables = array['${films}'::uuid, '${books}'::uuid] where id = $1::uuid`,
  'update rowhouse.tokens set tables = null where id = $1::uuid',
  "update rowhouse.tokens set scope = 'read' where id = $1::uuid",
  "update rowhouse.tokens set scope = 'write' where id = $1::uuid",
  "update rowhouse.tokens set expires_at = now() - interval '1 second' where id = $1::uuid",
  "update rowhouse.tokens set expires_at = now() + interval '1 hour' where id = $1::uuid",
  "update rowhouse.tokens set last_used_at = now() - interval '1 hour' where id = $1::uuid",
  "update rowhouse.users set role = 'viewer' where id = (select user_id from rowhouse.tokens where id = $1::uuid)",
  "update rowhouse.users set role = 'editor' where id = (select user_id from rowhouse.tokens where id = $1::uuid)",
  'update rowhouse.users set disabled_at = now() where id = (select user_id from rowhouse.tokens where id = $1::uuid)',
  'update rowhouse.users set disabled_at = null where id = (select user_id from rowhouse.tokens where id = $1::uuid)',
]
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('ask' as const), index: fc.nat(asked.length - 1) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('change' as const), statement: fc.constantFrom(...statements) }) },
)

test('whatever happens in whatever order, an instance that presumes writes as one that never does', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 30 }), async (steps) => {
      const holder = await newWriter()
      for (const each of steps) {
        if (each.kind === 'change') {
          await careful.db.query(each.statement, [holder.id])
          continue
        }
        const [kind, path, sent] = asked[each.index]!
        const size = async () => JSON.parse(await state()).length
        const before = await size()
        const answer = await send(app.url, holder, path, sent())
        const between = await size()
        const expected = await send(other.url, holder, path, sent())
        expect([kind, answer.status, between - before]).toEqual([kind, expected.status, (await size()) - between])
      }
    }),
    { numRuns: 20 },
  )
})
