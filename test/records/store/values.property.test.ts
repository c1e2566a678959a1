import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { startApp } from '../../support/app'

/** Any values that JSON can carry come back as they were sent, or are refused as a whole. */
const app = await startApp()
const types = { text: 'text', big: 'bigint', exact: 'decimal', any: 'json' }
await app.call('/api/v1/tables', {
  as: 'admin',
  body: { name: 'values', columns: Object.entries(types).map(([name, type]) => ({ name, type })) },
})

const digits = fc.array(fc.nat({ max: 9 }), { minLength: 1, maxLength: 40 }).map((list) => list.join(''))
/** Without leading zeros, so that its text is the one that PostgreSQL writes. */
const decimal = fc.tuple(fc.boolean(), digits, digits).map(([isNegative, whole, fraction]) => {
  const number = `${whole.replace(/^0+(?=\d)/, '')}.${fraction}`
  return isNegative && /[1-9]/.test(number) ? `-${number}` : number
})
const record = fc.record({
  text: fc.string({ unit: 'binary', maxLength: 40 }),
  big: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  exact: decimal,
  any: fc.jsonValue({ maxDepth: 4 }),
})
type Value = typeof record extends fc.Arbitrary<infer T> ? T : never

/** As JSON text with every digit; the numbers once as numbers and once as strings. */
const written = ({ text, big, exact, any }: Value, quote: '' | '"') =>
  `{"text":${JSON.stringify(text)},"big":${quote}${big}${quote},"exact":${quote}${exact}${quote},"any":${JSON.stringify(any)}}`

const isStorable = (value: unknown): boolean =>
  typeof value === 'string'
    ? value.isWellFormed() && !value.includes('\0')
    : typeof value !== 'object' || value === null || Object.entries(value).flat().every(isStorable)

/** As it was sent: JSON has no sign of zero. */
const plain = (value: unknown) => JSON.parse(JSON.stringify(value))

test('what is sent comes back, digit by digit, alone and among others', async () => {
  const property = fc.asyncProperty(
    fc.array(record, { minLength: 1, maxLength: 3 }),
    fc.constantFrom<'' | '"'>('', '"'),
    async (values, quote) => {
      const body = `[${values.map((value) => written(value, quote)).join(',')}]`
      const response = await app.call('/api/v1/tables/values/records', { as: 'editor', body })
      const text = await response.text()
      if (!values.every(isStorable)) return expect(response.status).toBe(422)
      expect(response.status).toBe(201)
      const records = JSON.parse(text) as { text: string; any: unknown }[]
      for (const [index, value] of values.entries()) {
        expect(records[index]!.text).toBe(value.text)
        expect(records[index]!.any).toEqual(plain(value.any))
        expect(text).toContain(`"big":${value.big},"exact":${value.exact},`)
      }
    },
  )
  await fc.assert(property, { numRuns: 500 })
})
