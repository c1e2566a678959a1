import { describe, expect, test } from 'bun:test'
import { json, startApp } from '../../support/app'
import { expectProblem } from '../../support/problem'

/** One connection for data; what is kept by it and by those for other things can be counted. */
const app = await startApp({ DATABASE_POOL_SIZE: '1' })
const names = Array.from({ length: 60 }, (_, n) => `column number ${n}`)
await app.call('/api/v1/tables', { as: 'admin', body: { name: 'bare', columns: [] } })
await app.call('/api/v1/tables', { as: 'admin', body: { name: 'wide', columns: names.map((name) => ({ name, type: 'integer' })) } })
await app.call('/api/v1/tables', {
  as: 'admin',
  body: { name: 'filled', primaryKey: { name: 'id', type: 'uuid' }, columns: [{ name: 'v', type: 'text', required: true, default: 'x' }] },
})

const create = (table: string, body: unknown) => app.call(`/api/v1/tables/${table}/records`, { as: 'editor', body })
const count = async (table: string) => (await app.deps.db.query(`select 1 from data.${table}`)).length

describe('many records at once', () => {
  test('are made by one statement, also when they name nothing', async () => {
    const [before] = await app.deps.db.query<{ xact: string }>('select pg_current_xact_id()::text as xact')
    const made = await json(create('bare', Array(10_000).fill({})))
    expect(made.map(({ id }: { id: number }) => id)).toEqual(Array.from({ length: 10_000 }, (_, n) => n + 1))
    const cids = await app.deps.db.query<{ cmin: string }>(
      'select distinct cmin::text from data.bare where xmin::text::bigint > $1::bigint',
      [before!.xact],
    )
    expect(cids).toHaveLength(1)
    expect(await json(create('filled', [{}, {}]))).toMatchObject([{ v: 'x' }, { v: 'x' }])
  })

  test.each([
    ['that name nothing', 'bare', {}],
    ['with values', 'wide', { [names[0]!]: 1 }],
    ['with wrong values', 'wide', { nothing: 1 }],
  ])('%s are refused beyond 10 000', async (_what, table, record) => {
    const before = await count(table)
    const { errors } = await expectProblem(await create(table, Array(10_001).fill(record)), 422, 'validation_failed')
    expect(errors).toEqual([{ path: '', message: 'One request accepts at most 10000 records; split them into several requests.' }])
    expect(await count(table)).toBe(before)
  })
})

test('a number with a huge exponent is found behind a long text as well', async () => {
  await app.call('/api/v1/tables', { as: 'admin', body: { name: 'anything', columns: [{ name: 'v', type: 'json' }] } })
  const text = JSON.stringify('1e999 "\\'.repeat(80_000))
  expect((await create('anything', `{"v":[${text},1e400]}`)).status).toBe(201)
  const { errors } = await expectProblem(await create('anything', `{"v":[${text},1e401]}`), 422, 'validation_failed')
  expect(errors).toEqual([{ path: '', message: 'A number has an exponent beyond 400.' }])
})

describe('a body of unknown columns', () => {
  const unknown = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`colunm number ${n}`, 1]))

  test.each([
    ['of a new record', () => create('wide', unknown(40_000))],
    ['of many new records', () => create('wide', Array(5000).fill(unknown(5)))],
    [
      'of a change',
      async () => {
        const response = await create('wide', {})
        return app.call(response.headers.get('location')!, { as: 'editor', method: 'PATCH', body: unknown(40_000) })
      },
    ],
  ])('%s is refused with 100 problems and 5 suggestions', async (_what, send) => {
    const { errors } = await expectProblem(await send(), 422, 'validation_failed')
    expect(errors).toHaveLength(100)
    expect(errors!.map(({ message }) => message.includes('did you mean "column number'))).toEqual([
      ...Array(5).fill(true),
      ...Array(95).fill(false),
    ])
  })
})

describe('statements that stay prepared', () => {
  type Statement = { statement: string }
  /** At the same time, so that each is asked on a connection of its own. */
  const prepared = async (table: string) => {
    const asked = [1, 2, 3].map(() => app.deps.db.query<Statement>('select statement from pg_prepared_statements, pg_sleep(0.2)'))
    return [...new Set((await Promise.all(asked)).flat().map(({ statement }) => statement))].filter((text) => text.includes(table))
  }
  const shapes = names.flatMap((one, n) => names.slice(n + 1, n + 3).map((other) => ({ [one]: n, [other]: n })))

  test('are few, whatever sets of columns the bodies name', async () => {
    const response = await create('wide', {})
    const path = response.headers.get('location')!
    for (const [n, shape] of shapes.entries()) {
      // Another table's definition does not begin the count again.
      if (n === 50) await app.call('/api/v1/tables', { as: 'admin', body: { name: 'another', columns: [] } })
      expect((await create('wide', shape)).status).toBe(201)
      expect((await create('wide', [shape, {}])).status).toBe(201)
      const patched = await app.call(path, { as: 'editor', method: 'PATCH', body: shape })
      expect(await json(patched)).toMatchObject(shape)
    }
    const statements = await prepared('"data"."wide"')
    expect(statements.length).toBeGreaterThan(9)
    expect(statements.length).toBeLessThanOrEqual(40)
  })

  test('are those of the common shape, of reads and of deletions', async () => {
    await app.call('/api/v1/tables', { as: 'admin', body: { name: 'usual', columns: [{ name: 'v', type: 'text' }] } })
    const response = await create('usual', { v: 'x' })
    const path = response.headers.get('location')!
    await app.call(path, { as: 'viewer' })
    await app.call('/api/v1/tables/usual/records', { as: 'viewer' })
    await app.call(path, { as: 'editor', method: 'DELETE' })
    const kinds = (await prepared('"data"."usual"')).map((statement) => /insert into "data"|delete from|^select/.exec(statement)?.[0])
    // What writes has two forms: with the proof of who asks, and without.
    expect([...new Set(kinds)].sort()).toEqual(['delete from', 'insert into "data"', 'select'])
  })
})

describe('numbers with more digits than JavaScript keeps', () => {
  const digits = '99999999999999999'
  const columns = [
    { name: 'price', type: 'decimal', options: { precision: 17, scale: 0 } },
    { name: 'serial', type: 'bigint', options: { min: '9007199254740993', max: '9007199254740995' } },
  ]

  test('are judged by the digits that were sent', async () => {
    await app.call('/api/v1/tables', { as: 'admin', body: { name: 'long', columns } })
    const body = (serial: string, price = digits) => `{"price":${price},"serial":${serial}}`
    for (const serial of ['9007199254740993', '9007199254740995']) expect((await create('long', body(serial))).status).toBe(201)
    expect((await create('long', `[${body('9007199254740993')},${body('9007199254740995')}]`)).status).toBe(201)
    const record = await (await app.call('/api/v1/tables/long/records/1', { as: 'editor' })).text()
    expect((await app.call('/api/v1/tables/long/records/1', { as: 'editor', method: 'PUT', body: record })).status).toBe(200)
    for (const [path, wrong] of [
      ['/serial', body('9007199254740992')],
      ['/serial', body('9007199254740996')],
      ['/price', body('9007199254740993', `${digits}0`)],
      ['/price', body('9007199254740993', `${digits}.1`)],
    ] as const)
      expect((await expectProblem(await create('long', wrong), 422, 'validation_failed')).errors).toMatchObject([{ path }])
  })
})
