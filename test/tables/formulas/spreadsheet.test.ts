import { expect, test } from 'bun:test'
import { formulaFunctions } from '../../../src/tables/formulas/language/functions'
import { json, startApp } from '../../support/app'
import expected from './spreadsheet-values.json'

/** Computed by LibreOffice Calc: `bun run office`. */
const app = await startApp()
const columns = [
  ...['a', 'b'].map((name) => ({ name, type: 'decimal' })),
  ...['s', 't'].map((name) => ({ name, type: 'text' })),
  ...['d', 'e'].map((name) => ({ name, type: 'date' })),
  { name: 'x', type: 'boolean' },
]
const tables = '/api/v1/tables'

test('formulas have the values that LibreOffice Calc computes', async () => {
  const formulas = expected.formulas.map(({ formula }, at) => ({ name: `f${at}`, type: 'formula', options: { formula } }))
  const created = await app.call(tables, { as: 'admin', body: { name: 'sheet', columns: [...columns, ...formulas] } })
  expect({ status: created.status, errors: created.status === 201 ? [] : await created.json() }).toEqual({ status: 201, errors: [] })
  const added = await app.call(`${tables}/sheet/records`, { as: 'editor', body: expected.records })
  expect(added.status).toBe(201)
  const { records } = await json(app.call(`${tables}/sheet/records?order=id`, { as: 'viewer' }))
  const differences = expected.formulas.flatMap(({ formula, values }, at) =>
    values.flatMap((theirs, row) => {
      const ours = records[row][`f${at}`]
      return isSame(ours, theirs) ? [] : [`${formula} of record ${row + 1}: ${JSON.stringify(ours)} and not ${JSON.stringify(theirs)}`]
    }),
  )
  expect(differences).toEqual([])
}, 60_000)

/** A spreadsheet shows 0 or "" where a formula only passes on an empty value; Rowhouse leaves it empty. */
function isSame(ours: unknown, theirs: unknown): boolean {
  if (ours === null || theirs === null) return ours === null && (theirs === null || theirs === '' || theirs === 0)
  if (typeof theirs !== 'number') return ours === theirs
  return Math.abs(Number(ours) - theirs) <= 1e-11 * Math.max(1, Math.abs(theirs))
}

/** Calc has none of that name and meaning. */
const ownFunctions = ['ARRAYJOIN', 'NOW', 'TODAY', 'SET_TIMEZONE']

test('every function is among them', () => {
  const text = expected.formulas.map(({ formula }) => formula).join('\n')
  const missing = Object.keys(formulaFunctions).filter((name) => !text.includes(`${name}(`))
  expect(missing).toEqual(ownFunctions)
})
