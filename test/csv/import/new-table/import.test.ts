import { describe, expect, test } from 'bun:test'
import { json, startApp } from '../../../support/app'
import { upload } from '../../../support/csv'
import { expectProblem } from '../../../support/problem'

const app = await startApp()

const people = (rows: number) =>
  Array.from({ length: rows }, (_, index) =>
    [index + 1, `P${index}`, index % 3 ? 'open' : 'done', `${index}.5`, '2026-01-05', `p${index}@example.org`, '007', index % 2 === 0].join(
      ',',
    ),
  )
const header = 'id,Name,state,amount,day,mail,zip,ok'
const file = `${header}\n${people(60).join('\n')}\n`

const make = (text: string | FormData, query: string) => upload(app, 'import', text, { as: 'admin', query })
const typesOf = (columns: { name: string; type: string }[]) => Object.fromEntries(columns.map(({ name, type }) => [name, type]))
const names = async () => (await json(app.call('/api/v1/tables', { as: 'viewer' }))).tables.map(({ name }: { name: string }) => name)

const guessed = { id: 'bigint', Name: 'text', state: 'select', amount: 'decimal', day: 'date', mail: 'email', zip: 'text', ok: 'boolean' }

describe('a table from a file', () => {
  test('is shown first, and nothing is made', async () => {
    const answer = await make(file, '?name=shown&dryRun=true')
    expect(answer.status).toBe(200)
    const shown = await json(answer)
    expect(typesOf(shown.columns)).toEqual(guessed)
    expect(shown).toMatchObject({ name: 'shown', primaryKey: 'id', dryRun: true, encoding: 'utf-8', delimiter: ',' })
    expect(shown.records).toHaveLength(20)
    expect(shown.records[0]).toEqual(['1', 'P0', 'done', '0.5', '2026-01-05', 'p0@example.org', '007', 'true'])
    expect(await names()).not.toContain('shown')
  })

  test('is made with its records, and is a table like others', async () => {
    const answer = await make(file, '?name=made')
    expect(answer.status).toBe(201)
    const made = await json(answer)
    expect(made).toMatchObject({ inserted: 60, dryRun: false, table: { name: 'made', primaryKey: ['id'] } })
    expect(typesOf(made.table.columns)).toEqual(guessed)
    expect((await json(app.call('/api/v1/tables/made', { as: 'viewer' }))).id).toBe(made.table.id)
    const created = await app.call('/api/v1/tables/made/records', { as: 'editor', body: { Name: 'next', state: 'open' } })
    expect(await json(created)).toMatchObject({ id: 61 })
    await expectProblem(await make(file, '?name=made'), 409, 'conflict')
  })

  test('keeps percents and currencies, unless a record far down has none', async () => {
    const text = (last: string) => `Rabatt;Preis\n5 %;1.234,50 €\n12,5%;99,90 €\n${'1%;1 €\n'.repeat(2000)}${last}`
    const { table } = await json(make(text('7%;3 €\n'), '?name=prices&decimals=comma'))
    expect(table.columns.slice(1)).toMatchObject([{ type: 'percent' }, { type: 'currency', options: { currency: 'EUR' } }])
    const { records } = await json(app.call('/api/v1/tables/prices/records?limit=2&order=id', { as: 'viewer' }))
    expect(records).toEqual([
      { id: 1, Rabatt: 0.05, Preis: 1234.5 },
      { id: 2, Rabatt: 0.125, Preis: 99.9 },
    ])
    const mixed = await json(make(text('viel;teuer\n'), '?name=mixed&decimals=comma'))
    expect(typesOf(mixed.table.columns)).toMatchObject({ Rabatt: 'text', Preis: 'text' })
  })

  test('has wider types where a record far down contradicts the guess', async () => {
    const far = [...people(3000), '1,x,weird,abc,tomorrow,nomail,2,maybe', '', '9999999999,y,,7,,,,'].join('\n')
    const made = await json(make(`${header}\n${far}\n`, '?name=wide'))
    expect(made).toMatchObject({ inserted: 3002, primaryKey: '_id' })
    expect(typesOf(made.columns)).toEqual({
      id: 'bigint',
      Name: 'text',
      state: 'select',
      amount: 'text',
      day: 'text',
      mail: 'text',
      zip: 'text',
      ok: 'text',
    })
    const { options } = made.columns.find(({ name }: { name: string }) => name === 'state')
    expect(options).toEqual({ choices: ['done', 'open', 'weird'] })
  })

  test('has what the caller wants in place of the guesses, and then the records are held to it', async () => {
    const columns = JSON.stringify({
      amount: { name: 'sum', type: 'decimal', options: { precision: 6, scale: 1 } },
      zip: null,
      mail: { unique: true },
    })
    const form = new FormData()
    form.append('name', 'wished')
    form.append('columns', columns)
    form.append('file', new Blob([file]), 'x.csv')
    const made = await json(make(form, ''))
    expect(made.table.columns.map(({ name }: { name: string }) => name)).toEqual(['id', 'Name', 'state', 'sum', 'day', 'mail', 'ok'])
    const wrong = `${file}100,x,open,1.55,2026-01-01,p1@example.org,1,true\n`
    const problem = await expectProblem(await make(wrong, `?name=other&columns=${encodeURIComponent(columns)}`), 422, 'validation_failed')
    expect(problem.errors).toEqual([
      { line: 62, column: 'sum', message: 'must be a number of at most 6 digits, 1 of them after the decimal point: "1.55"' },
      { line: 62, column: 'mail', message: 'must be unique, and is already in line 3: "p1@example.org"' },
    ] as never)
    expect(await names()).not.toContain('other')
  })

  test('finds names for columns that have none, or one that is taken', async () => {
    const made = await json(make('a,a,,xmin,ID\n1,2,3,4,x\n5,6,7,8,x\n', '?name=names'))
    expect(made.columns.map(({ name }: { name: string }) => name)).toEqual(['a', 'a 2', 'column 3', 'xmin_', 'ID'])
    expect(made.primaryKey).toBe('id')
    expect((await json(make('1,2\n', '?name=bare&header=false'))).columns.map(({ name }: { name: string }) => name)).toEqual([
      'column 1',
      'column 2',
    ])
  })

  test('with a header twice has the columns by the names in the plan', async () => {
    const text = 'Phone,Phone,Phone 2,,\n1,2,3,4,5\n'
    const named = async (query: string) =>
      (await json(make(text, `?dryRun=true&name=twice${query}`))).columns.map(({ name }: { name: string }) => name)
    expect(await named('')).toEqual(['Phone', 'Phone 3', 'Phone 2', 'column 4', 'column 5'])
    const columns = { Phone: { name: 'first', type: 'text' }, 'Phone 3': null, 'Phone 2': { type: 'decimal' }, 'column 5': null }
    const made = await json(make(text, `?name=twice&columns=${encodeURIComponent(JSON.stringify(columns))}`))
    expect(typesOf(made.table.columns)).toMatchObject({ first: 'text', 'Phone 2': 'decimal', 'column 4': 'integer' })
    expect((await json(app.call('/api/v1/tables/twice/records', { as: 'viewer' }))).records).toEqual([
      { id: 1, first: '1', 'Phone 2': 3, 'column 4': 4 },
    ])
    const shared = await expectProblem(await make(text, `?name=x&columns=${encodeURIComponent('{"":null}')}`), 422, 'validation_failed')
    expect(shared.errors).toMatchObject([{ path: 'columns/', message: 'appears in the header twice' }] as never)
  })

  test.each([
    ['?name=x&columns={', 422, 'validation_failed'],
    [`?name=x&columns=${encodeURIComponent('{"nope":null}')}`, 422, 'validation_failed'],
    [`?name=x&columns=${encodeURIComponent('{"zip":{"type":"createdAt"}}')}`, 422, 'validation_failed'],
    [`?name=x&columns=${encodeURIComponent('{"zip":{"type":"nonsense"}}')}`, 422, 'validation_failed'],
    [`?name=x&columns=${encodeURIComponent('{"__proto__":{"type":"text"}}')}`, 422, 'validation_failed'],
    [`?name=x&columns=${encodeURIComponent('{"zip":{"name":"id"}}')}`, 422, 'validation_failed'],
    ['?name=', 422, 'validation_failed'],
    ['', 400, 'invalid_request'],
    ['?name=x&mode=upsert', 400, 'invalid_request'],
  ] as const)('is refused for %s, and nothing is left', async (query, status, code) => {
    const before = await names()
    await expectProblem(await make(file, query), status, code)
    expect(await names()).toEqual(before)
  })

  test('is for administrators', async () => {
    await expectProblem(await upload(app, 'import', file, { query: '?name=x' }), 403, 'forbidden')
    const { token } = await json(app.call('/auth/tokens', { as: 'admin', body: { name: 'x', scope: 'write' } }))
    const answer = await fetch(`${app.url}/api/v1/tables/import?name=x`, {
      method: 'POST',
      body: file,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'text/csv' },
    })
    await expectProblem(answer, 403, 'insufficient_scope')
  })
})
