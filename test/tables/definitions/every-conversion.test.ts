import { expect, test } from 'bun:test'
import { columnTypeNames, columnTypes } from '../../../src/tables/column-types'
import { startApp } from '../../support/app'
import { isDrilling } from '../../support/drill'

const app = await startApp()
const admin = (path: string, method: string, body?: unknown) => app.call(`/api/v1/tables${path}`, { as: 'admin', method, body })
await admin('', 'POST', { name: 'targets', columns: [] })
await app.call('/api/v1/tables/targets/records', { as: 'editor', body: [{}, {}] })

const options: Record<string, object> = {
  select: { choices: ['1', 'x', 'true'] },
  multiSelect: { choices: ['1', 'x', 'true'] },
  link: { table: 'targets' },
  manyLinks: { table: 'targets' },
  formula: { expression: "'1'" },
  reverseLinks: { table: 'targets', column: 'v' },
  lookup: { link: 'v', column: 'id' },
  rollup: { link: 'v', column: 'id', function: 'sum' },
  count: { link: 'v' },
  decimal: { precision: 3, scale: 1 },
  currency: { precision: 3, scale: 1, currency: 'EUR' },
}
/** Values of each type, as JSON, some of which are values of other types too. */
const values: Record<string, unknown[]> = {
  text: ['1', 'x', '', '2026-01-31', '{}', 'true', '12:00', 'a@b.co', '%', "'"],
  longText: ['1', '\n'],
  integer: [0, 1, 2, 20260131],
  bigint: [1, '9007199254740993'],
  decimal: [1, 1.5, -99.9],
  currency: [1, 1.5, -99.9],
  percent: [0.25, 1, '-0.005'],
  rating: [1, 2, 5],
  duration: [5400, 0, -61],
  float: [1, 1.5, 1e300],
  boolean: [true, false],
  date: ['2026-01-31', '0001-01-01'],
  time: ['12:00'],
  dateTime: ['2026-01-31T12:00:00.5Z', '9999-12-31T23:59:59.999Z'],
  json: ['1', 1, true, {}, [], '2026-01-31', 1.5, 'a\u0001'],
  uuid: ['01890a5d-ac96-774b-bcce-b302099a8057'],
  email: ['a@b.co'],
  url: ['https://x.y'],
  phone: ['112'],
  select: ['1', 'x', 'true'],
  multiSelect: [['1'], ['x', 'true'], []],
  link: [1, 2],
  manyLinks: [[1, 2]],
}

type Report = { convertible: number; failing: number }

async function make(from: string): Promise<void> {
  await admin('/trial?confirm=trial', 'DELETE')
  const made = await admin('', 'POST', { name: 'trial', columns: [{ name: 'v', type: from, options: options[from] }] })
  expect(made.status).toBe(201)
  const records = [...(values[from] ?? []).map((v) => ({ v })), {}]
  expect((await app.call('/api/v1/tables/trial/records', { as: 'editor', body: records })).status).toBe(201)
}

/**
 * The table's column is to become another one.
 * @returns what happened, for a person to read when it is wrong, and whether it is another one now
 */
async function convert(to: string): Promise<{ outcome: string; isChanged: boolean }> {
  const body = { type: to, options: options[to] }
  const patch = async (query: string, more: object = {}) => admin(`/trial/columns/v${query}`, 'PATCH', { ...body, ...more })
  const preview = await patch('?dryRun=true')
  const report = (await preview.json()) as Report
  const { status } = await patch('')
  const forced = status === 409 && preview.status === 200 ? (await patch('', { onFailure: 'null', required: false })).status : '-'
  const read = (await app.call('/api/v1/tables/trial/records', { as: 'viewer' })).status
  const said = preview.status !== 200 ? 'refused' : report.failing ? 'fails' : 'fits'
  return { outcome: `${said} ${preview.status} ${status} ${forced} ${read}`, isChanged: status === 200 || forced === 200 }
}

const storedTypes = columnTypeNames.filter((name) => !columnTypes[name].isVirtual)

/** All pairs in a drill. In the gate four for each type, so that every type is converted from and to. */
const targetsOf = (from: (typeof storedTypes)[number]) => {
  const at = storedTypes.indexOf(from)
  const isChosen = (index: number) => (index - 3 * at + 4 * columnTypeNames.length) % columnTypeNames.length < 4
  return isDrilling ? columnTypeNames : columnTypeNames.filter((_name, index) => isChosen(index))
}

test.each(storedTypes.map((from) => [from]))('%s becomes other types, or is refused, as the dry run says', async (from) => {
  await make(from)
  for (const to of targetsOf(from)) {
    const { outcome, isChanged } = await convert(to)
    const isFine = /^(refused 409 409 - 200|fits 200 200 - 200|fails 200 409 (200|422) 200)$/.test(outcome)
    expect({ from, to, outcome, isFine }).toEqual({ from, to, outcome, isFine: true })
    if (isChanged) await make(from)
  }
})
