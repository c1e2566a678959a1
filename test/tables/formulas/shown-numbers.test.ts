import { expect, test } from 'bun:test'
import { json } from '../../support/app'
import { startOrders, tables } from '../../support/orders'
import { expectProblem } from '../../support/problem'

const { app, add, formula, change, values, made } = await startOrders()

const optionsOf = async (table: string, name: string) => {
  const { columns } = await json(app.call(`${tables}/${table}`, { as: 'viewer' }))
  return columns.find((column: { name: string }) => column.name === name).options
}
const attribute = async () => (await app.deps.db.query(`select attnum from pg_attribute where attname = 'Gross'`))[0]

test('a formula shows its numbers with a currency and some decimals, which changes neither the values nor the column', async () => {
  await made(add('orders', 'Gross', { formula: 'Net * 1.19', decimals: 1, currency: 'EUR' }))
  expect(await optionsOf('orders', 'Gross')).toMatchObject({ formula: 'Net * 1.19', valueType: 'decimal', decimals: 1, currency: 'EUR' })
  expect((await values('orders', 'Gross'))[0]).toBe(119)
  const before = await attribute()
  const changed = await change('orders', 'Gross', { options: { formula: 'Net * 1.19', decimals: 2 } })
  expect(changed.status).toBe(200)
  const options = await optionsOf('orders', 'Gross')
  expect(options).toMatchObject({ formula: 'Net * 1.19', decimals: 2 })
  expect(options).not.toHaveProperty('currency')
  expect(await attribute()).toEqual(before)
  // The service makes the formula again when another name or another formula is sent.
  expect((await change('orders', 'Net', { name: 'Price' })).status).toBe(200)
  expect(await optionsOf('orders', 'Gross')).toMatchObject({ formula: 'Price * 1.19', decimals: 2 })
  expect((await change('orders', 'Gross', { options: { formula: 'Price * 2', decimals: 0 } })).status).toBe(200)
  expect(await optionsOf('orders', 'Gross')).toMatchObject({ formula: 'Price * 2', decimals: 0 })
  const inNewTable = {
    name: 'halves',
    columns: [
      { name: 'n', type: 'integer' },
      { name: 'half', type: 'formula', options: { formula: 'n / 2', decimals: 3 } },
    ],
  }
  await made(app.call(tables, { as: 'admin', body: inNewTable }))
  expect(await optionsOf('halves', 'half')).toMatchObject({ decimals: 3 })
})

test('a formula that is computed at each read, a lookup and a rollup show decimals, too', async () => {
  await made(add('customers', 'Mean', { formula: '{Average} / 3', decimals: 2 }))
  expect(await optionsOf('customers', 'Mean')).toMatchObject({ atRead: true, decimals: 2 })
  await made(add('orders', 'Theirs', { link: 'Customer', column: 'Mean' }, 'lookup'))
  expect(await optionsOf('orders', 'Theirs')).toMatchObject({ valueType: 'decimal', sourceDecimals: 2 })
  await made(add('orders', 'Rounded', { link: 'Customer', column: 'Mean', decimals: 0 }, 'lookup'))
  expect(await optionsOf('orders', 'Rounded')).toMatchObject({ decimals: 0, sourceDecimals: 2 })
  // The whole options may be sent back; what belongs to the other column is not kept.
  const { valueType: _, ...sent } = await optionsOf('orders', 'Theirs')
  expect((await change('orders', 'Theirs', { options: sent })).status).toBe(200)
  expect((await change('customers', 'Mean', { options: { formula: '{Average} / 3' } })).status).toBe(200)
  expect(await optionsOf('orders', 'Theirs')).not.toHaveProperty('sourceDecimals')
  expect((await change('customers', 'Mean', { options: { formula: '{Average} / 3', decimals: 2 } })).status).toBe(200)
  expect(
    (await change('customers', 'Average', { options: { link: 'Orders', column: 'Price', function: 'avg', decimals: 1 } })).status,
  ).toBe(200)
  expect(await optionsOf('customers', 'Average')).toMatchObject({ function: 'avg', decimals: 1 })
  expect((await values('orders', 'Theirs'))[0]).toBeCloseTo(25.083, 2)
})

test('a lookup and a rollup have the scale of their column, but not an average', async () => {
  await made(add('orders', 'Weight', { precision: 8, scale: 3 }, 'decimal'))
  await made(add('orders', 'Fee', { currency: 'EUR', precision: 8, scale: 4 }, 'currency'))
  await made(add('customers', 'Weights', { link: 'Orders', column: 'Weight' }, 'lookup'))
  const options = await optionsOf('customers', 'Weights')
  expect(options).toMatchObject({ valueType: 'decimal', scale: 3 })
  expect((await change('customers', 'Weights', { options: { ...options, scale: 1 } })).status).toBe(200)
  expect(await optionsOf('customers', 'Weights')).toEqual(options)
  for (const [name, scale] of Object.entries({ sum: 4, max: 4, avg: undefined })) {
    await made(add('customers', `Fee ${name}`, { link: 'Orders', column: 'Fee', function: name }, 'rollup'))
    expect((await optionsOf('customers', `Fee ${name}`)).scale).toBe(scale)
  }
})

test('the page of a share link and a workbook round as the column says', async () => {
  const link = await json(app.call('/api/v1/links', { as: 'editor', body: { table: 'customers', pk: 1 } }))
  const page = await (await app.call(new URL(link.url).pathname, { headers: { accept: 'text/html' } })).text()
  expect(page).toContain('>25.08</span>')
})

test('what is no number of decimals or no currency is refused', async () => {
  for (const decimals of [11, -1, 1.5, 'two'])
    await expectProblem(await add('orders', 'wrong', { formula: '1', decimals }), 422, 'validation_failed')
  await expectProblem(await add('orders', 'wrong', { formula: '1', currency: 'euro' }), 422, 'validation_failed')
  expect((await formula('orders', 'right', '1')).status).toBe(201)
})
