import { describe, expect, test } from 'bun:test'
import { json, startApp } from '../../support/app'
import { expectProblem } from '../../support/problem'

const app = await startApp()
await app.call('/api/v1/tables', {
  as: 'admin',
  body: {
    name: 'books',
    columns: [
      { name: 'title', type: 'text', required: true },
      { name: 'isbn', type: 'text', unique: true },
      { name: 'pages', type: 'integer' },
      { name: 'price', type: 'decimal', options: { precision: 8, scale: 2 } },
    ],
  },
})
await app.call('/api/v1/tables', {
  as: 'admin',
  body: {
    name: 'defaults',
    columns: [
      { name: 'text', type: 'text', required: true, default: `O'Neil \\ "x" $1` },
      { name: 'empty', type: 'text', default: '' },
      { name: 'zero', type: 'integer', default: 0 },
      { name: 'big', type: 'bigint', default: '9007199254740993' },
      { name: 'price', type: 'decimal', options: { precision: 8, scale: 2 }, default: '9.90' },
      { name: 'no', type: 'boolean', default: false },
      { name: 'day', type: 'date', default: '2026-01-31' },
      { name: 'at', type: 'dateTime', default: '2026-01-31T12:00:00+02:00' },
      { name: 'any', type: 'json', default: { a: ["it's"] } },
      { name: 'list', type: 'json', default: ['x'] },
      { name: 'none', type: 'text' },
    ],
  },
})

const books = '/api/v1/tables/books/records'
const create = (body: unknown) => app.call(books, { as: 'editor', body })
const make = async (body: object) => {
  const response = await create(body)
  return { path: response.headers.get('location')!, etag: response.headers.get('etag')!, record: await json(response) }
}
const patch = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  app.call(path, { as: 'editor', method: 'PATCH', body, headers })
const read = (path: string) => json(app.call(path, { as: 'viewer' }))

describe('a new record', () => {
  test('is answered whole, with its address and its version', async () => {
    const response = await create({ title: 'Emma', pages: '474', price: 9.9 })
    expect(response.status).toBe(201)
    expect(response.headers.get('location')).toBe('/api/v1/tables/books/records/1')
    expect(response.headers.get('etag')).toMatch(/^"\d+-\d+\.\d+-[0-9a-f]{12}"$/)
    expect(response.headers.get('content-type')).toBe('application/json;charset=utf-8')
    expect(await response.text()).toBe('{"id":1,"title":"Emma","isbn":null,"pages":474,"price":9.90}')
  })

  test('gets its columns’ defaults, and so do records of a mixed array', async () => {
    const path = '/api/v1/tables/defaults/records'
    const expected = `"text":"O'Neil \\\\ \\"x\\" $1","empty":"","zero":0,"big":9007199254740993,"price":9.90,"no":false,"day":"2026-01-31","at":"2026-01-31T10:00:00+00:00","any":{"a": ["it's"]},"list":["x"],"none":null}`
    expect(await (await app.call(path, { as: 'editor', body: {} })).text()).toBe(`{"id":1,${expected}`)
    const mixed = await app.call(path, { as: 'editor', body: [{ none: 'here' }, { zero: 5 }] })
    expect(await mixed.text()).toBe(`[{"id":2,${expected.replace('null}', '"here"}')},{"id":3,${expected.replace('"zero":0', '"zero":5')}]`)
    const cleared = await app.call(path, { as: 'editor', body: [{ empty: null }, { zero: null }] })
    expect(await json(cleared)).toMatchObject([
      { empty: null, zero: 0 },
      { empty: '', zero: null },
    ])
  })

  test.each([
    ['without a required column', {}, '/title', 'is required'],
    ['with null in a required column', { title: null }, '/title', 'is required and cannot be null'],
    ['with an unknown column', { title: 'x', page: 1 }, '/page', 'is not a column of this table; did you mean "pages"?'],
    ['with a column of every object', { title: 'x', constructor: 1 }, '/constructor', 'is not a column of this table'],
    ['with a wrong value', { title: 'x', pages: 'many' }, '/pages', 'must be a whole number'],
    ['with the counted key', { title: 'x', id: 7 }, '/id', 'is numbered by the database and cannot be set'],
    ['with a column named as a path', { title: 'x', 'a/b~c': 1 }, '/a~1b~0c', 'is not a column of this table'],
  ])('%s is refused', async (_what, body, path, message) => {
    const { errors } = await expectProblem(await create(body), 422, 'validation_failed')
    expect(errors).toEqual([{ path, message }])
  })

  test('with __proto__ as a column is refused, and changes nothing in the service', async () => {
    await expectProblem(await create('{"title":"x","__proto__":{"admin":true}}'), 422, 'validation_failed')
    expect(({} as { admin?: boolean }).admin).toBeUndefined()
  })

  test('with a value that must be unique: 409 names the column, and never the value', async () => {
    await create({ title: 'one', isbn: 'zebra7secret' })
    const response = await create({ title: 'two', isbn: 'zebra7secret' })
    expect(await response.clone().text()).not.toContain('zebra7')
    const { message, errors } = await expectProblem(response, 409, 'conflict')
    expect(message).toContain('"isbn"')
    expect(errors).toEqual([{ path: '/isbn', message: 'must be unique' }])
  })

  test('with one key twice takes the last value, as JSON readers do', async () => {
    expect(await json(create('{"title":"first","title":"last"}'))).toMatchObject({ title: 'last' })
  })
})

describe('changing a record', () => {
  test('changes the columns that are named, and no other', async () => {
    const { path } = await make({ title: 'Emma', pages: 474 })
    expect(await json(patch(path, { pages: 475 }))).toMatchObject({ title: 'Emma', pages: 475 })
    expect(await json(patch(path, { pages: null }))).toMatchObject({ title: 'Emma', pages: null })
    expect(await read(path)).toMatchObject({ title: 'Emma', pages: null })
  })

  test('with nothing changes nothing, also not the version', async () => {
    const { path, etag, record } = await make({ title: 'same' })
    const response = await patch(path, {})
    expect({ status: response.status, etag: response.headers.get('etag'), body: await response.json() }).toEqual({
      status: 200,
      etag,
      body: record,
    })
  })

  test.each([
    ['null in a required column', { title: null }, 422],
    ['an unknown column', { nothing: 1 }, 422],
    ['the counted key', { id: 5 }, 422],
    ['a wrong value', { pages: [] }, 422],
    ['a value that another record has', { isbn: 'taken' }, 409],
    ['an array', [{ title: 'x' }], 422],
  ])('with %s is refused and changes nothing', async (_what, body, status) => {
    await create({ title: 'taker', isbn: 'taken' })
    const { path, record } = await make({ title: 'kept' })
    expect((await patch(path, body)).status).toBe(status)
    expect(await read(path)).toEqual(record)
  })
})

describe('deleting a record', () => {
  test('is done once', async () => {
    const { path } = await make({ title: 'gone' })
    const response = await app.call(path, { as: 'editor', method: 'DELETE' })
    expect({ status: response.status, body: await response.text() }).toEqual({ status: 204, body: '' })
    await expectProblem(await app.call(path, { as: 'editor', method: 'DELETE' }), 404, 'not_found')
    await expectProblem(await app.call(path, { as: 'viewer' }), 404, 'not_found')
    await expectProblem(await patch(path, { title: 'back' }), 404, 'not_found')
  })
})

describe('several at once', () => {
  const count = async () => (await app.deps.db.query('select 1 from data.books')).length

  test('are made in the order of the array', async () => {
    const titles = Array.from({ length: 200 }, (_, n) => `bulk ${n}`)
    const made = await json(create(titles.map((title) => ({ title }))))
    expect(made.map(({ title }: { title: string }) => title)).toEqual(titles)
    const ids = made.map(({ id }: { id: number }) => id)
    expect(ids).toEqual([...ids].sort((one, other) => one - other))
  })

  test.each([
    ['a wrong value', [{ title: 'a' }, { title: 'b', pages: 'x' }], 422, '/1/pages'],
    ['a missing column', [{ title: 'a' }, {}], 422, '/1/title'],
    ['an unknown column', [{ title: 'a', nothing: 1 }], 422, '/0/nothing'],
    [
      'a unique value twice in the array',
      [
        { title: 'a', isbn: 'twin' },
        { title: 'b', isbn: 'twin' },
      ],
      409,
      '/isbn',
    ],
    ['a value out of range', [{ title: 'a' }, { title: 'b', price: '1e300' }], 422, ''],
    ['no records at all', [], 422, ''],
    ['something that is no record', [{ title: 'a' }, 7], 422, ''],
  ] as [string, unknown[], number, string][])('with %s: none is made', async (_what, body, status, path) => {
    const before = await count()
    const response = await create(body)
    expect(response.status).toBe(status)
    const paths = (await json(response)).errors.map((error: { path: string }) => error.path)
    expect(paths.some((found: string) => found === path || path === '')).toBe(true)
    expect(await count()).toBe(before)
  })

  test('may name different columns each', async () => {
    const made = await json(create([{ title: 'a', pages: 1 }, { title: 'b' }, { title: 'c', price: 5 }]))
    expect(made.map(({ id: _, ...rest }: { id: number }) => rest)).toEqual([
      { title: 'a', isbn: null, pages: 1, price: null },
      { title: 'b', isbn: null, pages: null, price: null },
      { title: 'c', isbn: null, pages: null, price: 5 },
    ])
  })

  test('may name nothing at all', async () => {
    await app.call('/api/v1/tables', { as: 'admin', body: { name: 'bare', columns: [] } })
    const bare = (body: unknown) => app.call('/api/v1/tables/bare/records', { as: 'editor', body })
    expect(await json(bare([{}, {}, {}]))).toEqual([{ id: 1 }, { id: 2 }, { id: 3 }])
    expect(await json(bare({}))).toEqual({ id: 4 })
  })
})
