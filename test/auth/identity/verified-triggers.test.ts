import { describe, expect, test } from 'bun:test'
import { refreshIfStale } from '../../../src/tables/catalog/stale-definitions'
import { type Holder, startTwo } from '../../support/presuming'

/**
 * Rules and triggers that PostgreSQL runs for a write, and that belong to other tables than the one that is written.
 */
const { app, careful, newHolder, send } = await startTwo()
const { db } = app.deps
const columns = [{ name: 'title', type: 'text' }]
const make = async (name: string) => expect((await app.call('/api/v1/tables', { as: 'admin', body: { name, columns } })).status).toBe(201)
await make('books')
await app.call('/api/v1/tables/books/records', { as: 'admin', body: { title: 'Emma' } })

let count = 0
const newTitle = () => `title ${count++}`

/** Is presumed from now on. */
async function newWriter(): Promise<Holder> {
  const holder = await newHolder('editor')
  await send(app.url, holder, '/api/v1/tables/books/records/1')
  return holder
}

describe('a change that a trigger puts elsewhere is made once', () => {
  const tables = {
    'of a partition': `create table data.{} (id int primary key, title text) partition by range (id);
      create table data.{}_behind partition of data.{} for values from (0) to (100)`,
    'of a partition of a partition': `create table data.{} (id int primary key, title text) partition by range (id);
      create table data.{}_half partition of data.{} for values from (0) to (100) partition by range (id);
      create table data.{}_behind partition of data.{}_half for values from (0) to (100)`,
    'of a table that inherits': 'create table data.{} (id int primary key, title text); create table data.{}_behind () inherits (data.{})',
    'behind a view': `create table data.{}_behind (id int primary key, title text); create view data.{}_view as select id, title from data.{}_behind;
      create view data.{} as select * from data.{}_view`,
  }
  const propose = async (name: string, trigger: string) => {
    await db.query(`create table data.${name}_proposals (title text)`)
    await db.query(`create function data.propose_${name}() returns trigger language plpgsql as
      $$ begin insert into data.${name}_proposals values (new.title); return null; end $$`)
    await db.query(`create trigger propose ${trigger} for each row execute function data.propose_${name}()`)
    await refreshIfStale(app.deps.catalog, { code: '42P01' })
    const { byName } = await app.deps.catalog.current()
    return byName.get(name)!.leavesOutChanges
  }
  const changes = async (name: string) => {
    const holder = await newWriter()
    const titles = Array.from({ length: 16 }, newTitle)
    await Promise.all(titles.map((title) => send(app.url, holder, `/rest/v1/${name}?id=eq.1`, { method: 'PATCH', body: { title } })))
    const proposed = await db.query<{ title: string }>(`select title from data.${name}_proposals`)
    expect(proposed.map(({ title }) => title).sort()).toEqual(titles.sort())
  }

  test.each(Object.entries(tables))('%s', async (_where, definition) => {
    const name = `below_${Object.values(tables).indexOf(definition)}`
    for (const statement of definition.split(';')) await db.query(statement.replaceAll('{}', name))
    await db.query(`insert into data.${name}_behind values (1, 'first')`)
    expect(await propose(name, `before update on data.${name}_behind`)).toBe(true)
    if (!name.endsWith('3')) await changes(name)
  })

  test('instead of an update of a view', async () => {
    await db.query('create table data.instead_behind (id int primary key, title text)')
    await db.query('create view data.instead as select * from data.instead_behind')
    expect(await propose('instead', 'instead of update on data.instead')).toBe(true)
  })
})

describe('a view before a table', () => {
  const writes: [number, string, (title: string) => Parameters<typeof send>[3]][] = [
    [201, '/api/v1/tables/{}/records', (title) => ({ body: { title } })],
    [201, '/rest/v1/{}', (title) => ({ body: { title } })],
  ]
  const logOf = async (table: string) =>
    (await db.query<{ title: string }>(`select title from data.${table}_log order by 1`)).map(({ title }) => title)

  test('with a rule is written as ever', async () => {
    await make('behind_ruled')
    await db.query('create table data.ruled_view_log (title text)')
    const log = 'do also insert into data.ruled_view_log values (new.title)'
    for (const verb of ['insert', 'update']) await db.query(`create rule ${verb}_log as on ${verb} to data.behind_ruled ${log}`)
    await db.query('create view data.ruled_view as select id, title from data.behind_ruled')
    const holder = await newWriter()
    const titles = [newTitle(), newTitle()]
    for (const [index, [status, path, sent]] of writes.entries()) {
      expect((await send(app.url, holder, path.replace('{}', 'ruled_view'), sent(titles[index]!))).status).toBe(status)
    }
    expect(await logOf('ruled_view')).toEqual(titles.sort())
  })

  test('with a trigger for statements does nothing for a caller who may no longer write', async () => {
    await make('behind_told')
    await db.query('create table data.told_view_log (title text)')
    await db.query(`create function data.tell_view() returns trigger language plpgsql as
      $$ begin insert into data.told_view_log values (tg_op); return null; end $$`)
    await db.query('create trigger tell after insert or update on data.behind_told for each statement execute function data.tell_view()')
    await db.query('create view data.told_view as select id, title from data.behind_told')
    for (const [status, path, sent] of writes) {
      const holder = await newWriter()
      const write = () => send(app.url, holder, path.replace('{}', 'told_view'), sent(newTitle()))
      expect((await write()).status).toBe(status)
      const before = await logOf('told_view')
      await careful.db.query('delete from rowhouse.tokens where id = $1::uuid', [holder.id])
      expect((await write()).status).toBe(401)
      expect(await logOf('told_view')).toEqual(before)
    }
  })
})
