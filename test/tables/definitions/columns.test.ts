import { describe, expect, test } from 'bun:test'
import { json, startApp } from '../../support/app'
import { expectProblem } from '../../support/problem'

const app = await startApp()
const admin = (path: string, method: string, body?: unknown) => app.call(`/api/v1/tables${path}`, { as: 'admin', method, body })
const made = async (name: string, columns: object[], more: object = {}) => {
  const response = await admin('', 'POST', { name, columns, ...more })
  if (response.status !== 201) throw new Error(await response.text())
  return response.json() as Promise<{ id: string; columns: { id: string; name: string }[] }>
}
const insert = async (table: string, ...records: object[]) => {
  const response = await app.call(`/api/v1/tables/${encodeURIComponent(table)}/records`, { as: 'editor', body: records })
  if (response.status !== 201) throw new Error(await response.text())
}
const psql = (text: string) => app.deps.db.sql.unsafe(text)

describe('who may', () => {
  test.each([
    ['PATCH', '/roles', { name: 'x' }],
    ['DELETE', '/roles?confirm=roles', undefined],
    ['POST', '/roles/columns', { name: 'x', type: 'text' }],
    ['PATCH', '/roles/columns/a', { name: 'x' }],
    ['DELETE', '/roles/columns/a?confirm=a', undefined],
  ] as const)('%s %s: admins only', async (method, path, body) => {
    await app.call('/api/v1/tables', { as: 'admin', body: { name: 'roles', columns: [{ name: 'a', type: 'text' }] } })
    for (const [as, status] of [
      [undefined, 401],
      ['viewer', 403],
      ['editor', 403],
    ] as const) {
      expect((await app.call(`/api/v1/tables${path}`, { as, method, body })).status).toBe(status)
    }
  })
})

describe('a table', () => {
  test('is renamed: the id stays, the old name is free, records stay', async () => {
    const { id } = await made('before', [{ name: 'a', type: 'text' }])
    await insert('before', { a: 'x' })
    const renamed = await admin('/before', 'PATCH', { name: 'after "1"' })
    expect({ status: renamed.status, body: await renamed.json() }).toMatchObject({ status: 200, body: { id, name: 'after "1"' } })
    await expectProblem(await app.call('/api/v1/tables/before', { as: 'viewer' }), 404, 'not_found')
    expect(await json(app.call(`/api/v1/tables/${id}/records`, { as: 'viewer' }))).toMatchObject({ records: [{ a: 'x' }] })
    expect((await admin('/after%20%221%22', 'PATCH', { name: 'after "1"' })).status).toBe(200)
    await made('before', [])
  })

  test('cannot take the name of another one, of a relation of psql, or one that no table may have', async () => {
    await made('one', [])
    await made('other', [])
    await psql('create view data.somebodys as select 1 as a')
    await expectProblem(await admin('/one', 'PATCH', { name: 'other' }), 409, 'conflict')
    await expectProblem(await admin('/one', 'PATCH', { name: 'somebodys' }), 409, 'conflict')
    await expectProblem(await admin('/one', 'PATCH', { name: 'other_pkey' }), 409, 'conflict')
    for (const name of ['', ' ', 'x'.repeat(64), 'a\0', '\ud800', '..', Bun.randomUUIDv7()]) {
      await expectProblem(await admin('/one', 'PATCH', { name }), 422, 'validation_failed')
    }
    const { hint } = await expectProblem(await admin('/onee', 'PATCH', { name: 'x' }), 404, 'not_found')
    expect(hint).toBe('Did you mean "one"?')
  })

  test('is deleted only by its name', async () => {
    const { id } = await made('Gone "soon"', [{ name: 'a', type: 'text' }])
    for (const query of ['', '?confirm=', '?confirm=gone', `?confirm=${id}`]) {
      const { hint, errors } = await expectProblem(await admin(`/${id}${query}`, 'DELETE'), 422, 'validation_failed')
      expect(hint).toBe('Add ?confirm=Gone%20%22soon%22 to the URL.')
      expect(errors![0]!.path).toBe('confirm')
    }
    expect((await admin(`/${id}?confirm=Gone%20%22soon%22`, 'DELETE')).status).toBe(204)
    await expectProblem(await admin(`/${id}?confirm=Gone%20%22soon%22`, 'DELETE'), 404, 'not_found')
    expect(await app.deps.db.query('select 1 from rowhouse.columns where table_id = $1::uuid', [id])).toHaveLength(0)
  })

  test('stays while others link to it, and says which', async () => {
    await made('authors', [{ name: 'name', type: 'text' }])
    await made('books', [
      { name: 'author', type: 'link', options: { table: 'authors' } },
      { name: 'translators', type: 'manyLinks', options: { table: 'authors' } },
      { name: 'sequel', type: 'link', options: { table: 'books' } },
    ])
    const { message, details } = await expectProblem(await admin('/authors?confirm=authors', 'DELETE'), 409, 'conflict')
    expect(details).toEqual({ links: ['"books"."author"', '"books"."translators"'] })
    expect(message).toContain('"books"."author"')
    expect((await admin('/books?confirm=books', 'DELETE')).status).toBe(204)
    expect(await psql("select 1 from pg_class where relname = 'books_translators'")).toHaveLength(0)
    expect((await admin('/authors?confirm=authors', 'DELETE')).status).toBe(204)
  })

  test('stays when a view of psql needs it', async () => {
    await made('viewed', [{ name: 'a', type: 'text' }])
    await psql('create view data.viewing as select a from data.viewed')
    await expectProblem(await admin('/viewed?confirm=viewed', 'DELETE'), 409, 'conflict')
    await expectProblem(await admin('/viewed/columns/a?confirm=a', 'DELETE'), 409, 'conflict')
    await expectProblem(await admin('/viewed/columns/a', 'PATCH', { type: 'integer' }), 409, 'conflict')
    expect((await admin('/viewed', 'PATCH', { name: 'seen' })).status).toBe(200)
  })

  test('that Rowhouse did not make is not changed', async () => {
    await psql('create table data.foreign_one (id int primary key, a text)')
    await app.deps.catalog.refresh()
    for (const [method, path, body] of [
      ['PATCH', '', { name: 'x' }],
      ['DELETE', '?confirm=foreign_one', undefined],
      ['POST', '/columns', { name: 'b', type: 'text' }],
      ['PATCH', '/columns/a', { name: 'b' }],
      ['DELETE', '/columns/a?confirm=a', undefined],
    ] as const) {
      const { message } = await expectProblem(await admin(`/foreign_one${path}`, method, body), 409, 'conflict')
      expect(message).toContain('did not create')
    }
  })
})

describe('a column', () => {
  test('is added with its default, for the records that are there too', async () => {
    await made('adding', [{ name: 'a', type: 'text' }])
    await insert('adding', { a: 'x' }, { a: 'y' })
    const added = await admin('/adding/columns', 'POST', { name: 'n', type: 'integer', required: true, default: 7 })
    expect(added.status).toBe(201)
    const column = await added.json()
    expect(column).toMatchObject({ name: 'n', type: 'integer', required: true, unique: false, default: 7, options: {} })
    expect((await json(app.call('/api/v1/tables/adding', { as: 'viewer' }))).columns[2]).toEqual(column)
    expect((await json(app.call('/api/v1/tables/adding/records', { as: 'viewer' }))).records).toMatchObject([{ n: 7 }, { n: 7 }])
    await expectProblem(await admin('/adding/columns', 'POST', { name: 'n', type: 'text' }), 409, 'conflict')
    const missing = await expectProblem(
      await admin('/adding/columns', 'POST', { name: 'm', type: 'text', required: true }),
      409,
      'conflict',
    )
    expect(missing.errors).toEqual([{ path: '/required', message: 'some records have no value' }])
    expect(missing.hint).toBe('Give the column a default, or fill in the values first.')
    const equal = await expectProblem(
      await admin('/adding/columns', 'POST', { name: 'm', type: 'text', default: 'x', unique: true }),
      409,
      'conflict',
    )
    expect(equal.errors![0]!.path).toBe('/unique')
    for (const type of ['createdAt', 'updatedAt', 'autoNumber', 'attachment', 'createdBy']) {
      expect((await admin('/adding/columns', 'POST', { name: type, type })).status).toBe(201)
    }
    const [record] = (await json(app.call('/api/v1/tables/adding/records', { as: 'viewer' }))).records
    expect(record).toMatchObject({ autoNumber: 1, attachment: [], createdBy: null, createdAt: expect.any(String) })
  })

  test('of numbers counts the records that are there by their keys, and changes nothing else of them', async () => {
    await made('counted', [
      { name: 'a', type: 'text' },
      { name: 'changed', type: 'updatedAt' },
    ])
    await insert('counted', ...['one', 'two', 'three'].map((a) => ({ a })))
    // A changed record is stored behind the others.
    await app.call('/api/v1/tables/counted/records/1', { as: 'editor', method: 'PATCH', body: { a: 'first' } })
    const read = async () => (await json(app.call('/api/v1/tables/counted/records?order=id', { as: 'viewer' }))).records
    const before = await read()
    expect((await admin('/counted/columns', 'POST', { name: 'number', type: 'autoNumber' })).status).toBe(201)
    expect(await read()).toEqual(before.map((record: object, at: number) => ({ ...record, number: at + 1 })))
    await insert('counted', { a: 'four' })
    expect((await read()).at(-1)).toMatchObject({ id: 4, number: 4 })
  })

  test.each([
    [{ name: 'xmin', type: 'text' }, '/name'],
    [{ name: '', type: 'text' }, '/name'],
    [{ name: 'x', type: 'varchar' }, '/type'],
    [{ name: 'x', type: 'other' }, '/type'],
    [{ name: 'x', type: 'text', options: { maxLenght: 5 } }, '/options/maxLenght'],
    [{ name: 'x', type: 'text', options: { pattern: '(' } }, '/options/pattern'],
    [{ name: 'x', type: 'text', options: { pattern: '^a' }, default: 'b' }, '/default'],
    [{ name: 'x', type: 'text', options: { minLength: 3, maxLength: 2 } }, '/options/maxLength'],
    [{ name: 'x', type: 'integer', options: { min: 5, max: 1 } }, '/options/max'],
    [{ name: 'x', type: 'integer', options: { min: 1 }, default: 0 }, '/default'],
    [{ name: 'x', type: 'date', options: { min: '2026-02-30' } }, '/options/min'],
    [{ name: 'x', type: 'select' }, '/options/choices'],
    [{ name: 'x', type: 'select', options: { choices: ['a', 'a'] } }, '/options/choices/1'],
    [{ name: 'x', type: 'select', options: { choices: ['a'] }, default: 'b' }, '/default'],
    [{ name: 'x', type: 'link' }, '/options/table'],
    [{ name: 'x', type: 'link', options: { table: 'nowhere' } }, '/options/table'],
    [{ name: 'x', type: 'link', options: { table: 'checked', onDelete: 'explode' } }, '/options/onDelete'],
    [{ name: 'x', type: 'link', required: true, options: { table: 'checked', onDelete: 'setNull' } }, '/options/onDelete'],
    [{ name: 'x', type: 'link', options: { table: 'checked' }, default: 'abc' }, '/default'],
    [{ name: 'x', type: 'manyLinks', required: true, options: { table: 'checked' } }, '/required'],
    [{ name: 'x', type: 'user', required: true }, '/required'],
    [{ name: 'x', type: 'createdAt', required: false }, '/required'],
    [{ name: 'x', type: 'createdAt', default: '2026-01-31T12:00:00Z' }, '/default'],
    [{ name: 'x', type: 'attachment', unique: true }, '/unique'],
    [{ name: 'x', type: 'formula', options: { expression: 'nothing + 1' } }, '/options/expression'],
    [{ name: 'x', type: 'formula', options: { expression: '1 + 1\0' } }, '/options/expression'],
    [{ name: 'x', type: 'formula', options: { expression: "'\ud800'::text" } }, '/options/expression'],
    [{ name: 'x', type: 'select', options: { choices: [{ value: 'a', color: '\0' }] } }, '/options/choices'],
  ] as [object, string][])('is refused: %j', async (column, path) => {
    if ((await app.call('/api/v1/tables/checked', { as: 'viewer' })).status === 404) await made('checked', [{ name: 'a', type: 'text' }])
    const { errors } = await expectProblem(await admin('/checked/columns', 'POST', column), 422, 'validation_failed')
    expect(errors!.map((error) => error.path)).toEqual([expect.stringMatching(new RegExp(`^${path}(/|$)`))])
    const together = await expectProblem(await admin('', 'POST', { name: 'never', columns: [column] }), 422, 'validation_failed')
    expect(together.errors!.map((error) => error.path)).toEqual([expect.stringMatching(new RegExp(`^/columns/0${path}(/|$)`))])
  })

  test('is renamed with its constraints, its trigger and the formulas that use it', async () => {
    await made('renaming', [
      { name: 'status', type: 'select', options: { choices: ['new', 'done'] } },
      { name: 'net', type: 'decimal', options: { precision: 8, scale: 2, min: 0 } },
      { name: 'gross', type: 'formula', options: { expression: 'net * 1.19 -- with tax' } },
      { name: 'changed', type: 'updatedAt' },
      { name: 'others', type: 'manyLinks', options: { table: 'renaming' } },
    ])
    await insert('renaming', { status: 'new', net: 100 })
    for (const [from, to] of [
      ['status', 'State “1”'],
      ['net', 'Net "€"'],
      ['changed', 'changed_at'],
      ['gross', 'total'],
      ['others', 'friends'],
    ]) {
      const renamed = await admin(`/renaming/columns/${from}`, 'PATCH', { name: to })
      expect({ status: renamed.status, name: (await renamed.json()).name }).toEqual({ status: 200, name: to! })
    }
    const { columns } = await json(app.call('/api/v1/tables/renaming', { as: 'viewer' }))
    expect(columns.map(({ name }: { name: string }) => name)).toEqual(['id', 'State “1”', 'Net "€"', 'total', 'changed_at', 'friends'])
    expect(columns[3].options).toEqual({ expression: '"Net ""€""" * 1.19 -- with tax', valueType: 'decimal' })
    const before = await json(app.call('/api/v1/tables/renaming/records/1', { as: 'viewer' }))
    const after = await json(
      app.call('/api/v1/tables/renaming/records/1', { as: 'editor', method: 'PATCH', body: { 'Net "€"': 200, friends: [1] } }),
    )
    expect(after).toMatchObject({ 'Net "€"': 200, total: 238, friends: [1] })
    expect(after.changed_at > before.changed_at).toBe(true)
    const rows = await psql("select conname from pg_constraint where conrelid = 'data.renaming'::regclass and contype = 'c' order by 1")
    expect(rows.map((row) => row.conname)).toEqual(['Net "€"_range', 'State “1”_choices'])
    await expectProblem(await admin('/renaming/columns/total', 'PATCH', { name: 'friends' }), 422, 'validation_failed')
    await expectProblem(await admin('/renaming/columns/total', 'PATCH', { name: 'ctid' }), 422, 'validation_failed')
    await expectProblem(await admin('/renaming/columns/totla', 'PATCH', { name: 'x' }), 404, 'not_found')
  })

  test('is deleted only by its name; not as a key, not while a formula uses it', async () => {
    await made('dropping', [
      { name: 'a', type: 'integer' },
      { name: 'twice', type: 'formula', options: { expression: 'a * 2' } },
      { name: 'changed', type: 'updatedAt' },
      { name: 'b', type: 'text' },
    ])
    await expectProblem(await admin('/dropping/columns/b', 'DELETE'), 422, 'validation_failed')
    expect((await admin('/dropping/columns/b?confirm=b', 'DELETE')).status).toBe(204)
    await expectProblem(await admin('/dropping/columns/id?confirm=id', 'DELETE'), 409, 'conflict')
    const used = await expectProblem(await admin('/dropping/columns/a?confirm=a', 'DELETE'), 409, 'conflict')
    expect(used.details).toEqual({ formulas: ['twice'] })
    await expectProblem(await admin('/dropping/columns/a', 'PATCH', { type: 'text' }), 409, 'conflict')
    for (const name of ['twice', 'a', 'changed'])
      expect((await admin(`/dropping/columns/${name}?confirm=${name}`, 'DELETE')).status).toBe(204)
    await insert('dropping', {})
    expect(await (await app.call('/api/v1/tables/dropping/records/1', { as: 'editor', method: 'PATCH', body: {} })).text()).toBe('{"id":1}')
  })

  test('becomes required, unique, defaulted, and loses it all again', async () => {
    await made('demanding', [{ name: 'a', type: 'text' }])
    await insert('demanding', { a: 'x' }, { a: 'x' }, {})
    const patch = (body: object) => admin('/demanding/columns/a', 'PATCH', body)
    expect((await expectProblem(await patch({ required: true }), 409, 'conflict')).errors![0]!.path).toBe('/required')
    // A default fills in no record that exists.
    for (const body of [{ required: true }, { required: true, default: 'z' }]) {
      const { hint } = await expectProblem(await patch(body), 409, 'conflict')
      expect(hint).toBe('Fill in the values first.')
    }
    expect((await expectProblem(await patch({ unique: true }), 409, 'conflict')).errors![0]!.path).toBe('/unique')
    await psql('update data.demanding set a = id::text')
    expect(await json(patch({ required: true, unique: true, default: 'z' }))).toMatchObject({ required: true, unique: true, default: 'z' })
    await insert('demanding', {})
    await expectProblem(await app.call('/api/v1/tables/demanding/records', { as: 'editor', body: {} }), 409, 'conflict')
    await expectProblem(await patch({ default: 5 }), 422, 'validation_failed')
    await expectProblem(await patch({ default: 'a\0' }), 422, 'validation_failed')
    expect(await json(patch({ required: false, unique: false, default: null }))).toMatchObject({
      required: false,
      unique: false,
      default: null,
    })
    await insert('demanding', {}, {}, { a: '1' })
    expect((await patch({})).status).toBe(200)
    await expectProblem(await patch({ colour: 'red' }), 422, 'validation_failed')
    await expectProblem(await admin('/demanding/columns/id', 'PATCH', { required: false }), 422, 'validation_failed')
  })

  test('keeps its values where PostgreSQL generates them, whether no default is sent or another one', async () => {
    await made('generating', [{ name: 'number', type: 'autoNumber' }])
    for (const name of ['id', 'number']) {
      expect(await json(admin(`/generating/columns/${name}`, 'PATCH', { default: null }))).toMatchObject({ name, default: null })
    }
    await psql('alter table data.generating add column counted integer generated by default as identity')
    await app.deps.catalog.refresh()
    for (const body of [{ default: 5 }, { required: false }]) {
      const { message } = await expectProblem(await admin('/generating/columns/counted', 'PATCH', body), 409, 'conflict')
      expect(message).toBe('The database generates the values of this column.')
    }
    await insert('generating', {})
    const { records } = await json(app.call('/api/v1/tables/generating/records', { as: 'viewer' }))
    expect(records).toEqual([{ id: 1, number: 1, counted: 1 }])
  })
})
