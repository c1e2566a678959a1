import { expect, test } from 'bun:test'
import { json, startApp } from '../../support/app'

const app = await startApp()
const tables = (path: string, method: string, body: object) => app.call(`/api/v1/tables${path}`, { as: 'admin', method, body })
let count = 0

/** How many of the values do not fit a column of another type. */
async function failingOf(from: object, values: string[], to: object): Promise<number> {
  const name = `table ${count++}`
  await tables('', 'POST', { name, columns: [{ name: 'v', ...from }] })
  for (const v of values) expect((await tables(`/${name}/records`, 'POST', { v })).status).toBe(201)
  const { failing } = await json(tables(`/${name}/columns/v?dryRun=true`, 'PATCH', to))
  const changed = await tables(`/${name}/columns/v`, 'PATCH', to)
  expect(changed.status).toBe(failing === 0 ? 200 : 409)
  return failing
}

test.each([
  [{ type: 'decimal' }, ['12345678901234567.89', '0.1', '12.50'], { type: 'float' }, 1],
  [{ type: 'bigint' }, ['9007199254740993', '9007199254740992'], { type: 'float' }, 1],
  [{ type: 'text' }, ['0.1', '2e-5', '0.30000000000000004', '1.00000000000000001'], { type: 'float' }, 1],
  [{ type: 'text' }, ['100.50 AUD', '2,000.00 AUD'], { type: 'currency', options: { currency: 'EUR' } }, 2],
  [{ type: 'text' }, ['100.50 AUD', '2,000.00 AUD'], { type: 'currency', options: { currency: 'AUD' } }, 0],
])('%j %j as %j: %i do not fit', async (from, values, to, failing) => {
  expect(await failingOf(from, values, to)).toBe(failing)
})
