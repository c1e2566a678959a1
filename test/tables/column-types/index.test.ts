import { describe, expect, test } from 'bun:test'
import { columnTypeNames, columnTypes } from '../../../src/tables/column-types'
import { json, startApp } from '../../support/app'
import { expectProblem } from '../../support/problem'

/** Values are JSON text here, not JavaScript's: what counts is every digit on the wire. */
const app = await startApp()

/** What a column of the type cannot do without. */
const needed: Record<string, object> = {
  select: { choices: ['new', { value: 'it’s "done", \\o/', color: 'green' }, ''].filter(Boolean) },
  multiSelect: { choices: ['a', 'b, c', '"\\{}', 'NULL'] },
  link: { table: 'targets' },
  manyLinks: { table: 'targets' },
  formula: { expression: '1 + 1' },
  lookup: { column: 'id' },
  rollup: { column: 'id', function: 'sum' },
}

await app.call('/api/v1/tables', { as: 'admin', body: { name: 'targets', columns: [] } })
await app.call('/api/v1/tables/targets/records', { as: 'editor', body: [{}, {}, {}] })
for (const type of columnTypeNames.filter((name) => !columnTypes[name].isVirtual)) {
  const made = await app.call('/api/v1/tables', {
    as: 'admin',
    body: { name: type, columns: [{ name: 'v', type, options: needed[type] }] },
  })
  if (made.status !== 201) throw new Error(`No table for ${type}: ${await made.text()}`)
}
for (const type of columnTypeNames.filter((name) => columnTypes[name].isVirtual)) {
  const columns = type === 'reverseLinks' ? [] : [{ name: 'to', type: 'link', options: { table: 'targets' } }]
  await app.call('/api/v1/tables', { as: 'admin', body: { name: type, columns } })
  const back = { name: `back to ${type}`, columns: [{ name: 'one', type: 'link', options: { table: type } }] }
  await app.call('/api/v1/tables', { as: 'admin', body: back })
  await app.call(`/api/v1/tables/back to ${type}/records`, { as: 'editor', body: [{}, {}, {}] })
  const options = type === 'reverseLinks' ? { table: back.name, column: 'one' } : { ...needed[type], link: 'to' }
  const made = await app.call(`/api/v1/tables/${type}/columns`, { as: 'admin', body: { name: 'v', type, options } })
  if (made.status !== 201) throw new Error(`No column of the type ${type}: ${await made.text()}`)
}
await app.call('/api/v1/tables', {
  as: 'admin',
  body: { name: 'money', columns: [{ name: 'v', type: 'decimal', options: { precision: 6, scale: 2 } }] },
})

const insert = (table: string, value: string) => app.call(`/api/v1/tables/${table}/records`, { as: 'editor', body: `{"v":${value}}` })

const thirtyDigits = '123456789012345678901234567890.000000000012345678901234567890'

const accepted: Record<string, [sent: string, read?: string][]> = {
  text: [['""'], ['" "'], ['"O\'Brien \\"x\\" \\\\ %s $1 {}"'], ['"🦊 ‮ ﷽"'], ['"\\n\\t\\u0001"'], ['"null"'], ['null']],
  integer: [
    ['0'],
    ['-2147483648'],
    ['2147483647'],
    ['"42"', '42'],
    ['"-007"', '-7'],
    ['-0', '0'],
    ['1.0', '1'],
    ['-20e-1', '-2'],
    ['null'],
  ],
  bigint: [
    ['9007199254740993'],
    ['"9007199254740993"', '9007199254740993'],
    ['9223372036854775807'],
    ['-9223372036854775808'],
    ['"9223372036854775807"', '9223372036854775807'],
    ['1e3', '1000'],
    ['9007199254740993.000', '9007199254740993'],
    ['-9223372036854775808.0', '-9223372036854775808'],
    ['900719925474099300e-2', '9007199254740993'],
  ],
  decimal: [
    ['0.1'],
    ['1.10'],
    ['-0.000000000000000000001'],
    [thirtyDigits],
    [`"${thirtyDigits}"`, thirtyDigits],
    ['1e-7', '0.0000001'],
    ['"1E5"', '100000'],
    ['123456789012345678'],
    ['".5"', '0.5'],
    ['1e300', `1${'0'.repeat(300)}`],
    ['"1e400"', `1${'0'.repeat(400)}`],
    ['"-1e-400"', `-0.${'0'.repeat(399)}1`],
    ['1e-400', `0.${'0'.repeat(399)}1`],
  ],
  currency: [
    ['0.1'],
    ['1.10'],
    ['-0.000000000000000000001'],
    [thirtyDigits],
    [`"${thirtyDigits}"`, thirtyDigits],
    ['1e-7', '0.0000001'],
    ['"1E5"', '100000'],
    ['123456789012345678'],
    ['".5"', '0.5'],
    ['1e300', `1${'0'.repeat(300)}`],
    ['"1e400"', `1${'0'.repeat(400)}`],
    ['"-1e-400"', `-0.${'0'.repeat(399)}1`],
    ['1e-400', `0.${'0'.repeat(399)}1`],
  ],
  money: [
    ['1234.56'],
    ['1234.5', '1234.50'],
    ['9999.99'],
    ['1234.5600000000000000000000', '1234.56'],
    ['"0.010"', '0.01'],
    ['-9999.99'],
    ['1e3', '1000.00'],
    ['"0.0000001e10"', '1000.00'],
    ['12.3e-1', '1.23'],
  ],
  boolean: [['true'], ['false'], ['null']],
  longText: [['"two\\nlines"'], ['""']],
  percent: [['0.25'], ['1.10'], ['-0.000000000000000000001'], ['"0.5"', '0.5'], ['null']],
  rating: [['1'], ['5'], ['"3"', '3'], ['2.0', '2'], ['null']],
  duration: [['0'], ['-61'], ['"5400"', '5400'], ['9007199254740993'], ['null']],
  float: [['0.1'], ['-1e300', '-1e+300'], ['"2.5"', '2.5'], ['5e-324'], ['0'], ['null']],
  time: [['"12:30"', '"12:30:00"'], ['"00:00:00.000001"'], ['"23:59:59.999999"']],
  email: [['"ada@example.org"'], ['"ada+x@sub.example.co"'], ['"žluťoučký@příklad.cz"'], ['"\'@x.y"']],
  url: [['"https://example.org"'], ['"HTTP://x/?q=1#f"'], ['"https://пример.рф/ü?a=b%20c"'], ['"http://[::1]:80/"']],
  phone: [['"+49 30 901820"'], ['"(030) 901-820"'], ['"112"'], ['"030/901820 ext. 7"']],
  select: [['"new"'], [JSON.stringify('it’s "done", \\o/')], ['null']],
  multiSelect: [['[]'], ['["a"]'], [JSON.stringify(['"\\{}', 'b, c', 'NULL', 'a'])], ['null']],
  link: [['1'], ['"2"', '2'], ['null']],
  manyLinks: [['[]'], ['[1,2]'], ['["3"]', '[3]']],
  reverseLinks: [['[]'], ['[1,2]'], ['["3"]', '[3]']],
  user: [['null']],
  date: [['"2026-01-31"'], ['"2024-02-29"'], ['"0001-01-01"'], ['"9999-12-31"']],
  dateTime: [
    ['"2026-01-31T12:00:00Z"', '"2026-01-31T12:00:00+00:00"'],
    ['"2026-01-31T12:00:00.123456Z"', '"2026-01-31T12:00:00.123456+00:00"'],
    ['"2026-01-31T00:30:00+14:00"', '"2026-01-30T10:30:00+00:00"'],
    ['"9999-12-31T23:59:59.999Z"', '"9999-12-31T23:59:59.999+00:00"'],
    ['"2026-01-31T12:00:00.123456789Z"', '"2026-01-31T12:00:00.123457+00:00"'],
    ['"0001-01-01T00:00:00Z"', '"0001-01-01T00:00:00+00:00"'],
    ['"2026-01-31t12:00:00z"', '"2026-01-31T12:00:00+00:00"'],
  ],
  json: [
    ['{"a": [1, {"b": null}], "é": "🦊"}'],
    ['[]'],
    ['"text"'],
    ['0'],
    ['false'],
    ['{"n": 1234567890123456789012345678901234567890}'],
    ['{"n": 0.1000000000000000000000000000001}'],
    ['{"__proto__": {"x": 1}}'],
    ['1e400', `1${'0'.repeat(400)}`],
    ['[1E-0400, "1e99999 \\" 1e99999"]', `[0.${'0'.repeat(399)}1, "1e99999 \\" 1e99999"]`],
    ['null'],
  ],
  uuid: [
    ['"01890a5d-ac96-774b-bcce-b302099a8057"'],
    ['"01890A5D-AC96-774B-BCCE-B302099A8057"', '"01890a5d-ac96-774b-bcce-b302099a8057"'],
    ['"00000000-0000-0000-0000-000000000000"'],
  ],
}

const refused: Record<string, string[]> = {
  text: ['1', 'true', '[]', '{}', '"a\\u0000b"', '"\\ud800"', '"\\udc00x"'],
  integer: [
    '2147483648',
    '-2147483649',
    '1.5',
    '1.0000000000000000000001',
    '1e-400',
    '"1.5"',
    '"1.0"',
    '""',
    '" 1"',
    '"+1"',
    '"0x1"',
    '"١"',
    '"NaN"',
    '1e400',
    'true',
    '[1]',
    '"abc"',
  ],
  bigint: [
    '9223372036854775808',
    '9007199254740993.5',
    '9223372036854775807.5',
    '-9223372036854775809',
    '"9223372036854775808"',
    '0.5',
    '1e400',
    '{}',
    '""',
    '"1e3"',
  ],
  decimal: [
    '"NaN"',
    '"Infinity"',
    '"-Infinity"',
    '""',
    '"."',
    '"-"',
    '"1,5"',
    '"1 "',
    '"0x1"',
    'true',
    '[]',
    '"1e9999"',
    '1e400',
    '"٣"',
    '"1e401"',
    '"1e-401"',
    '1e-401',
    '1E131071',
    '1e-16383',
  ],
  currency: [
    '"NaN"',
    '"Infinity"',
    '"-Infinity"',
    '""',
    '"."',
    '"-"',
    '"1,5"',
    '"1 "',
    '"0x1"',
    'true',
    '[]',
    '"1e9999"',
    '1e400',
    '"٣"',
    '"1e401"',
    '"1e-401"',
    '1e-401',
    '1E131071',
    '1e-16383',
  ],
  money: [
    '"0.005"',
    '9999.994',
    '1.001',
    '1e-3',
    '12.00000000000000000000001',
    '[1]',
    '10000',
    '-10000.00',
    '9999.995',
    '-9999.9951',
    '"1e300"',
    '1e4',
    '"1e5"',
    '"0.1e6"',
    '"1000e1"',
  ],
  boolean: ['"true"', '0', '1', '"t"', '""', '[]'],
  longText: ['1', '"\\u0000"'],
  percent: ['"25%"', '"NaN"', '""', 'true'],
  rating: ['0', '6', '-1', '1.5', '"★"', '""', 'true'],
  duration: ['1.5', '"1:30"', '""', 'true', '9223372036854775808'],
  float: ['"NaN"', '"Infinity"', '"-Infinity"', '1e400', '"1e400"', '"1e-400"', '""', '"x"', 'true', '[]'],
  time: ['"24:00"', '"12"', '"12:60"', '"12:00:60"', '"1:00"', '"12:00:00.1234567"', '"now"', '12', '"12:00Z"', '""'],
  email: ['"ada"', '"@x.y"', '"a@b"', '"a b@c.d"', '"a@b.c\\n"', '"a@b@c.d"', '"a@b..c"', '""', '1', `"${'a'.repeat(251)}@x.y"`],
  url: [
    '"javascript:alert(1)"',
    '"example.org"',
    '"https://"',
    '"https:///x"',
    '"https://x y"',
    '" https://x"',
    '"ftp://x"',
    '"https://x\\n"',
    '""',
    '{}',
  ],
  phone: ['"abc"', '"+"', '""', '"12345678901234567890123456789012345678901"', '"1; drop"', '"1\\n2"', '5'],
  select: ['"New"', '""', '"new "', '1', '["new"]', 'true'],
  multiSelect: ['"a"', '["c"]', '["a", "a"]', '[null]', '[["a"]]', '{}', '[1]'],
  link: ['"x"', '1.5', '[1]', '{}', 'true'],
  manyLinks: ['1', '"1"', '[1, 1]', '[1, "1"]', '[null]', '[[1]]', '{}', '["x"]'],
  reverseLinks: ['1', '"1"', '[1, 1]', '[1, "1"]', '[null]', '[[1]]', '{}', '["x"]'],
  user: ['"x"', '1', '[]'],
  date: [
    '"2026-02-29"',
    '"2026-13-01"',
    '"2026-1-1"',
    '"0000-01-01"',
    '"31.01.2026"',
    '"2026-01-31T00:00:00Z"',
    '"today"',
    '"infinity"',
    '20260131',
    '""',
  ],
  dateTime: [
    ...['"2026-01-31T12:00:00"', '"2026-01-31 12:00:00Z"', '"2026-01-31T24:00:00Z"', '"2026-01-31T12:60:00Z"', '"2026-02-29T12:00:00Z"'],
    ...[
      '"2026-01-31T12:00:00+15:00"',
      '"2026-01-31"',
      '"now"',
      '"infinity"',
      '1769860800',
      '"2026-01-31T12:00:00 UTC"',
      '"2026-01-31T12:00:60Z"',
    ],
    ...[
      '"0001-01-01T00:00:00+14:00"',
      '"2026-01-31T12:00:00.1234567891Z"',
      '"9999-12-31T23:59:59-14:00"',
      '"9999-12-31T23:59:59.9999999Z"',
    ],
  ],
  json: [
    '"a\\u0000b"',
    '{"a":"\\u0000"}',
    '{"\\u0000":1}',
    '["\\ud800"]',
    '{"a":[{"b":"\\udc00"}]}',
    '1e401',
    '{"a":[1,-1E+131071]}',
    '[1e-16383]',
    '{"1e3\\\\":1e0000401}',
  ],
  uuid: [
    '"x"',
    '""',
    '1',
    '"{01890a5d-ac96-774b-bcce-b302099a8057}"',
    '"01890a5dac96774bbcceb302099a8057"',
    '"01890a5d-ac96-774b-bcce-b302099a805g"',
  ],
}

/** Whatever is sent for them. */
const filled = ['attachment', 'autoNumber', 'createdAt', 'updatedAt', 'createdBy', 'updatedBy', 'formula', 'lookup', 'rollup', 'count']

test('every type is tested with what it takes and what it refuses', () => {
  for (const type of columnTypeNames) {
    expect({ type, known: (type in accepted && type in refused) || filled.includes(type) }).toEqual({ type, known: true })
  }
})

test.each(filled.map((type) => [type]))('%s: nobody sends a value', async (type) => {
  for (const value of ['1', 'null', '[]', '"2026-01-31T12:00:00Z"']) {
    const { errors } = await expectProblem(await insert(type, value), 422, 'validation_failed')
    expect(errors!.map(({ path }) => path)).toEqual(['/v'])
  }
  expect((await app.call(`/api/v1/tables/${type}/records`, { as: 'editor', body: {} })).status).toBe(201)
})

test('a link to a record that is not there is a conflict', async () => {
  for (const [table, value] of [
    ['link', 9],
    ['manyLinks', [9]],
    ['reverseLinks', [9]],
    ['user', '01890a5d-ac96-774b-bcce-b302099a8057'],
  ] as const) {
    expect((await app.call(`/api/v1/tables/${table}/records`, { as: 'editor', body: { v: value } })).status).toBe(409)
  }
})

describe.each(Object.keys(accepted))('%s', (table) => {
  test.each(accepted[table]!)('takes %s', async (sent, read = sent) => {
    const response = await insert(table, sent)
    const text = await response.text()
    expect({ status: response.status, text }).toEqual({ status: 201, text: `{"id":${JSON.parse(text).id},"v":${read}}` })
    const location = response.headers.get('location')!
    expect(await (await app.call(location, { as: 'viewer' })).text()).toBe(text)
    const patched = await app.call(location, { as: 'editor', method: 'PATCH', body: `{"v":${sent}}` })
    expect(await patched.text()).toBe(text)
    const mixed = await app.call(`/api/v1/tables/${table}/records`, { as: 'editor', body: `[{"v":${sent}},{}]` })
    expect(await mixed.text()).toContain(`"v":${read}`)
  })

  test.each(refused[table]!.map((sent) => [sent]))('refuses %s', async (sent) => {
    const { errors } = await expectProblem(await insert(table, sent), 422, 'validation_failed')
    expect(errors!.length).toBeGreaterThan(0)
    expect(['/v', '']).toContain(errors![0]!.path)
  })
})

test('nothing that was refused is there, and what was taken is read alike in a list', async () => {
  for (const [table, values] of Object.entries(accepted)) {
    const text = await (await app.call(`/api/v1/tables/${table}/records?limit=1000`, { as: 'viewer' })).text()
    const { records } = JSON.parse(text)
    expect(records).toHaveLength(values.length * 3)
    for (const [sent, read = sent] of values) expect(text).toContain(`"v":${read}`)
  }
})

test('the digits of a record are kept in an error too', async () => {
  const response = await insert('decimal', thirtyDigits)
  const location = response.headers.get('location')!
  const stale = await app.call(location, { as: 'editor', method: 'PATCH', body: { v: 1 }, headers: { 'if-match': '"1"' } })
  expect(stale.status).toBe(412)
  expect(await stale.text()).toContain(`"current":{"id":${(await json(app.call(location, { as: 'viewer' }))).id},"v":${thirtyDigits}}`)
})

test('many digits take no time', async () => {
  const answers = [insert('money', `"0.${'0'.repeat(500_000)}1"`), insert('float', `"${'1'.repeat(500_000)}x"`)]
  for (const answer of answers) expect((await answer).status).toBe(422)
})
