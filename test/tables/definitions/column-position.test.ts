import { describe, expect, test } from 'bun:test'
import { startApp } from '../../support/app'
import { expectProblem } from '../../support/problem'

const app = await startApp()
type ColumnAnswer = { id: string; name: string; position: number; description: string | null }
const admin = (path: string, method: string, body?: unknown) => app.call(`/api/v1/tables${path}`, { as: 'admin', method, body })
const created = async (path: string, body: object) => {
  const response = await admin(path, 'POST', body)
  if (response.status !== 201) throw new Error(await response.text())
  return (await response.json()) as ColumnAnswer & { columns: ColumnAnswer[] }
}
const changed = async (path: string, body: object) => {
  const response = await admin(path, 'PATCH', body)
  if (response.status !== 200) throw new Error(await response.text())
  return (await response.json()) as ColumnAnswer
}
const columnsOf = async (table: string) =>
  ((await (await app.call(`/api/v1/tables/${table}`, { as: 'viewer' })).json()) as { columns: ColumnAnswer[] }).columns
const namesOf = async (table: string) => (await columnsOf(table)).map(({ name }) => name)
const psql = (text: string) => app.deps.db.sql.unsafe(text)
const text = (name: string) => ({ name, type: 'text' })

describe('the position of a column', () => {
  test('is its index; a column is added at a position, and moved', async () => {
    const { columns } = await created('', { name: 'placed', columns: ['a', 'b', 'c'].map(text) })
    expect(columns.map(({ name, position }) => [name, position])).toEqual([
      ['id', 0],
      ['a', 1],
      ['b', 2],
      ['c', 3],
    ])
    expect(await created('/placed/columns', { ...text('first'), position: 1 })).toMatchObject({ position: 1 })
    expect(await created('/placed/columns', { ...text('last'), position: 99 })).toMatchObject({ position: 5 })
    expect(await namesOf('placed')).toEqual(['id', 'first', 'a', 'b', 'c', 'last'])
    await created('/placed/columns', { name: 'others', type: 'manyLinks', options: { table: 'placed' }, position: 2 })
    await created('/placed/columns', { name: 'length', type: 'formula', options: { expression: 'length(a)' }, position: 0 })
    expect(await namesOf('placed')).toEqual(['length', 'id', 'first', 'others', 'a', 'b', 'c', 'last'])
    // Moving and renaming in one request.
    expect(await changed('/placed/columns/length', { name: 'size', position: 99 })).toMatchObject({ name: 'size', position: 7 })
    expect(await changed('/placed/columns/others', { position: 0 })).toMatchObject({ position: 0 })
    expect(await namesOf('placed')).toEqual(['others', 'id', 'first', 'a', 'b', 'c', 'last', 'size'])
    for (const position of [-1, 1.5, 'first', null]) {
      await expectProblem(await admin('/placed/columns/a', 'PATCH', { position }), 422, 'validation_failed')
    }
  })

  test('is the order of records and exports, and of records that are cached', async () => {
    await created('', { name: 'ordered', columns: ['a', 'b'].map(text) })
    await app.call('/api/v1/tables/ordered/records', { as: 'editor', body: { a: '1', b: '2' } })
    const read = () => app.call('/api/v1/tables/ordered/records/1', { as: 'viewer' })
    const before = await read()
    await changed('/ordered/columns/b', { position: 0 })
    const after = await read()
    expect(after.headers.get('etag')).not.toBe(before.headers.get('etag'))
    expect(await after.text()).toBe('{"b":"2","id":1,"a":"1"}')
    expect(await (await app.call('/api/v1/tables/ordered/export.csv', { as: 'viewer' })).text()).toStartWith('b,id,a')
  })

  test('is there for columns that psql has added, which keep their ids', async () => {
    await created('', { name: 'mixed', columns: ['a', 'b'].map(text) })
    await psql('alter table data.mixed add column "by psql" varchar(10), add column range int4range')
    const before = await columnsOf('mixed')
    expect(before.map(({ name }) => name)).toEqual(['id', 'a', 'b', 'by psql', 'range'])
    await changed('/mixed/columns/range', { position: 1 })
    const after = await columnsOf('mixed')
    expect(after.map(({ name }) => name)).toEqual(['id', 'range', 'a', 'b', 'by psql'])
    const strip = (columns: ColumnAnswer[]) =>
      columns.map(({ position: _, ...column }) => column).sort((one, other) => (one.id < other.id ? -1 : 1))
    expect(strip(after)).toEqual(strip(before))
  })
})

describe('the description of a column', () => {
  const comment = async (column: string) =>
    (
      await psql(`select col_description('data.described'::regclass, attnum) as text from pg_attribute
      where attrelid = 'data.described'::regclass and attname = '${column}'`)
    )[0]?.text

  test('is its comment in PostgreSQL, whichever its type', async () => {
    const { columns } = await created('', {
      name: 'described',
      columns: [{ ...text('a'), description: "It's a \\ “first” one" }, text('b'), { ...text('c'), description: '' }],
    })
    expect(columns.map(({ description }) => description)).toEqual([null, "It's a \\ “first” one", null, null])
    expect(await comment('a')).toBe("It's a \\ “first” one")
    const links = { name: 'links', type: 'manyLinks', options: { table: 'described' }, description: 'Neighbours' }
    expect(await created('/described/columns', links)).toMatchObject({ description: 'Neighbours' })
    const formula = { name: 'f', type: 'formula', options: { expression: 'upper(a)' }, description: 'In capitals' }
    expect(await created('/described/columns', formula)).toMatchObject({ description: 'In capitals' })
    // Another expression makes the column anew.
    expect(await changed('/described/columns/f', { options: { expression: 'lower(a)' } })).toMatchObject({ description: 'In capitals' })
    expect(await changed('/described/columns/a', { name: 'A', type: 'longText' })).toMatchObject({ description: "It's a \\ “first” one" })
    expect(await changed('/described/columns/A', { description: null })).toMatchObject({ description: null })
    expect(await comment('A')).toBeNull()
    expect(await changed('/described/columns/links', { name: 'near', description: 'Near ones' })).toMatchObject({
      description: 'Near ones',
    })
    for (const description of ['x'.repeat(1001), 'a\0', '\ud800', 7]) {
      await expectProblem(await admin('/described/columns/b', 'PATCH', { description }), 422, 'validation_failed')
    }
  })

  test('changes together with the type, also from and to a list of links', async () => {
    await created('', { name: 'topics', columns: [text('name')] })
    await created('', { name: 'books', columns: [{ ...text('tags'), description: 'Words' }] })
    const options = { table: 'topics' }
    for (const { description, ...body } of [
      { type: 'manyLinks', options, description: 'Topics' },
      { type: 'text', description: 'Names' },
      { type: 'manyLinks', options, description: null },
      { type: 'link', options, description: 'Topic' },
    ]) {
      expect(await changed('/books/columns/tags', { ...body, description })).toMatchObject({ type: body.type, description })
    }
    expect(
      await psql(`select col_description('data.books'::regclass, attnum) as comment from pg_attribute
      where attrelid = 'data.books'::regclass and attname = 'tags'`),
    ).toEqual([{ comment: 'Topic' }] as never)
  })

  test('comes from comments that were written in the database', async () => {
    await psql(`comment on column data.described.b is 'By psql'`)
    expect((await columnsOf('described')).find(({ name }) => name === 'b')).toMatchObject({ description: 'By psql' })
  })

  test('and the position change while somebody reads the records', async () => {
    await app.deps.db.sql.begin(async (sql) => {
      await sql.unsafe('lock table data.described in access share mode')
      expect(await changed('/described/columns/b', { description: 'Meanwhile', position: 1 })).toMatchObject({ position: 1 })
    })
  })
})

describe('a column with the values of another one', () => {
  test('has them at once; the records count as unchanged', async () => {
    const { columns } = await created('', {
      name: 'copied',
      columns: [
        { name: 'code', type: 'text', required: true, unique: true, options: { maxLength: 5 } },
        { name: 'state', type: 'select', options: { choices: ['open', 'done'] }, default: 'open' },
        { name: 'parent', type: 'link', options: { table: 'copied' } },
        { name: 'friends', type: 'manyLinks', options: { table: 'copied' } },
        { name: 'changed', type: 'updatedAt' },
        { name: 'files', type: 'attachment' },
      ],
    })
    const records = [{ code: 'a' }, { code: 'b', parent: 1, friends: [1, 2], state: null }]
    await app.call('/api/v1/tables/copied/records', { as: 'editor', body: records })
    const list = async () =>
      ((await (await app.call('/api/v1/tables/copied/records', { as: 'viewer' })).json()) as { records: object[] }).records
    const before = (await list()) as Record<string, unknown>[]
    const copy = async (name: string, more: object, from = name) =>
      created('/copied/columns', { name: `${name} 2`, copyValuesFrom: from, ...more })
    await copy('code', { type: 'text', required: true, unique: true, options: { maxLength: 5 } }, columns[1]!.id)
    await copy('state', { type: 'select', options: { choices: ['open', 'done'] }, default: 'open' })
    await copy('parent', { type: 'link', options: { table: 'copied' } })
    await copy('friends', { type: 'manyLinks', options: { table: 'copied' } })
    const after = (await list()) as Record<string, unknown>[]
    for (const [index, record] of before.entries()) {
      expect(after[index]).toMatchObject(record)
      for (const name of ['code', 'state', 'parent', 'friends']) expect(after[index]![`${name} 2`]).toEqual(record[name])
    }
    expect((await columnsOf('copied')).find(({ name }) => name === 'code 2')).toMatchObject({ required: true, unique: true })
    for (const [body, path] of [
      [{ ...text('x'), copyValuesFrom: 'state' }, '/copyValuesFrom'],
      [{ name: 'x', type: 'attachment', copyValuesFrom: 'files' }, '/copyValuesFrom'],
      [{ name: 'x', type: 'updatedAt', copyValuesFrom: 'changed' }, '/copyValuesFrom'],
    ] as const) {
      const { errors } = await expectProblem(await admin('/copied/columns', 'POST', body), 422, 'validation_failed')
      expect(errors![0]!.path).toBe(path)
    }
    await expectProblem(await admin('/copied/columns', 'POST', { ...text('x'), copyValuesFrom: 'nothing' }), 404, 'not_found')
    // Values that do not fit the new rules change nothing.
    expect((await admin('/copied/columns', 'POST', { ...text('x'), options: { minLength: 3 }, copyValuesFrom: 'code' })).status).toBe(409)
    expect((await columnsOf('copied')).some(({ name }) => name === 'x')).toBe(false)
  })

  test('may be unique and have a default', async () => {
    const column = { ...text('code'), unique: true, default: 'new' }
    await created('', { name: 'coded', columns: [column] })
    const insert = async (body: object) => (await app.call('/api/v1/tables/coded/records', { as: 'editor', body })).status
    expect(await insert([{ code: 'a' }, { code: 'b' }])).toBe(201)
    expect(await created('/coded/columns', { ...column, name: 'copy', copyValuesFrom: 'code' })).toMatchObject({ default: 'new' })
    expect(await insert({})).toBe(201)
    expect(await psql('select code, copy from data.coded order by id')).toEqual([
      { code: 'a', copy: 'a' },
      { code: 'b', copy: 'b' },
      { code: 'new', copy: 'new' },
    ] as never)
  })

  test('has no links to another table, whose records may have the same keys', async () => {
    await created('', { name: 'houses', columns: [text('a')] })
    await created('', {
      name: 'shelved',
      columns: [
        { name: 'author', type: 'link', options: { table: 'copied' } },
        { name: 'authors', type: 'manyLinks', options: { table: 'copied' } },
      ],
    })
    await app.call('/api/v1/tables/shelved/records', { as: 'editor', body: { author: 2, authors: [1] } })
    await app.call('/api/v1/tables/houses/records', { as: 'editor', body: [{}, {}] })
    for (const [type, copyValuesFrom] of [
      ['link', 'author'],
      ['manyLinks', 'authors'],
    ] as const) {
      const copy = (table: string) => ({ name: `${type} of ${table}`, type, options: { table }, copyValuesFrom })
      const { errors } = await expectProblem(await admin('/shelved/columns', 'POST', copy('houses')), 422, 'validation_failed')
      expect(errors).toEqual([{ path: '/copyValuesFrom', message: 'The column links to another table.' }])
      await created('/shelved/columns', copy('copied'))
    }
    expect(await namesOf('shelved')).toEqual(['id', 'author', 'authors', 'link of copied', 'manyLinks of copied'])
  })
})
