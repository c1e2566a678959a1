import { describe, expect, test } from 'bun:test'
import { json, startApp } from '../support/app'

const app = await startApp()
const table = (path: string, method: string, body?: unknown) => app.call(`/api/v1/tables${path}`, { as: 'admin', method, body })
let number = 0

describe('texts as people write them', () => {
  const convert = async (values: string[], to: object) => {
    const name = `t${++number}`
    await table('', 'POST', { name, columns: [{ name: 'v', type: 'text' }] })
    const rows = values.map((v) => ({ v }))
    expect((await app.call(`/api/v1/tables/${name}/records`, { as: 'editor', body: rows })).status).toBe(201)
    const report = await json(table(`/${name}/columns/v?dryRun=true`, 'PATCH', to))
    expect((await table(`/${name}/columns/v`, 'PATCH', { ...to, onFailure: 'null' })).status).toBe(200)
    const { records } = await json(app.call(`/api/v1/tables/${name}/records`, { as: 'viewer' }))
    return { report, values: records.map(({ v }: { v: unknown }) => v) }
  }

  test.each<[object, string[], object, unknown[]]>([
    [{ type: 'decimal' }, ['1.234,50 €', '99,90 €', '1234,50', '-7'], { decimals: 'comma' }, [1234.5, 99.9, 1234.5, -7]],
    [{ type: 'currency' }, ['$1,234.50', '(99.90)', '1,000,000'], { decimals: 'point' }, [1234.5, -99.9, 1000000]],
    [{ type: 'percent' }, ['12,5 %', '5%'], { decimals: 'comma' }, [0.125, 0.05]],
    [{ type: 'integer' }, ['1.234.567', '12'], { decimals: 'comma' }, [1234567, 12]],
    [{ type: 'date' }, ['24.12.1980', '1.2.26'], { dates: 'dmy' }, ['1980-12-24', '2026-02-01']],
    [{ type: 'date' }, ['12/24/1980', '1/2/2026'], { dates: 'mdy' }, ['1980-12-24', '2026-01-02']],
  ])('become %j from %j', async (to, values, notation, expected) => {
    const converted = await convert(values, to)
    expect(converted).toEqual({ report: { convertible: values.length, failing: 0, rows: [], notation }, values: expected })
  })

  test('take no time where they are full of blanks', async () => {
    const blanks = ' '.repeat(30)
    const { values } = await convert([`${' '.repeat(95)}Total`, `${blanks}-${blanks}5,50 €${blanks}`, '1,50'], { type: 'decimal' })
    expect(values).toEqual([null, -5.5, 1.5])
  })

  test('that can be read in two ways are read as the patch says, and else as PostgreSQL does', async () => {
    expect((await convert(['1.234', '2.500'], { type: 'decimal' })).values).toEqual([1.234, 2.5])
    expect((await convert(['1.234', '2.500'], { type: 'decimal', notation: { decimals: 'comma' } })).values).toEqual([1234, 2500])
    const { report } = await convert(['1.234', '2.500'], { type: 'decimal' })
    expect(report).toMatchObject({ convertible: 2, ambiguous: ['decimals'] })
    // It is what was said, also where the texts tell something else.
    expect((await convert(['1.234', '2.50'], { type: 'decimal', notation: { decimals: 'comma' } })).values).toEqual([1234, null])
    expect((await convert(['1.234', '2.50'], { type: 'decimal' })).values).toEqual([1.234, 2.5])
  })

  test('are not all read otherwise for one slip among them', async () => {
    const weights = Array.from({ length: 20 }, (_, at) => `1.${at + 100}`)
    const { report, values } = await convert([...weights, '1,5'], { type: 'decimal' })
    expect(report).toMatchObject({ convertible: 20, failing: 1, ambiguous: ['decimals'] })
    expect(values.slice(0, 2)).toEqual([1.1, 1.101])
    expect(values.at(-1)).toBeNull()
  })

  test('lose no currency: of several, or of another one than the column’s, amounts do not fit', async () => {
    expect((await convert(['100 USD', '100 EUR', '7'], { type: 'decimal' })).report).toMatchObject({ convertible: 1, failing: 2 })
    const euros = { type: 'currency', options: { currency: 'EUR' } }
    expect((await convert(['5,50 €', '7 €'], euros)).values).toEqual([5.5, 7])
    expect((await convert(['$5.50', '$7'], euros)).report).toMatchObject({ convertible: 0, failing: 2 })
  })

  test('that are none are told as what they are', async () => {
    const { report, values } = await convert(['1,5', '2,25', 'n/a'], { type: 'decimal' })
    expect(report).toMatchObject({ convertible: 2, failing: 1, rows: [{ value: 'n/a', message: 'must be a number' }] })
    expect(values).toEqual([1.5, 2.25, null])
  })
})
