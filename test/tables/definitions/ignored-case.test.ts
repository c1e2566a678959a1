import { describe, expect, test } from 'bun:test'
import { json, startApp } from '../../support/app'
import { upload } from '../../support/csv'
import { expectProblem } from '../../support/problem'

const app = await startApp({ ROWHOUSE_SCHEMAS: 'crm' })
await app.deps.db.sql.unsafe(`create schema crm;
  create table crm.people (id int primary key, email varchar(80), name text);
  create unique index on crm.people (lower(email));
  create table crm.others (id int primary key, "E mail" text, b text, c text, d text collate "C", e text unique);
  create unique index others_whole on crm.others (lower("E mail"));
  create unique index others_partial on crm.others (lower(b)) where id > 1;
  create unique index others_upper on crm.others (upper(c));
  create unique index others_two on crm.others (lower(b), c);
  create unique index others_collated on crm.others (lower(d));
  create unique index others_both on crm.others (lower(e));
  create index others_plain on crm.others (lower(c));
  create table crm.keyed (email text primary key, n int);
  create unique index on crm.keyed (lower(email))`)

const tables = '/api/v1/tables'
const admin = (path: string, method: string, body?: unknown) => app.call(`${tables}${path}`, { as: 'admin', method, body })
const insert = (table: string, body: object) => app.call(`${tables}/${table}/records`, { as: 'editor', body })
const emails = async (table: string, name = 'email') =>
  (await json(app.call(`${tables}/${table}/records?order=id`, { as: 'viewer' }))).records.map(
    (record: Record<string, unknown>) => record[name],
  )
const emailColumn = { name: 'email', type: 'email', unique: true }
const make = async (name: string, ...columns: object[]) => {
  const response = await admin('', 'POST', { name, columns: columns.length ? columns : [emailColumn, { name: 'name', type: 'text' }] })
  expect(response.status).toBe(201)
}
const change = (table: string, body: object, query = '') => admin(`/${table}/columns/email${query}`, 'PATCH', body)
const column = async (table: string, name = 'email') => {
  const { columns } = await json(admin(`/${table}`, 'GET'))
  const { unique, options } = columns.find((each: { name: string }) => each.name === name)
  return { unique, options }
}
/** What keeps the values of the table's columns apart, beside its primary key. */
const keysOf = async (table: string) => {
  const rows = await app.deps.db.query<{ text: string }>(
    `select regexp_replace(pg_get_indexdef(indexrelid), '.* USING btree ', '') as text from pg_index
     where indrelid = to_regclass($1::text) and indisunique and not indisprimary order by 1`,
    [`data.${table}`],
  )
  return rows.map(({ text }) => text)
}
const [exact, caseless] = [['(email)'], ['(lower(email))']]
const ignoring = { unique: true, options: { ignoreCase: true } }
const telling = { unique: true, options: { ignoreCase: false } }

const expectTaken = async (response: Response, name = 'email') => {
  const { errors, message } = await expectProblem(response, 409, 'conflict')
  expect([message, errors]).toEqual([`Another record has this value in "${name}".`, [{ path: `/${name}`, message: 'must be unique' }]])
}

describe('a unique email column', () => {
  test('ignores case from the start, unless the request says otherwise', async () => {
    await make('started')
    expect([await column('started'), await keysOf('started')]).toEqual([ignoring, caseless])
    await make('exact', { ...emailColumn, options: { ignoreCase: false } }, { name: 'free', type: 'email' })
    expect([await column('exact'), await keysOf('exact')]).toEqual([telling, exact])
    expect(await column('exact', 'free')).toEqual({ unique: false, options: {} })
    const added = await admin('/exact/columns', 'POST', { ...emailColumn, name: 'added' })
    expect(await added.json()).toMatchObject(ignoring)
    const copied = await admin('/exact/columns', 'POST', { ...emailColumn, name: 'copied', copyValuesFrom: 'added' })
    expect([copied.status, await keysOf('exact')]).toEqual([201, ['(email)', '(lower(added))', '(lower(copied))']])
    await expectProblem(
      await admin('/exact/columns', 'POST', { ...emailColumn, name: 'x', options: { ignoreCas: true } }),
      422,
      'validation_failed',
    )
  })

  test('refuses an address that differs by case only, and filters find the exact one', async () => {
    await make('refusing')
    expect((await insert('refusing', { email: 'Ada@example.org' })).status).toBe(201)
    await expectTaken(await insert('refusing', { email: 'ADA@example.org' }))
    await expectTaken(await insert('refusing', [{ email: 'x@example.org' }, { email: 'X@example.org' }]))
    const { records } = await json(app.call(`${tables}/refusing/records?email=eq.ada@example.org`, { as: 'viewer' }))
    expect([records, await emails('refusing')]).toEqual([[], ['Ada@example.org']])
  })

  test('takes one of two at the same time', async () => {
    await make('racing')
    for (const name of ['ann', 'bob', 'cy']) {
      const both = [`${name}@example.org`, `${name.toUpperCase()}@example.org`]
      const answers = await Promise.all(both.map((email) => insert('racing', { email })))
      expect(answers.map(({ status }) => status).sort()).toEqual([201, 409])
    }
    expect(await emails('racing')).toHaveLength(3)
  })

  test('leaves the letters to PostgreSQL, which is of one mind everywhere', async () => {
    await make('letters')
    const pairs = ['İ', 'I', 'ı', 'Σ', 'ς', 'ß', 'ẞ', 'Å', 'é'].map((letter) => [
      `${letter}@example.org`,
      `${letter.toLowerCase()}@example.org`,
    ])
    for (const [first, second] of pairs) {
      await app.deps.db.sql`truncate data.letters`
      expect((await insert('letters', { email: first })).status).toBe(201)
      const [found] = await app.deps.db.query<{ same: boolean }>('select lower($1::text) = lower($2::text) as same', [first!, second!])
      expect((await insert('letters', { email: second })).status).toBe(found!.same ? 409 : 201)
      await app.deps.db.sql`delete from data.letters where email <> ${first!}`
      const file = await upload(app, 'letters', `email,name\n${second},x\n`, { query: '?mode=upsert&on=email' })
      expect(await file.json()).toMatchObject(found!.same ? { updated: 1, inserted: 0 } : { updated: 0, inserted: 1 })
    }
  })

  test('of a deleted record is taken by another case, so that the deletion cannot be undone', async () => {
    await make('undone')
    await insert('undone', { email: 'a@example.org' })
    const removed = { as: 'editor', method: 'DELETE', headers: { 'x-request-id': 'case-undo' } } as const
    expect((await app.call(`${tables}/undone/records/1`, removed)).status).toBe(204)
    await insert('undone', { email: 'A@example.org' })
    const undo = () => app.call('/api/v1/changes/case-undo/undo', { as: 'editor', method: 'POST' })
    const refused = await expectProblem(await undo(), 409, 'conflict')
    expect(JSON.stringify(refused)).toContain('email')
    await app.call(`${tables}/undone/records?email=eq.A@example.org`, { as: 'editor', method: 'DELETE' })
    expect((await undo()).status).toBe(200)
    expect(await emails('undone')).toEqual(['a@example.org'])
  })
})

describe('the option', () => {
  test('is switched on and off, and stays where a request leaves it out', async () => {
    await make('switched', { ...emailColumn, options: { ignoreCase: false } })
    expect((await change('switched', { options: {} })).status).toBe(200)
    expect([await column('switched'), await keysOf('switched')]).toEqual([telling, exact])
    expect(await json(change('switched', { options: { ignoreCase: true } }))).toMatchObject(ignoring)
    expect(await json(change('switched', { options: {}, required: true }))).toMatchObject({ ...ignoring, required: true })
    expect(await keysOf('switched')).toEqual(caseless)
    expect(await json(change('switched', { options: { ignoreCase: false } }))).toMatchObject(telling)
    expect(await keysOf('switched')).toEqual(exact)
  })

  test('is refused with the number of addresses and one of them', async () => {
    await make('refused', { ...emailColumn, options: { ignoreCase: false } })
    await insert('refused', [{ email: 'Ada@example.org' }, { email: 'ada@example.org' }, { email: 'x@example.org' }])
    const one = 'One address in "email" has several records if upper and lower case are ignored: "ada@example.org" and "Ada@example.org".'
    for (const query of ['', '?dryRun=true']) {
      const { message, errors, hint } = await expectProblem(
        await change('refused', { options: { ignoreCase: true } }, query),
        409,
        'conflict',
      )
      expect(message).toBe(one)
      expect(errors).toEqual([{ path: '/options/ignoreCase', message: 'is not unique among the records' }])
      expect(hint).toBe('Change these records first, or send "ignoreCase": false among the options.')
    }
    await insert('refused', { email: 'X@example.org' })
    const { message } = await expectProblem(await change('refused', { options: { ignoreCase: true } }), 409, 'conflict')
    expect(message).toStartWith('2 addresses in "email" have several records if upper and lower case are ignored, for example "ada@')
    expect([await column('refused'), await keysOf('refused')]).toEqual([telling, exact])
  })

  test('holds when the column becomes unique, and not when it ceases to be', async () => {
    await make('later', { name: 'email', type: 'email' })
    await insert('later', [{ email: 'a@example.org' }, { email: 'A@example.org' }])
    await expectProblem(await change('later', { unique: true }), 409, 'conflict')
    expect(await json(change('later', { unique: true, options: { ignoreCase: false } }))).toMatchObject(telling)
    expect(await json(change('later', { unique: false }))).toMatchObject({ unique: false })
    await app.call(`${tables}/later/records/2`, { as: 'editor', method: 'DELETE' })
    expect(await json(change('later', { unique: true, options: {} }))).toMatchObject(ignoring)
    expect(await keysOf('later')).toEqual(caseless)
    expect(await json(change('later', { unique: false }))).toMatchObject({ unique: false })
    expect(await keysOf('later')).toEqual([])
  })

  test('follows a renamed column, and errors name it', async () => {
    await make('renamed')
    await insert('renamed', { email: 'a@example.org' })
    expect(await json(change('renamed', { name: 'E "mail" (x)' }))).toMatchObject(ignoring)
    const taken = await expectProblem(await insert('renamed', { 'E "mail" (x)': 'A@example.org' }), 409, 'conflict')
    expect(taken.errors).toEqual([{ path: '/E "mail" (x)', message: 'must be unique' }])
  })

  test('goes with the type, and does not come with it', async () => {
    await make('typed')
    await insert('typed', { email: 'a@example.org' })
    expect(await json(change('typed', { type: 'text' }))).toMatchObject({ type: 'text', unique: true, options: {} })
    expect(await keysOf('typed')).toEqual(exact)
    await insert('typed', { email: ' A@example.org' })
    expect(await json(change('typed', { type: 'email' }))).toMatchObject({ type: 'email', ...telling })
    expect(await emails('typed')).toEqual(['a@example.org', 'A@example.org'])
    expect(await json(change('typed', { type: 'text' }))).toMatchObject({ type: 'text' })
    const both = await expectProblem(await change('typed', { type: 'email', options: { ignoreCase: true } }), 409, 'conflict')
    expect(both.message).toContain('"a@example.org" and "A@example.org"')
    await app.call(`${tables}/typed/records/2`, { as: 'editor', method: 'DELETE' })
    expect(await json(change('typed', { type: 'email', options: { ignoreCase: true } }))).toMatchObject(ignoring)
    expect(await json(change('typed', { type: 'integer', onFailure: 'null' }))).toMatchObject({ type: 'integer', unique: true })
    expect(await keysOf('typed')).toEqual(exact)
  })

  test('tells what the database has, which psql may have changed', async () => {
    await make('changed')
    await app.deps.db.sql.unsafe('drop index data.changed_lower_idx; alter table data.changed add unique (email)')
    expect(await column('changed')).toEqual(telling)
    await app.deps.db.sql.unsafe('create unique index on data.changed (lower(email))')
    expect(await column('changed')).toEqual(ignoring)
    expect(await json(change('changed', { unique: false }))).toMatchObject({ unique: false })
    expect(await keysOf('changed')).toEqual([])
  })
})

describe('upserts', () => {
  const merge = (table: string, body: object, prefer = 'resolution=merge-duplicates,return=representation') =>
    app.call(`/rest/v1/${table}?on_conflict=email`, {
      ...{ as: 'editor', body },
      headers: { prefer, ...(table === 'people' ? { 'content-profile': 'crm' } : {}) },
    })

  test('of /rest/v1 find the record by another case, and keep its address', async () => {
    await make('merged')
    await insert('merged', { email: 'Ada@example.org', name: 'a' })
    expect(await json(merge('merged', { email: 'ADA@example.org', name: 'b' }))).toEqual([{ id: 1, email: 'Ada@example.org', name: 'b' }])
    expect((await merge('merged', [{ email: 'ada@example.org', name: 'c' }], 'resolution=ignore-duplicates')).status).toBe(201)
    expect(await emails('merged', 'name')).toEqual(['b'])
    const twice = await merge('merged', [
      { email: 'x@example.org', name: 'c' },
      { email: 'X@example.org', name: 'd' },
    ])
    expect([twice.status, (await json(twice)).code]).toEqual([400, '21000'])
    const refused = await app.call('/rest/v1/merged', { as: 'editor', body: { email: 'ada@Example.org' } })
    expect([refused.status, await json(refused)]).toMatchObject([409, { code: '23505', details: 'Key (lower(email)) already exists.' }])
  })

  test('of a file find it by `on=email`, and two lines of one address are a problem', async () => {
    await make('filed')
    await insert('filed', { email: 'Ada@example.org', name: 'a' })
    const query = '?mode=upsert&on=email'
    const done = await upload(app, 'filed', 'email,name\nada@EXAMPLE.org,b\nbob@example.org,c\n', { query })
    expect(await done.json()).toMatchObject({ updated: 1, inserted: 1 })
    const twice = await upload(app, 'filed', 'email,name\nx@example.org,b\nX@example.org,c\n', { query })
    const message = 'must be unique, and is already in line 2: "X@example.org"'
    expect((await expectProblem(twice, 422, 'validation_failed')).errors).toEqual([{ line: 3, column: 'email', message }] as never)
    const inserted = await upload(app, 'filed', 'email,name\nn@example.org,a\nBOB@example.org,b\nN@example.org,c\n', {})
    expect((await expectProblem(inserted, 422, 'validation_failed')).errors).toEqual([
      { line: 3, column: 'email', message: 'must be unique, and another record has it: "BOB@example.org"' },
      { line: 4, column: 'email', message: 'must be unique, and is already in line 2: "N@example.org"' },
    ] as never)
    const byKey = await upload(app, 'filed', 'id,email\n1,ADA@example.org\n2,ada@example.org\n', { query: '?mode=upsert' })
    await expectProblem(byKey, 422, 'validation_failed')
    expect((await upload(app, 'filed', 'id,email\n1,ADA@example.org\n', { query: '?mode=upsert' })).status).toBe(200)
    expect(await emails('filed')).toEqual(['ADA@example.org', 'bob@example.org'])
  })

  test('of an adopted table use the index that its owner made', async () => {
    await app.call(`${tables}/crm.people/records`, { as: 'editor', body: { id: 1, email: 'Ada@example.org', name: 'a' } })
    await expectTaken(await app.call(`${tables}/crm.people/records`, { as: 'editor', body: { id: 2, email: 'ADA@example.org' } }))
    expect(await column('crm.people')).toEqual({ unique: true, options: {} })
    const [merged] = await json(merge('people', { id: 1, email: 'ada@example.org', name: 'b' }))
    expect(merged).toEqual({ id: 1, email: 'Ada@example.org', name: 'b' })
    const file = await upload(app, 'crm.people', 'id,email,name\n1,ADA@EXAMPLE.ORG,c\n2,b@example.org,d\n', {
      query: '?mode=upsert&on=email',
    })
    expect(await file.json()).toMatchObject({ updated: 1, inserted: 1 })
    expect(await emails('crm.people', 'name')).toEqual(['c', 'd'])
  })
})

test('the catalogue knows whole indexes on lower() of one column, and a primary key is exact', async () => {
  const { byQualifiedName } = await app.deps.catalog.current()
  const { uniqueKeys, caselessKeys } = byQualifiedName.get('crm.others')!
  expect([uniqueKeys, caselessKeys]).toEqual([
    [['id'], ['e'], ['E mail']],
    ['e', 'E mail'],
  ])
  const keyed = byQualifiedName.get('crm.keyed')!
  expect([keyed.uniqueKeys, keyed.caselessKeys]).toEqual([[['email']], []])
  const put = (email: string) => app.call(`${tables}/crm.keyed/records/${email}`, { as: 'editor', method: 'PUT', body: { n: 1 } })
  expect([(await put('a@example.org')).status, (await put('a@example.org')).status]).toEqual([201, 200])
  await expectTaken(await put('A@example.org'))
})
