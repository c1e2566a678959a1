import { beforeAll, expect, test } from 'bun:test'
import { json, startApp } from '../../../support/app'
import { upload } from '../../../support/csv'
import { expectProblem } from '../../../support/problem'
import { until } from '../../../support/processes'

/** A table from a file with a column that links to another table. */
const app = await startApp()

const names = async (table: string) =>
  (await json(app.call(`/api/v1/tables/${table}/records?order=id`, { as: 'admin' }))).records.map(({ name }: { name: string }) => name)
const exists = async (table: string) => (await app.call(`/api/v1/tables/${table}`, { as: 'admin' })).status === 200

const columns = { customer: { type: 'link', options: { table: 'customers' } } }
type Make = { file: string; more?: Record<string, string>; corrections?: string; as?: 'admin' | 'editor' }
function make(name: string, { file, more = {}, corrections, as = 'admin' }: Make): Promise<Response> {
  const form = new FormData()
  form.append('columns', JSON.stringify(columns))
  if (corrections !== undefined) form.append('corrections', corrections)
  form.append('file', new File([file], 'file.csv'))
  return upload(app, 'import', form, { as, query: `?${new URLSearchParams({ name, ...more })}` })
}

const file = 'what,customer\nchair,Ada\ntable,Grace\nlamp,Grace\nsofa,Linus\n'

beforeAll(async () => {
  const body = { name: 'customers', columns: [{ name: 'name', type: 'text', options: { maxLength: 9 } }] }
  expect((await app.call('/api/v1/tables', { as: 'admin', body })).status).toBe(201)
  await app.call('/api/v1/tables/customers/records', { as: 'admin', body: [{ name: 'Ada' }, { name: '1' }] })
})

test('a trial of the whole file counts the missing names, and leaves everything as it was', async () => {
  const refused = await expectProblem(await make('tried', { file, more: { dryRun: 'whole' } }), 422, 'validation_failed')
  expect(refused.details).toEqual({ errorCount: 3, cellCount: 3, lineCount: 3, linkCount: 2 })
  expect(refused.errors).toMatchObject([
    { line: 3, column: 'customer' },
    { line: 4, column: 'customer' },
    { line: 5, column: 'customer' },
  ])
  const tried = await make('tried', { file, more: { dryRun: 'whole', createLinked: 'true' } })
  expect(tried.status).toBe(200)
  const outcome = await json(tried)
  expect(outcome).toMatchObject({ dryRun: true, inserted: 4, createdLinks: [{ table: 'customers', count: 2 }] })
  expect(outcome).not.toHaveProperty('table')
  expect(outcome.columns[1]).toMatchObject({ name: 'customer', type: 'link' })
  expect([await exists('tried'), await names('customers')]).toEqual([false, ['Ada', '1']])
})

test('a trial in the background has the result as well', async () => {
  const headers = { prefer: 'respond-async' }
  const query = '?name=later&dryRun=whole'
  const accepted = await upload(app, 'import', 'what\nchair\n', { as: 'admin', query, headers })
  expect(accepted.status).toBe(202)
  const path = accepted.headers.get('location')!
  const view = () => json(app.call(path, { as: 'admin' }))
  await until('the trial has ended', async () => !['running', 'queued'].includes((await view()).state))
  expect(await view()).toMatchObject({ state: 'complete', result: { dryRun: true, inserted: 1 }, tableId: null })
  expect(await exists('later')).toBe(false)
})

test('a trial takes guesses back as the import would', async () => {
  const text = `n\n${'1\n'.repeat(1500)}many\n`
  const query = (name: string, dryRun: string) => `?name=${name}&dryRun=${dryRun}`
  const seen = await json(upload(app, 'import', text, { as: 'admin', query: query('guess', 'true') }))
  expect(seen).toMatchObject({ columns: [{ type: 'integer' }], records: expect.any(Array) })
  const tried = await json(upload(app, 'import', text, { as: 'admin', query: query('guess', 'whole') }))
  expect(tried).toMatchObject({ columns: [{ type: 'text' }], inserted: 1501 })
  expect(tried).not.toHaveProperty('records')
})

test('only an administrator may try it, and another word is refused', async () => {
  await expectProblem(await make('tried', { file, more: { dryRun: 'whole' }, as: 'editor' }), 403, 'forbidden')
  await expectProblem(await make('tried', { file, more: { dryRun: 'all' } }), 400, 'invalid_request')
  await expectProblem(await upload(app, 'customers', 'name\nx\n', { query: '?dryRun=whole' }), 400, 'invalid_request')
})

test('the missing names are created with the table, and a corrected name is one of them', async () => {
  const correction = JSON.stringify([{ line: 5, column: 'customer', value: 'Alan', was: 'Linus' }])
  const made = await make('orders', { file, more: { createLinked: 'true' }, corrections: correction })
  expect(made.status).toBe(201)
  expect(await json(made)).toMatchObject({ inserted: 4, createdLinks: [{ table: 'customers', count: 2 }] })
  expect((await names('customers')).slice(2).sort()).toEqual(['Alan', 'Grace'])
  const { records } = await json(app.call('/api/v1/tables/orders/records?select=what,customer(name)&order=id', { as: 'viewer' }))
  expect(records).toEqual([
    { what: 'chair', customer: { name: 'Ada' } },
    { what: 'table', customer: { name: 'Grace' } },
    { what: 'lamp', customer: { name: 'Grace' } },
    { what: 'sofa', customer: { name: 'Alan' } },
  ])
})

test('a name that the other table refuses is a conflict, with its line, and nothing is made', async () => {
  const long = await make('long', { file: 'what,customer\nchair,Ada\nlamp,A very long name\n', more: { createLinked: 'true' } })
  expect(await expectProblem(long, 409, 'conflict')).toMatchObject({ errors: [{ line: 3, column: 'customer' }] })
  expect(await exists('long')).toBe(false)
})

test('where a name is not all that the other table needs, the answer says what else', async () => {
  const body = {
    name: 'towns',
    columns: [
      { name: 'name', type: 'text' },
      { name: 'country', type: 'text', required: true },
    ],
  }
  expect((await app.call('/api/v1/tables', { as: 'admin', body })).status).toBe(201)
  const form = new FormData()
  form.append('columns', JSON.stringify({ town: { type: 'link', options: { table: 'towns' } } }))
  form.append('file', new File(['town\nBergen\n'], 'file.csv'))
  const query = '?name=visits&dryRun=whole&createLinked=true'
  const refused = await expectProblem(await upload(app, 'import', form, { as: 'admin', query }), 422, 'validation_failed')
  expect(refused.hint).toBe('No records can be created in "towns": they need a value in "country".')
  expect(refused.details).not.toHaveProperty('linkCount')
})

test.each(['comma', 'point'])('keys are found whatever the decimal mark is (%s)', async (decimals) => {
  const text = 'what;customer;price\nchair;2;3\nlamp;1;4\n'
  const made = await make(`keyed_${decimals}`, { file: text, more: { links: 'keys', decimals } })
  expect(made.status).toBe(201)
  const { records } = await json(app.call(`/api/v1/tables/keyed_${decimals}/records?select=customer&order=id`, { as: 'viewer' }))
  expect(records).toEqual([{ customer: 2 }, { customer: 1 }])
})

test('the column that names the records is chosen where the only text has become a link', async () => {
  const more = { createLinked: 'true' }
  const text = 'day,customer\n2026-01-31,Ada\n2026-02-01,Grace\n'
  expect((await json(make('unnamed', { file: text, more }))).table.displayColumn).toBe('id')
  const { table } = await json(make('named', { file: text, more: { ...more, displayColumn: 'day' } }))
  expect(table.displayColumn).toBe('day')
  expect((await json(app.call('/api/v1/tables/named', { as: 'viewer' }))).displayColumn).toBe('day')
  const problem = await expectProblem(
    await make('by_key', { file: text, more: { ...more, displayColumn: 'customer' } }),
    422,
    'validation_failed',
  )
  expect(problem.errors).toMatchObject([{ path: '/displayColumn', message: 'Values of the type link cannot name a record.' }])
})

test.each(['', 'nobody', 'list'])('a column "%s" cannot name the records, which the check tells as well', async (displayColumn) => {
  const form = () => {
    const sent = new FormData()
    sent.append('displayColumn', displayColumn)
    sent.append('columns', '{"list":{"type":"json"}}')
    sent.append('file', new File(['what,list\nchair,[1]\n'], 'file.csv'))
    return sent
  }
  // A column that only its values keep from a name is found with the table.
  for (const dryRun of displayColumn === 'list' ? ['whole', 'false'] : ['true', 'whole', 'false']) {
    const answer = await upload(app, 'import', form(), { as: 'admin', query: `?name=badly_named&dryRun=${dryRun}` })
    const problem = await expectProblem(answer, 422, 'validation_failed')
    expect(problem.errors).toMatchObject([{ path: '/displayColumn' }])
    expect(await exists('badly_named')).toBe(false)
  }
})
