import { describe, expect, test } from 'bun:test'
import { proposedDisplay } from '../../../src/tables/formulas/language/amounts'
import { json, startApp } from '../../support/app'

const euros = { type: 'currency', currency: 'EUR' } as const
const columns = [
  ...[
    { name: 'Fee', ...euros },
    { name: 'Paid', ...euros },
    { name: 'Parts', ...euros, isList: true },
  ],
  { name: 'Computed', type: 'decimal', currency: 'EUR' },
  ...[
    { name: 'Yen', type: 'currency', currency: 'JPY' },
    { name: 'Any', type: 'currency' },
    { name: 'n', type: 'integer' },
  ],
  ...[
    { name: 'share', type: 'percent' },
    { name: 'done', type: 'boolean' },
    { name: 'Note', type: 'text' },
  ],
] as const

describe('amounts of one currency make', () => {
  test.each([
    ['Fee - Paid', { currency: 'EUR' }],
    ['-Fee + Computed + 5', { currency: 'EUR' }],
    ['SUM(Fee, Paid) - MAX(Parts)', { currency: 'EUR' }],
    ['if(done; Fee; 0)', { currency: 'EUR' }],
    ['IFS(done, Fee, n > 3, Paid)', { currency: 'EUR' }],
    ['SWITCH(n, 1, Fee, 2, Paid, 0)', { currency: 'EUR' }],
    ['IFBLANK(Paid, BLANK())', { currency: 'EUR' }],
    ['ROUND(Fee * 1.19, 2)', { currency: 'EUR', decimals: 2 }],
    ['Fee * n * done - Fee * share', { currency: 'EUR', decimals: 2 }],
    ['2 * (3 * Fee) / n', { currency: 'EUR', decimals: 2 }],
    ['Fee * (Paid / Computed)', { currency: 'EUR', decimals: 2 }],
    ['AVERAGE(Parts)', { currency: 'EUR', decimals: 2 }],
    ['Yen%', { currency: 'JPY', decimals: 0 }],
  ])('an amount of %s', (formula, display) => expect(proposedDisplay(formula, columns)).toEqual(display))

  test.each([
    'Fee / Paid',
    'Fee * Paid',
    'n / Fee',
    'Fee ^ 2',
    'SQRT(Fee)',
    'COUNTA(Parts)',
    'Fee > Paid',
    'Fee & ""',
    'LEN(Note)',
    '1 + 1',
  ])('none of %s', (formula) => expect(proposedDisplay(formula, columns)).toEqual({}))
})

test.each(['Fee + Yen', 'Fee + n', 'Fee - Any', 'IF(done, Fee, n)', 'SWITCH(n, 1, Fee, n)', 'Fee / Yen', 'n * 2', 'SUM(Fee, Fee * Paid)'])(
  'numbers of several units make no amount: %s',
  (formula) => expect(proposedDisplay(formula, columns)).toEqual({}),
)

describe('a preview', async () => {
  const app = await startApp()
  const post = (path: string, body: object) => app.call(`/api/v1/tables${path}`, { as: 'admin', body })
  const amount = (name: string) => ({ name, type: 'currency', options: { currency: 'EUR' } })
  await post('', { name: 'members', columns: [amount('Fee'), amount('Paid'), { name: 'Note', type: 'text' }] })
  const proposalOf = async (options: object) => (await json(post('/members/columns/preview', { type: 'formula', options }))).proposed

  test('proposes the currency of the columns, and creates nothing with it', async () => {
    expect(await proposalOf({ formula: '=fee-paid' })).toEqual({ currency: 'EUR' })
    expect(await proposalOf({ formula: 'IF(Fee > 0, Fee, Note)' })).toEqual({})
    expect(await proposalOf({ expression: '"Fee" - "Paid"' })).toEqual({})
    const { options } = await json(post('/members/columns', { name: 'open', type: 'formula', options: { formula: 'Fee - Paid' } }))
    expect(options).not.toHaveProperty('currency')
  })

  test('takes the currency of computed columns', async () => {
    const open = { name: 'Open', type: 'formula', options: { formula: 'Fee - Paid', currency: 'EUR' } }
    await post('/members/columns', open)
    const payments = [{ name: 'member', type: 'link', options: { table: 'members' } }, amount('Sum')]
    await post('', { name: 'payments', columns: payments })
    await post('/members/columns', { name: 'payments', type: 'reverseLinks', options: { table: 'payments', column: 'member' } })
    const total = { link: 'payments', column: 'Sum', function: 'sum' }
    await post('/members/columns', { name: 'Total', type: 'rollup', options: total })
    await post('/members/columns', { name: 'Each', type: 'lookup', options: { link: 'payments', column: 'Sum' } })
    expect(await proposalOf({ formula: 'Open - Total - MIN(Each)' })).toEqual({ currency: 'EUR' })
  })
})
