import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { plainCell } from '../../src/csv/import/notation-sql'
import { type DateOrder, type DecimalMark, dateOrders, decimalMarks, guessNotation, readAmount, readDate } from '../../src/tables/notation'
import { startApp } from '../support/app'

const app = await startApp()
const literal = (text: string) => `'${text.replaceAll("'", "''")}'`

/** What the import makes of cells, as PostgreSQL would be given them. */
async function inSql(cells: string[], comparedAs: string, notation: { dates?: DateOrder; decimals?: DecimalMark }): Promise<string[]> {
  const rows = await app.deps.db.sql.unsafe(
    `select ${plainCell({ type: 'other', comparedAs }, 'cell', notation)} as plain from pg_catalog.json_array_elements_text(${literal(JSON.stringify(cells))}::json) cell`,
  )
  return rows.map(({ plain }) => plain)
}

const marks = fc.constantFrom<DecimalMark>(...decimalMarks)
const amounts = fc.record({
  sign: fc.constantFrom('', '-', '\u2212', '+'),
  before: fc.constantFrom('', '$', '€ ', 'EUR ', 'kr ', 'R$', '$US '),
  whole: fc.bigInt({ min: 0n, max: 10n ** 17n }),
  grouping: fc.constantFrom('other', ' ', '\u00a0', '\u202f', "'", '’', ''),
  fraction: fc.stringMatching(/^\d{0,4}$/),
  after: fc.constantFrom('', '%', ' %', ' €', ' CHF', ' kr'),
  mark: marks,
})
const wrote = ({
  sign,
  before,
  whole,
  grouping,
  fraction,
  after,
  mark,
}: typeof amounts extends fc.Arbitrary<infer Value> ? Value : never) => {
  const by = grouping === 'other' ? (mark === 'point' ? ',' : '.') : grouping
  const digits = String(whole).replace(/\B(?=(\d{3})+$)/g, by.replace('$', '$$'))
  return `${sign}${before}${digits}${fraction && (mark === 'point' ? '.' : ',')}${fraction}${after}`
}

describe('amounts', () => {
  test('are read with all their digits, by the preview and by the import alike', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(amounts, { minLength: 1, maxLength: 20 }), async (list) => {
        for (const mark of decimalMarks) {
          const own = list.filter((one) => one.mark === mark)
          const cells = own.map(wrote)
          const plain = await inSql(cells, 'numeric', { decimals: mark })
          const values = cells.length
            ? await app.deps.db.sql.unsafe(`select ${plain.map((one) => `(${literal(one)}::numeric)::text`).join(', ')}`).values()
            : [[]]
          const expected = own.map(({ sign, whole, fraction, after }) => {
            const digits = BigInt(`${whole}${fraction}`)
            const scale = fraction.length + (after.includes('%') ? 2 : 0)
            return { value: sign === '-' || sign === '\u2212' ? -digits : digits, scale }
          })
          const scaled = (text: string, scale: number) => {
            const [whole = '', fraction = ''] = text.replace(/^[+]/, '').split('.')
            expect(fraction.slice(scale)).toMatch(/^0*$/)
            return BigInt(whole + fraction.slice(0, scale).padEnd(scale, '0'))
          }
          for (const [index, { value, scale }] of expected.entries()) {
            const negative = value < 0n
            const read = readAmount(cells[index]!, mark)
            expect(read).not.toBeNull()
            const magnitude = negative ? -value : value
            expect(scaled(read!.replace('-', ''), scale)).toBe(magnitude)
            expect(scaled((values[0] as string[])[index]!.replace('-', ''), scale)).toBe(magnitude)
            if (negative) expect(read).toStartWith('-')
          }
        }
      }),
    )
  })

  test('of another form are refused by both', async () => {
    const wrong = ['1.5', '1.23.456', '1,234,567', 'EUR', '12a', '1..234', '0.123', 'ABC12', '1.234.56']
    for (const cell of wrong) expect(readAmount(cell, 'comma')).toBeNull()
    const plain = await inSql(wrong, 'numeric', { decimals: 'comma' })
    const rows = await app.deps.db.sql
      .unsafe(`select ${plain.map((one) => `rowhouse.can_cast(${literal(one)}, 'numeric')`).join(', ')}`)
      .values()
    expect(rows[0]).toEqual(wrong.map(() => false))
  })
})

describe('dates', () => {
  const day = fc.date({ min: new Date('1930-01-01'), max: new Date('2029-12-31'), noInvalidDate: true })
  const orders = fc.constantFrom<DateOrder>(...dateOrders)
  test('are read in the order that was said, by both alike', async () => {
    await fc.assert(
      fc.asyncProperty(
        day,
        orders,
        fc.constantFrom('.', '/', '-'),
        fc.boolean(),
        fc.boolean(),
        fc.constantFrom('', ' 14:30', ', 2:30 PM', ' 00:00:00'),
        async (at, order, mark, isShort, isPadded, time) => {
          const iso = at.toISOString().slice(0, 10)
          const [y, m, d] = iso.split('-') as [string, string, string]
          const part = (text: string) => (isPadded ? text : String(Number(text)))
          const year = isShort && order !== 'ymd' ? y.slice(2) : y
          const cell = { dmy: [part(d), part(m), year], mdy: [part(m), part(d), year], ymd: [y, part(m), part(d)] }[order].join(mark) + time
          const isIso = cell.startsWith(iso)
          const expected = iso + (time === '' || time === ' 00:00:00' ? '' : time.replace(/^,? /, ' '))
          expect(readDate(cell, order)).toBe(isIso ? cell : expected)
          expect(await inSql([cell, iso], 'date', { dates: order })).toEqual([expected, iso])
        },
      ),
    )
  })
})

test.each([
  [[['24.12.1980', '']], { dates: 'dmy', ambiguous: [] }],
  [[['12/24/1980', '01/02/1980']], { dates: 'mdy', ambiguous: [] }],
  [[['01/02/1980'], ['31/01/2026']], { dates: 'dmy', ambiguous: [] }],
  [[['01/02/1980', 'x']], { ambiguous: [] }],
  [[['12/24/1980', '13/13/1980', '01/02/1980']], { dates: 'mdy', ambiguous: [] }],
  [[['01/02/1980']], { ambiguous: ['dates'] }],
  [[['24/12/1980', '12/24/1980']], { ambiguous: ['dates'] }],
  [[['2026/01/31']], { dates: 'dmy', ambiguous: [] }],
  [[['1,234'], ['2026-01-31']], { ambiguous: ['decimals'] }],
  [[['1,234', '0.5']], { decimals: 'point', ambiguous: [] }],
  [[['1.234,50'], ['3,5 %']], { decimals: 'comma', ambiguous: [] }],
  [[['1.5', '0.125'], ['7'], ['2026-01-31T10:00:00Z']], { ambiguous: [] }],
  [[['192.168.1.1'], ['1.2.3'], ['+49 30 901820']], { ambiguous: [] }],
] as [string[][], object][])('%j shows %j', (columns, guess) => {
  expect(guessNotation(columns)).toEqual(guess as never)
})
