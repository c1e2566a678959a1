import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { json, startApp } from '../../support/app'
import { expectProblem } from '../../support/problem'
import '../../support/properties'

const app = await startApp()
const { db } = app.deps

const make = (body: object) => app.call('/api/v1/tables', { as: 'admin', body }).then((response) => expect(response.status).toBe(201))
const recordsOf = (table: string) => `/api/v1/tables/${table}/records`
const batch = (operations: object[]) => app.call('/api/v1/batch', { as: 'editor', body: { operations } })

await make({ name: 'labels', columns: [{ name: 'name', type: 'text' }] })
await make({
  name: 'tasks',
  columns: [
    { name: 'title', type: 'text' },
    { name: 'labels', type: 'manyLinks', options: { table: 'labels' } },
  ],
})
await app.call(recordsOf('labels'), { as: 'editor', body: [{ name: 'red' }, { name: 'green' }, { name: 'blue' }] })

/** Each says the name of the writer and whether it got through; those of a batch are the batch's. */
type Write = (path: string, pk: string, ifMatch: string) => Promise<number>
const single =
  (method: string, body?: object): Write =>
  async (path, _pk, ifMatch) =>
    (await app.call(path, { as: 'editor', method, body, headers: { 'if-match': ifMatch } })).status
const batched =
  (method: string, body?: object): Write =>
  async (_path, pk, ifMatch) =>
    (await batch([{ method, table: 'tasks', pk, ifMatch, ...(body && { body }) }])).status
const writes: Record<string, Write> = {}
for (const [how, send] of Object.entries({ '': single, 'batch ': batched })) {
  writes[`${how}PATCH title`] = send('PATCH', { title: 'other' })
  writes[`${how}PATCH labels`] = send('PATCH', { labels: [2] })
  writes[`${how}PATCH both`] = send('PATCH', { title: 'both', labels: [1, 3] })
  writes[`${how}PUT`] = send('PUT', { title: 'put', labels: [3] })
  writes[`${how}DELETE`] = send('DELETE')
}

/** Holds the record's row until so many others wait for it, and lets them go all at once. */
async function whileHeld(id: string, waiting: number, send: () => Promise<number>[]): Promise<number[]> {
  let answers: Promise<number>[] = []
  await db.transaction(async ({ query }) => {
    await query('select from data.tasks where id = $1::bigint for update', [id])
    answers = send()
    const count = `select count(*)::int as n from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`
    while (((await db.query<{ n: number }>(count))[0]?.n ?? 0) < waiting) await Bun.sleep(10)
  })
  return Promise.all(answers)
}

describe('of writers with one version of a record with links to many', () => {
  test('one gets through, whatever they write, and however they send it', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(...Object.keys(writes)), { minLength: 2, maxLength: 4 }),
        fc.constantFrom([], [1], [1, 2]),
        async (names, labels) => {
          const made = await app.call(recordsOf('tasks'), { as: 'editor', body: { title: 'first', labels } })
          const [path, ifMatch] = [made.headers.get('location')!, made.headers.get('etag')!]
          const pk = path.split('/').at(-1)!
          const statuses = await whileHeld(pk, names.length, () => names.map((name) => writes[name]!(path, pk, ifMatch)))
          const passed = statuses.filter((status) => status < 300)
          expect({ names, statuses, passed: passed.length }).toEqual({ names, statuses, passed: 1 })
          for (const status of statuses) if (status >= 300) expect([412, 404]).toContain(status)
        },
      ),
      { numRuns: 25 },
    )
  })

  test('the other one is shown the links as they are by now', async () => {
    const made = await app.call(recordsOf('tasks'), { as: 'editor', body: { title: 'first', labels: [] } })
    const [path, ifMatch] = [made.headers.get('location')!, made.headers.get('etag')!]
    let refused: Promise<Response> | undefined
    await db.transaction(async ({ query }) => {
      await query('update data.tasks set title = title where id = $1::bigint', [path.split('/').at(-1)!])
      const [join] = await query<{ name: string }>(
        "select join_table ->> 'name' as name from rowhouse.columns where join_table is not null",
      )
      await query(`insert into data."${join!.name}" values ($1::bigint, 2)`, [path.split('/').at(-1)!])
      refused = app.call(path, { as: 'editor', method: 'PUT', body: { title: 'put' }, headers: { 'if-match': ifMatch } })
      const waits = `select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`
      while ((await db.query(waits)).length === 0) await Bun.sleep(10)
    })
    const { details } = await expectProblem(await refused!, 412, 'precondition_failed')
    expect(details!.current).toMatchObject({ title: 'first', labels: [2] })
  })
})

describe('the ETag of a record changes with what is shown of it', () => {
  const changes: [string, string][] = [
    ['a renamed column', 'alter table data.{} rename pages to sheets'],
    ['an added column', "alter table data.{} add more text default 'x'"],
    ['a dropped column', 'alter table data.{} drop pages'],
    ['another type', 'alter table data.{} alter title type varchar'],
    ['a label of an enum', "alter type data.{}_mood rename value 'ok' to 'fine'"],
    ['a column that is worked out', 'alter table data.{} alter twice set expression as (pages * 3)'],
  ]

  test.each(changes)('by %s', async (_what, statement) => {
    const table = `shown_${changes.findIndex(([, each]) => each === statement)}`
    await db.query(`create type data.${table}_mood as enum ('sad', 'ok')`)
    await db.query(
      `create table data.${table} (id int primary key, title text, mood data.${table}_mood, pages int,
        twice int generated always as (${statement.includes('drop') ? 'id' : 'pages'} * 2) virtual)`,
    )
    await db.query(`insert into data.${table} values (1, 'Emma', 'ok', 474)`)
    const paths = [`${recordsOf(table)}/1`, `${recordsOf(table)}/1?select=*`]
    const read = (path: string, headers: Record<string, string> = {}) => app.call(path, { as: 'viewer', headers })
    const before = await Promise.all(paths.map((path) => read(path)))
    expect(before.map(({ status }) => status)).toEqual([200, 200])
    await db.query(statement.replaceAll('{}', table))
    const after = await Promise.all(
      paths.map((path, index) =>
        read(path, { 'if-none-match': before[index]!.headers.get('etag')!, authorization: `Bearer ${app.tokens.viewer}` }),
      ),
    )
    expect(after.map(({ status }) => status)).toEqual([200, 200])
    expect(await after[0]!.text()).not.toBe(statement.includes('varchar') ? '' : await before[0]!.text())
    expect(after[0]!.headers.get('etag')).not.toBe(before[0]!.headers.get('etag'))
    const ifMatch = before[0]!.headers.get('etag')!
    const changed = await app.call(paths[0]!, { as: 'editor', method: 'PATCH', body: { title: 'lost' }, headers: { 'if-match': ifMatch } })
    const { details } = await expectProblem(changed, 412, 'precondition_failed')
    expect(details!.current).toEqual(await json(after[1]!))
    expect(changed.headers.get('etag')).toBe(after[0]!.headers.get('etag'))
    // On the short way, too.
    expect((await read(paths[0]!)).headers.get('etag')).toBe(after[0]!.headers.get('etag'))
  })

  test('by a trigger behind the write', async () => {
    await make({
      name: 'pages',
      columns: [
        { name: 'title', type: 'text' },
        { name: 'slug', type: 'text' },
      ],
    })
    await db.query(`create function data.set_slug() returns trigger language plpgsql as
      $$ begin update data.pages set slug = 's-' || new.id where id = new.id and slug is null; return null; end $$`)
    await db.query('create trigger set_slug after insert on data.pages for each row execute function data.set_slug()')
    const made = await app.call(recordsOf('pages'), { as: 'editor', body: { title: 'one' } })
    const read = await app.call(made.headers.get('location')!, { as: 'viewer' })
    expect([(await json(made)).slug, (await json(read)).slug]).toEqual(['s-1', 's-1'])
    expect(read.headers.get('etag')).toBe(made.headers.get('etag'))
    const sent = { as: 'editor', method: 'PATCH', body: { title: 'x' }, headers: { 'if-match': made.headers.get('etag')! } } as const
    expect((await app.call(made.headers.get('location')!, sent)).status).toBe(200)
  })

  test('and only tables whose rows a trigger may change before the commit are read again', async () => {
    const triggers = {
      row: 'create trigger x after update on data.{} for each row execute function data.work()',
      statement: 'create trigger x after insert on data.{} for each statement execute function data.work()',
      below:
        'create table data.partition partition of data.{} default; create trigger x after insert on data.partition for each row execute function data.work()',
      before: 'create trigger x before update on data.{} for each row execute function data.work()',
      removal: 'create trigger x after delete on data.{} for each row execute function data.work()',
      deferred:
        'create constraint trigger x after insert on data.{} deferrable initially deferred for each row execute function data.work()',
      own: 'create trigger x after insert on data.{} for each row execute function rowhouse.touch()',
      none: 'select',
    }
    await db.sql.unsafe('create function data.work() returns trigger language plpgsql as $$ begin return new; end $$')
    for (const [name, statement] of Object.entries(triggers)) {
      const parted = name === 'below' ? ' partition by list (id)' : ''
      await db.sql.unsafe(
        `create table data.triggered_${name} (id int primary key)${parted}; ${statement.replaceAll('{}', `triggered_${name}`)}`,
      )
    }
    const { byQualifiedName } = await app.deps.catalog.refresh()
    const found = Object.keys(triggers).filter((name) => byQualifiedName.get(`data.triggered_${name}`)!.changesWritten)
    expect(found).toEqual(['row', 'statement', 'below'])
  })

  test('by each of several changes of one batch, of which the last one names the record as it stays', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom('PATCH', 'PUT'), { minLength: 2, maxLength: 5 }),
        fc.boolean(),
        async (methods, isLinked) => {
          const table = isLinked ? 'tasks' : 'labels'
          const made = await app.call(recordsOf(table), { as: 'editor', body: {} })
          const pk = made.headers.get('location')!.split('/').at(-1)!
          const operations = methods.map((method, index) => ({ method, table, pk, body: { [isLinked ? 'title' : 'name']: `${index}` } }))
          const { results } = await json(batch(operations))
          const tags = results.map(({ etag }: { etag: string }) => etag)
          expect(new Set([made.headers.get('etag'), ...tags]).size).toBe(methods.length + 1)
          expect((await app.call(made.headers.get('location')!, { as: 'viewer' })).headers.get('etag')).toBe(tags.at(-1))
        },
      ),
      { numRuns: 10 },
    )
  })
})
