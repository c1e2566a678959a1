import { describe, expect, test } from 'bun:test'
import { setLogOfAllTables } from '../../src/changes/logged-tables'
import { json, startApp } from '../support/app'
import { upload } from '../support/csv'
import { expectProblem } from '../support/problem'

const app = await startApp()
const { sql } = app.deps.db

type Undo = { as?: 'admin' | 'editor'; query?: string }
const undo = (requestId: string, { as = 'admin', query = '' }: Undo = {}) =>
  app.call(`/api/v1/changes/${requestId}/undo${query}`, { as, method: 'POST' })

/** Makes a table from a file, by a request of this id. */
async function importTable(name: string, file = 'title,pages\nEmma,474\nMary,\n', more: Record<string, string> = {}): Promise<string> {
  const query = `?${new URLSearchParams({ name, ...more })}`
  const response = await upload(app, 'import', file, { as: 'admin', query, headers: { 'x-request-id': `import-${name}` } })
  expect(response.status).toBe(201)
  return (await json(response)).table.id
}
const exists = async (name: string) => (await app.call(`/api/v1/tables/${name}`, { as: 'admin' })).status === 200
const create = (path: string, body: unknown, as: 'admin' | 'editor' = 'editor') => app.call(`/api/v1/${path}`, { as, body })
const unused = { records: 0, columns: 0, files: 0, views: 0, forms: 0, shareLinks: 0 }

/** Until a session of this database waits for a lock. @returns its process */
async function lockAwaited(): Promise<number> {
  for (;;) {
    const [waiting] = await sql`select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    if (waiting) return waiting.pid
    await Bun.sleep(5)
  }
}

describe('an import that created a table', () => {
  test('is logged with its records, and its undo deletes the table', async () => {
    const id = await importTable('books')
    const { requests } = await json(app.call('/api/v1/tables/books/history', { as: 'viewer' }))
    expect(requests).toMatchObject([{ requestId: 'import-books', created: 2 }])
    const { changes } = await json(app.call('/api/v1/tables/books/records/1/history', { as: 'viewer' }))
    expect(changes).toMatchObject([{ action: 'create', requestId: 'import-books' }])
    const report = {
      ...{ requestId: 'import-books', created: 0, updated: 0, deleted: 0, skipped: 0, changedSince: [] },
      tables: [{ id, name: 'books', records: 2, since: unused }],
    }
    expect(await json(undo('import-books', { query: '?dryRun=true' }))).toEqual(report)
    expect(await exists('books')).toBe(true)
    expect(await json(undo('import-books'))).toEqual(report)
    expect(await exists('books')).toBe(false)
    const { entries } = await json(app.call('/api/v1/audit?kind=import_undone', { as: 'admin' }))
    expect(entries).toMatchObject([{ kind: 'import_undone', result: 'ok', subjectId: id }])
    await expectProblem(await undo('import-books'), 409, 'conflict')
    await importTable('books')
  })

  test('can be undone by administrators only', async () => {
    await importTable('admins')
    await expectProblem(await undo('import-admins', { as: 'editor' }), 403, 'forbidden')
    expect(await exists('admins')).toBe(true)
  })

  test('in a dry run leaves nothing to undo', async () => {
    const headers = { 'x-request-id': 'trial' }
    expect((await upload(app, 'import', 'a\n1\n', { as: 'admin', query: '?name=trial&dryRun=true', headers })).status).toBe(200)
    await expectProblem(await undo('trial'), 404, 'not_found')
  })

  test('is not undone while a constraint that is checked at the commit needs a record that it created', async () => {
    await create('tables', { name: 'poets', columns: [{ name: 'name', type: 'text' }] }, 'admin')
    await sql.unsafe('create table data.pins (poet bigint references data.poets deferrable initially deferred)')
    const columns = JSON.stringify({ poet: { type: 'link', options: { table: 'poets' } } })
    await importTable('poems', 'title,poet\nIthaka,Konstantinos\n', { columns, createLinked: 'true' })
    await sql.unsafe('insert into data.pins select id from data.poets')
    await expectProblem(await undo('import-poems'), 409, 'conflict')
    expect(await exists('poems')).toBe(true)
    await sql.unsafe('drop table data.pins')
    expect(await json(undo('import-poems'))).toMatchObject({ deleted: 1, tables: [{ name: 'poems' }] })
  })

  test('takes back the records that it created in linked tables', async () => {
    await create('tables', { name: 'authors', columns: [{ name: 'name', type: 'text' }] }, 'admin')
    await create('tables/authors/records', { name: 'Jane' })
    const columns = JSON.stringify({ author: { type: 'link', options: { table: 'authors' } } })
    await importTable('novels', 'title,author\nEmma,Jane\nDracula,Bram\n', { columns, createLinked: 'true' })
    const names = async () =>
      (await json(app.call('/api/v1/tables/authors/records', { as: 'viewer' }))).records.map((r: { name: string }) => r.name)
    expect(await names()).toEqual(['Jane', 'Bram'])
    expect(await json(undo('import-novels', { query: '?dryRun=true' }))).toMatchObject({ deleted: 1, tables: [{ name: 'novels' }] })
    const changed = await app.call('/api/v1/tables/authors/records/2', { as: 'editor', method: 'PATCH', body: { name: 'Bram Stoker' } })
    expect(changed.status).toBe(200)
    await expectProblem(await undo('import-novels'), 409, 'conflict')
    expect(await exists('novels')).toBe(true)
    expect(await json(undo('import-novels', { query: '?skipChanged=true' }))).toMatchObject({ deleted: 0, skipped: 1 })
    expect([await exists('novels'), await names()]).toEqual([false, ['Jane', 'Bram Stoker']])
  })

  test('that was used since is undone only if the caller confirms what they have seen', async () => {
    const id = await importTable('used')
    await create('tables/used/records', { title: 'later', pages: 1 })
    await app.call('/api/v1/tables/used/records/1', { as: 'editor', method: 'PATCH', body: { pages: 2 } })
    await create('tables/used/columns', { name: 'note', type: 'text' }, 'admin')
    const renamed = await app.call('/api/v1/tables/used/columns/title', { as: 'admin', method: 'PATCH', body: { name: 'name' } })
    expect(renamed.status).toBe(200)
    await app.call('/api/v1/tables/used/view', { as: 'viewer', method: 'PUT', body: { order: [] } })
    const since = { ...unused, records: 2, columns: 2, views: 1 }
    const seen = await json(undo('import-used', { query: '?dryRun=true' }))
    expect(seen).toMatchObject({ tables: [{ id, name: 'used', records: 3, since }], confirm: expect.any(String) })
    const refused = await expectProblem(await undo('import-used'), 409, 'conflict')
    expect(refused.details).toEqual({ tables: seen.tables, confirm: seen.confirm })
    await create('tables/used/records', { name: 'after they have seen it' })
    const changed = await expectProblem(await undo('import-used', { query: `?confirm=${seen.confirm}` }), 409, 'conflict')
    expect(changed.details).toMatchObject({ tables: [{ records: 4, since: { ...since, records: 3 } }] })
    expect((await undo('import-used', { query: `?confirm=${changed.details!.confirm}` })).status).toBe(200)
    expect(await exists('used')).toBe(false)
  })

  test('whose table others link to is not undone, and the links are named', async () => {
    await importTable('linked')
    await create('tables', { name: 'linking', columns: [{ name: 'to', type: 'link', options: { table: 'linked' } }] }, 'admin')
    for (const query of ['?dryRun=true', '']) {
      const refused = await expectProblem(await undo('import-linked', { query }), 409, 'conflict')
      expect(refused.details).toEqual({ links: ['"linking"."to"'] })
    }
  })

  test('whose table is no longer logged is not undone', async () => {
    await importTable('unlogged')
    await app.call('/api/v1/tables/unlogged/history', { as: 'admin', method: 'PUT', body: { logged: false } })
    const refused = await expectProblem(await undo('import-unlogged'), 409, 'conflict')
    expect(refused).toMatchObject({ message: 'Changes of "unlogged" are not logged.' })
    await sql`insert into data.unlogged (title) values ('unseen')`
    await app.call('/api/v1/tables/unlogged/history', { as: 'admin', method: 'PUT', body: { logged: true } })
    expect(await json(undo('import-unlogged', { query: '?dryRun=true' }))).toMatchObject({ tables: [{ since: { records: 3 } }] })
  })

  test.each(['one', 'all'])('that was used while its log was off (%s) has to be confirmed', async (which) => {
    const name = `unseen_${which}`
    const id = await importTable(name)
    const setLog = (logged: boolean) =>
      which === 'all'
        ? setLogOfAllTables(app.deps, !logged)
        : app.call(`/api/v1/tables/${id}/history`, { as: 'admin', method: 'PUT', body: { logged } })
    await setLog(false)
    await sql`update data.${sql(name)} set pages = 1`
    await setLog(true)
    const refused = await expectProblem(await undo(`import-${name}`), 409, 'conflict')
    expect(refused.details).toMatchObject({ tables: [{ records: 2, since: { ...unused, records: 2 } }] })
  })

  test('names a column that was added before another was moved', async () => {
    await importTable('moved')
    await create('tables/moved/columns', { name: 'note', type: 'text' }, 'admin')
    for (const [column, columns] of Object.entries({ note: 1, id: 4 })) {
      const moved = await app.call(`/api/v1/tables/moved/columns/${column}`, { as: 'admin', method: 'PATCH', body: { position: 3 } })
      expect(moved.status).toBe(200)
      const refused = await expectProblem(await undo('import-moved'), 409, 'conflict')
      expect(refused.details).toMatchObject({ tables: [{ since: { ...unused, columns } }] })
    }
  })

  test('is not confirmed by those who saw other forms', async () => {
    await importTable('formed')
    const addForm = (name: string) =>
      create('form-definitions', { name, table: 'formed', title: name, fields: [{ column: 'title' }] }, 'admin')
    expect((await addForm('first')).status).toBe(201)
    const { confirm } = (await expectProblem(await undo('import-formed'), 409, 'conflict')).details!
    expect((await app.call('/api/v1/form-definitions/first', { as: 'admin', method: 'DELETE' })).status).toBe(204)
    expect((await addForm('second')).status).toBe(201)
    const refused = await expectProblem(await undo('import-formed', { query: `?confirm=${confirm}` }), 409, 'conflict')
    expect(refused.details).toMatchObject({ tables: [{ since: { ...unused, forms: 1 } }] })
  })

  test('into an existing table is undone with the records that it created in linked tables', async () => {
    await create('tables', { name: 'breeds', columns: [{ name: 'name', type: 'text' }] }, 'admin')
    await create('tables/breeds/records', { name: 'Pug' })
    const columns = [
      { name: 'name', type: 'text' },
      { name: 'breed', type: 'link', options: { table: 'breeds' } },
    ]
    await create('tables', { name: 'dogs', columns }, 'admin')
    const headers = { 'x-request-id': 'import-dogs' }
    const sent = await upload(app, 'dogs', 'name,breed\nRex,Pug\nBo,Collie\n', { headers, query: '?createLinked=true' })
    expect(sent.status).toBe(200)
    expect(await json(undo('import-dogs', { as: 'editor' }))).toMatchObject({ deleted: 3 })
    for (const [table, left] of [
      ['dogs', []],
      ['breeds', ['Pug']],
    ] as const) {
      const { records } = await json(app.call(`/api/v1/tables/${table}/records`, { as: 'viewer' }))
      expect(records.map(({ name }: { name: string }) => name)).toEqual([...left])
    }
  })

  test('is only that: an import into an existing table leaves the table', async () => {
    await create('tables', { name: 'kept', columns: [{ name: 'title', type: 'text' }] }, 'admin')
    const headers = { 'x-request-id': 'import-kept' }
    expect((await upload(app, 'kept', 'title\nEmma\n', { headers })).status).toBe(200)
    const report = await json(undo('import-kept'))
    expect(report).toMatchObject({ deleted: 1 })
    expect(report).not.toHaveProperty('tables')
    expect(await exists('kept')).toBe(true)
  })
})

describe('the undo of such an import', () => {
  test('by two at once happens once', async () => {
    await importTable('twice')
    const statuses = (await Promise.all([undo('import-twice'), undo('import-twice')])).map(({ status }) => status)
    expect(statuses.sort()).toEqual([200, 409])
    expect(await exists('twice')).toBe(false)
  })

  test('waits for others who write, and then tells what they wrote', async () => {
    await importTable('waiting')
    const written = Promise.withResolvers<void>()
    const other = sql.begin(async (tx) => {
      await tx`insert into data.waiting (title) values ('at the same time')`
      await written.promise
    })
    const undone = undo('import-waiting')
    await lockAwaited()
    written.resolve()
    await other
    const refused = await expectProblem(await undone, 409, 'conflict')
    expect(refused.details).toMatchObject({ tables: [{ records: 3, since: { records: 1 } }] })
  })

  test('leaves all as it was if its connection is lost', async () => {
    await create('tables', { name: 'owners', columns: [{ name: 'name', type: 'text' }] }, 'admin')
    const columns = JSON.stringify({ owner: { type: 'link', options: { table: 'owners' } } })
    await importTable('pets', 'name,owner\nRex,Ada\n', { columns, createLinked: 'true' })
    const released = Promise.withResolvers<void>()
    const other = sql.begin(async (tx) => {
      await tx`select from data.owners for update`
      await released.promise
    })
    const undone = undo('import-pets')
    // It has dropped the table, and waits for the linked record.
    const pid = await lockAwaited()
    // In the meantime, others use forms, links, views and files of other tables.
    for (const name of ['forms', 'share_links', 'table_views', 'named_views', 'files']) {
      await sql.begin((tx) => tx.unsafe(`set local lock_timeout = '1ms'; lock table rowhouse.${name} in row exclusive mode`).simple())
    }
    await sql`select pg_terminate_backend(${pid})`
    expect((await undone).status).toBeGreaterThanOrEqual(500)
    released.resolve()
    await other
    expect([...(await sql`select p.name, o.name as owner from data.pets p join data.owners o on o.id = p.owner`)]).toEqual([
      { name: 'Rex', owner: 'Ada' },
    ])
    expect(await json(undo('import-pets'))).toMatchObject({ deleted: 1, tables: [{ name: 'pets' }] })
  })
})
