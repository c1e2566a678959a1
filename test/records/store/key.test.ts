import { describe, expect, test } from 'bun:test'
import { json, startApp } from '../../support/app'
import { expectProblem } from '../../support/problem'
import { head, sendRaw } from '../../support/raw'

const app = await startApp()
const column = (name: string, type: string, more: object = {}) => ({ name, type, ...more })
const table = async (body: object) => {
  const response = await app.call('/api/v1/tables', { as: 'admin', body })
  if (response.status !== 201) throw new Error(await response.text())
}

await table({ name: 'counted', columns: [column('v', 'text')] })
await table({ name: 'uuids', primaryKey: { name: 'key', type: 'uuid' }, columns: [column('v', 'text')] })
await table({ name: 'texts', primaryKey: { name: 'code', type: 'text' }, columns: [column('v', 'text')] })
const natural: [string, string, object, string[]][] = [
  ['integer', 'integer', {}, ['5', '-2147483648']],
  ['bigint', 'bigint', {}, ['9223372036854775807', '-1']],
  ['decimal', 'decimal', {}, ['1.50', '0.000000000000000000001', '123456789012345678901234567890']],
  ['money', 'decimal', { options: { precision: 6, scale: 2 } }, ['1234.50', '-0.01']],
  ['boolean', 'boolean', {}, ['true', 'false']],
  ['date', 'date', {}, ['"2026-01-31"', '"0001-01-01"']],
  [
    'dateTime',
    'dateTime',
    {},
    [
      '"2026-01-31T12:00:00Z"',
      '"2026-01-31T12:00:00.123456Z"',
      '"2026-01-31T12:00:00.123457Z"',
      '"9999-12-31T23:59:59.999999Z"',
      '"9999-12-31T23:59:59.9999994Z"',
    ],
  ],
  ['uuid', 'uuid', {}, ['"01890a5d-ac96-774b-bcce-b302099a8057"']],
]
for (const [name, type, more] of natural) {
  await table({ name: `natural_${name}`, primaryKey: ['k'], columns: [column('k', type, more), column('v', 'text')] })
}
await table({
  name: 'composite',
  primaryKey: ['region', 'number', 'code'],
  columns: [column('code', 'text'), column('number', 'integer'), column('region', 'text'), column('v', 'text')],
})

const insert = (name: string, body: unknown) => app.call(`/api/v1/tables/${name}/records`, { as: 'editor', body })

/** Reads, changes and deletes a record by the address that its making gave. */
async function expectAddressable(response: Response) {
  const made = await response.text()
  expect({ status: response.status, made }).toEqual({ status: 201, made })
  const path = response.headers.get('location')!
  expect(await (await app.call(path, { as: 'viewer' })).text()).toBe(made)
  const changed = await app.call(path, { as: 'editor', method: 'PATCH', body: { v: 'changed' } })
  expect({ status: changed.status, v: (await json(changed)).v }).toEqual({ status: 200, v: 'changed' })
  const others = (await json(app.call(`${path.slice(0, path.lastIndexOf('/'))}?limit=1000`, { as: 'viewer' }))).records
  expect((await app.call(path, { as: 'editor', method: 'DELETE' })).status).toBe(204)
  expect((await app.call(path, { as: 'viewer' })).status).toBe(404)
  expect(others.filter(({ v }: { v: string }) => v === 'changed')).toHaveLength(1)
}

describe('a record is found by its key', () => {
  test('that the database counts', async () => {
    await expectAddressable(await insert('counted', { v: 'x' }))
  })

  test('that is a new UUID (version 7), or one that was sent', async () => {
    const made = await insert('uuids', {})
    expect((await json(made.clone())).key).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    await expectAddressable(made)
    await expectAddressable(await insert('uuids', { key: '01890A5D-AC96-774B-BCCE-B302099A8057' }))
    const mixed = await json(insert('uuids', [{ v: 'a' }, { key: '01890a5d-ac96-774b-bcce-b302099a8058' }]))
    expect(mixed.map(({ key }: { key: string }) => key.length)).toEqual([36, 36])
  })

  test.each([
    'plain',
    'a/b',
    'a,b',
    'a%2fb',
    '%',
    '100%',
    'a b',
    'ü',
    '🦊',
    '?x=1',
    '#',
    "'; --",
    '\\',
    '__proto__',
    'null',
    '-',
    '~',
    '...',
    'a\nb',
    '"',
  ])('that is the text %p', async (code) => {
    await expectAddressable(await insert('texts', { code }))
  })

  test.each(natural.flatMap(([name, , , values]) => values.map((value) => [name, value])))('of the type %s: %s', async (name, value) => {
    await expectAddressable(await insert(`natural_${name}`, `{"k":${value}}`))
  })

  test.each([
    ['north', 1, 'a'],
    ['a,b', 2, 'c,d'],
    ['a/b', 3, '%2C'],
    ['100%', -4, ''],
    ['', 5, ','],
    ['🦊', 6, '\'"'],
  ])('of several columns: %p, %p, %p', async (region, number, code) => {
    const response = await insert('composite', { region, number, code })
    expect(response.headers.get('location')).toEndWith(`/${[region, number, code].map((part) => encodeURIComponent(part)).join(',')}`)
    await expectAddressable(response)
  })
})

test('a moment that rounds up to the year 10000 is none', async () => {
  await expectProblem(await insert('natural_dateTime', { k: '9999-12-31T23:59:59.9999996Z' }), 422, 'validation_failed')
})

test('a comma that is part of a value is told from the one between', async () => {
  await insert('composite', [
    { region: 'a', number: 1, code: 'b,c', v: 'first' },
    { region: 'a,1', number: 1, code: 'b', v: 'second' },
  ])
  const read = (pk: string) => json(app.call(`/api/v1/tables/composite/records/${pk}`, { as: 'viewer' }))
  expect(await read('a,1,b%2Cc')).toMatchObject({ v: 'first' })
  expect(await read('a%2C1,1,b')).toMatchObject({ v: 'second' })
  expect(await read('a,1,b,c')).toMatchObject({ code: 'not_found' })
})

test('a natural key is required, unique, and named in the conflict', async () => {
  const { errors } = await expectProblem(await insert('composite', { region: 'a', number: 1 }), 422, 'validation_failed')
  expect(errors).toEqual([{ path: '/code', message: 'is required' }])
  await expectProblem(await insert('texts', { v: 'x' }), 422, 'validation_failed')
  const twin = { region: 'twin', number: 1, code: 'zebra7' }
  await insert('composite', twin)
  const response = await insert('composite', twin)
  expect(await response.clone().text()).not.toContain('zebra7')
  const conflict = await expectProblem(response, 409, 'conflict')
  expect(conflict.errors!.map(({ path }) => path)).toEqual(['/region', '/number', '/code'])
})

test('a natural key can be changed, and the record has a new address then', async () => {
  await insert('texts', { code: 'old', v: 'x' })
  const at = (code: string) => `/api/v1/tables/texts/records/${code}`
  expect((await app.call(at('old'), { as: 'editor', method: 'PATCH', body: { code: 'new' } })).status).toBe(200)
  expect([(await app.call(at('old'), { as: 'viewer' })).status, (await app.call(at('new'), { as: 'viewer' })).status]).toEqual([404, 200])
})

describe('a text that cannot be a key is a 404', () => {
  const wrong: [string, string[]][] = [
    [
      'counted',
      ['abc', '1.5', '1,2', '%20', '0x1', '%00', '%D9%A1', '9'.repeat(30), '9223372036854775808', 'null', '1e1', '%E0%A4%A', "1'--", '+1'],
    ],
    ['uuids', ['1', 'x', '01890a5d-ac96-774b-bcce-b302099a805', '%00']],
    ['texts', ['nowhere', '%00', '%ED%A0%80', 'x'.repeat(3000)]],
    ['natural_integer', ['2147483648', 'x']],
    ['natural_money', ['1e300', '99999999', 'NaN', '1.005']],
    ['natural_decimal', ['1e999', 'Infinity', '']],
    ['natural_boolean', ['t', '1', 'TRUE']],
    ['natural_date', ['2026-02-30', 'today', 'infinity']],
    ['natural_dateTime', ['2026-01-31', 'now', '2026-01-31T12:00:00']],
    ['composite', ['a', 'a,1', 'a,1,b,c', 'a,x,b', ',,', 'a,1,%00', 'a,%2C,b']],
  ]
  test.each(wrong.flatMap(([name, texts]) => texts.filter(Boolean).map((text) => [name, text])))('%s: %s', async (name, text) => {
    if (name === 'natural_money') await insert(name, '{"k":1.01}')
    for (const method of ['GET', 'PATCH', 'DELETE']) {
      const body = method === 'PATCH' ? '{"v":"x"}' : ''
      const headers: [string, string][] = [
        ['Authorization', `Bearer ${app.tokens.editor}`],
        ['Content-Length', String(body.length)],
        ['Content-Type', 'application/json'],
      ]
      const { status } = await sendRaw(app.url, head(method, `/api/v1/tables/${name}/records/${text}`, headers) + body)
      expect({ method, status }).toEqual({ method, status: 404 })
    }
  })
})

describe('a key that Rowhouse would not store, and an adopted table has', () => {
  const keys: [string, string[], string[]][] = [
    ['date', ['infinity', '-infinity', '0045-02-29 BC', '12000-02-29', '5874897-12-31'], ['0044-02-29 BC', '12001-02-29', '0044-02-30 BC']],
    [
      'timestamptz',
      ['infinity', '-infinity', '0044-03-15 12:00:00+00 BC', '12000-01-01 00:00:00.5+00', '9999-12-31 23:59:59.999999+00'],
      ['0044-13-15T12:00:00+00:00 BC', '900000-01-01T00:00:00+00:00'],
    ],
    ['time', ['24:00'], ['24:00:01', '25:00:00']],
    ['numeric', ['NaN', 'Infinity', '-Infinity'], ['nonsense']],
    ['float8', ['NaN', 'Infinity', '-Infinity', '1e308'], ['Infinit']],
    // Types of which PostgreSQL alone knows the values.
    ['inet', ['10.0.0.1', '::1'], ['nonsense', '10.0.0.256']],
    ['timestamp', ['2026-01-31 12:00:00', 'infinity'], ['nonsense', '2026-02-30T12:00:00']],
  ]

  test.each(keys)('of the type %s has an address all the same', async (type, values, wrong) => {
    const name = `adopted_${type}`
    await app.deps.db.query(`create table data.${name} (sku int, k ${type}, v text, primary key (sku, k))`)
    await app.deps.db.query(`create table data.${name}_single (k ${type} primary key, v text)`)
    for (const value of values) {
      for (const [table, more] of [[name, '1, '] as const, [`${name}_single`, ''] as const]) {
        await app.deps.db.query(`insert into data.${table} values (${more}'${value}', 'first')`)
        const rest = more ? undefined : await json(app.call(`/rest/v1/${table}`, { as: 'viewer' }))
        const { records } = await json(app.call(`/api/v1/tables/${table}/records`, { as: 'viewer' }))
        const key = String(records[0].k)
        const path = `/api/v1/tables/${table}/records/${more ? '1,' : ''}${encodeURIComponent(key)}`
        expect(await json(app.call(path, { as: 'viewer' }))).toEqual(records[0])
        expect((await app.call(path, { as: 'editor', method: 'PATCH', body: { v: 'changed' } })).status).toBe(200)
        if (rest)
          expect(await json(app.call(`/rest/v1/${table}?k=eq.${encodeURIComponent(key)}`, { as: 'viewer' }))).toEqual([
            { ...rest[0], v: 'changed' },
          ])
        expect((await app.call(path, { as: 'editor', method: 'DELETE' })).status).toBe(204)
      }
    }
    for (const value of wrong) {
      const path = `/api/v1/tables/${name}_single/records/${encodeURIComponent(value)}`
      const body = { v: 'x' }
      for (const sent of [{}, { method: 'PATCH', body }, { method: 'PUT', body }, { method: 'DELETE' }]) {
        await expectProblem(await app.call(path, { as: 'editor', ...sent }), 404, 'not_found')
      }
      await expectProblem(await app.call(`${path}?select=v`, { as: 'viewer' }), 404, 'not_found')
      const operations = [{ method: 'PATCH', table: `${name}_single`, pk: encodeURIComponent(value), body }]
      expect((await app.call('/api/v1/batch', { as: 'editor', body: { operations } })).status).toBe(404)
    }
  })
})
