import { describe, expect, test } from 'bun:test'
import { json, startApp } from '../../support/app'
import { expectProblem } from '../../support/problem'

const app = await startApp()
const tables = '/api/v1/tables'
const columns = [
  { name: 'due', type: 'date' },
  { name: 'at', type: 'dateTime' },
  { name: 'office', type: 'text' },
]
await app.call(tables, { as: 'admin', body: { name: 'sheet', columns } })
const moment = { due: '2026-01-31', at: '2026-01-31T23:30:00Z' }
const records = ['Berlin', 'New York', 'London'].map((office) => ({ ...moment, office }))
await app.call(`${tables}/sheet/records`, { as: 'editor', body: records })

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

describe('a choice between moments in different zones is read in the zone of each:', () => {
  const zoned = (from: string) =>
    `SWITCH(office, "Berlin", SET_TIMEZONE(${from}, "Europe/Berlin"), "New York", SET_TIMEZONE(${from}, "America/New_York"), ${from})`
  const here = zoned('at')
  test.each([
    [`HOUR(${here})`, [0, 18, 23]],
    ['HOUR(IF(office = "Berlin", SET_TIMEZONE(at, "Europe/Berlin"), SET_TIMEZONE(at, "Asia/Kolkata")))', [0, 5, 5]],
    [`DAY(${here})`, [1, 31, 31]],
    [`WEEKDAY(${here})`, [1, 7, 7]],
    [`DATESTR(${here})`, ['2026-02-01', '2026-01-31', '2026-01-31']],
    [`EOMONTH(${here}, 0)`, ['2026-02-28', '2026-01-31', '2026-01-31']],
    [`DATETIME_DIFF(${here}, due, "days")`, [1, 0, 0]],
    [`${here} - due > 1`, [true, false, false]],
    [`due - ${here} < -1`, [true, false, false]],
    [`${here} >= "2026-02-01"`, [true, false, false]],
    [`"2026-02-01" <= ${here}`, [true, false, false]],
    [`HOUR(SET_TIMEZONE(${here}, "Asia/Kolkata"))`, [5, 5, 5]],
    // Berlin's clocks change on 29 March 2026.
    [`HOUR(SET_TIMEZONE(DATEADD(${zoned('DATEADD(at, 56, "days")')}, 1, "day"), "Etc/UTC"))`, [22, 23, 23]],
    [`HOUR(SET_TIMEZONE(${zoned('DATEADD(at, 56, "days")')} + 1, "Etc/UTC"))`, [22, 23, 23]],
  ])('%s', async (formula, values) => {
    expect((await add(formula)).status).toBe(201)
    const { records: found } = await json(app.call(`${tables}/sheet/records?order=id`, { as: 'viewer' }))
    expect(found.map(({ f }: { f: unknown }) => f)).toEqual(values)
    expect((await app.call(`${tables}/sheet/columns/f?confirm=f`, { as: 'admin', method: 'DELETE' })).status).toBe(204)
  })
})
