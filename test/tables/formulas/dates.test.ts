import { expect, test } from 'bun:test'
import { startApp } from '../../support/app'
import { expectProblem } from '../../support/problem'

const app = await startApp()
const tables = '/api/v1/tables'
const columns = [
  { name: 'due', type: 'date' },
  { name: 'at', type: 'dateTime' },
]
await app.call(tables, { as: 'admin', body: { name: 'sheet', columns } })

const add = (formula: string) =>
  app.call(`${tables}/sheet/columns`, { as: 'admin', body: { name: 'f', type: 'formula', options: { formula } } })

test.each([
  ['DATEADD(due, 1, "constructor")', 17],
  ['DATEADD(due, 1, "__proto__")', 17],
  ['DATETIME_DIFF(at, due, "toString")', 24],
])('a property of every object is no unit: %s', async (formula, position) => {
  const { errors } = await expectProblem(await add(formula), 422, 'validation_failed')
  expect(errors).toMatchObject([{ message: expect.stringContaining('a word that it does not know'), position }])
})
