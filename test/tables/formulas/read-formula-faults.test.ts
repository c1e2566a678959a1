import { expect, test } from 'bun:test'
import { json } from '../../support/app'
import { type Body, startOrders, tables } from '../../support/orders'
import { expectProblem } from '../../support/problem'

const { app, admin, add, formula, change, list, values, made } = await startOrders()

test('what psql takes away leaves a formula without values, that says why', async () => {
  const columns = [
    { name: 'n', type: 'integer' },
    { name: 'm', type: 'integer' },
    { name: 'later', type: 'formula', options: { formula: 'IF(TODAY() > DATE(2020, 1, 1), n + m)' } },
    { name: 'twice', type: 'formula', options: { formula: 'later * 2' } },
  ]
  expect((await admin('', 'POST', { name: 'broken', columns })).status).toBe(201)
  await json(app.call(`${tables}/broken/records`, { as: 'editor', body: { n: 1, m: 2 } }))
  const problems = async () => {
    await app.deps.catalog.refresh()
    const table = await json(app.call(`${tables}/broken`, { as: 'viewer' }))
    return table.columns.map(({ options }: { options: Body }) => options.problem ?? null)
  }
  await app.deps.db.sql.unsafe('alter table data.broken alter n type text')
  const retyped = 'The formula was made for another type of "n".'
  expect(await problems()).toEqual([null, null, null, retyped, `"broken"."later" has no values: ${retyped}`])
  expect((await list('broken')).records).toEqual([{ id: 1, n: '1', m: 2, later: null, twice: null }])
  await app.deps.db.sql.unsafe('alter table data.broken alter n type integer using n::integer')
  expect(await problems()).toEqual([null, null, null, null, null])
  expect((await list('broken')).records).toEqual([{ id: 1, n: 1, m: 2, later: 3, twice: 6 }])
  await app.deps.db.sql.unsafe('alter table data.broken drop n')
  expect((await problems()).at(2)).toBe('"broken" no longer has the column that it reads.')
  const { errors } = await expectProblem(await formula('broken', 'more', 'later + 1'), 422, 'validation_failed')
  expect(errors).toMatchObject([{ message: expect.stringContaining('has no values any more'), position: 1 }])
  expect((await change('broken', 'later', { description: 'was n + m' })).status).toBe(200)
  expect((await change('broken', 'later', { options: { formula: 'm + 0 * DAY(TODAY())' } })).status).toBe(200)
  expect((await list('broken')).records).toEqual([{ id: 1, m: 2, later: 2, twice: 4 }])
})

test('a choice that such a formula names keeps its name', async () => {
  const columns = [
    { name: 'state', type: 'select', options: { choices: ['open', 'done'] } },
    { name: 'due', type: 'date' },
    { name: 'late', type: 'formula', options: { formula: 'AND(state = "open", due < TODAY())' } },
  ]
  expect((await admin('', 'POST', { name: 'tasks', columns })).status).toBe(201)
  const { errors } = await expectProblem(await change('tasks', 'state', { renameChoices: { open: 'todo' } }), 409, 'conflict')
  expect(errors![0]!.message).toContain('formula "late"')
  expect((await change('tasks', 'state', { renameChoices: { done: 'closed' } })).status).toBe(200)
})

test('a formula of the record alone is searched, and answered with the row’s own version', async () => {
  const columns = [
    { name: 'first', type: 'text' },
    { name: 'upper', type: 'formula', options: { formula: 'UPPER(first)' } },
    { name: 'whole', type: 'formula', options: { formula: '"<" & upper & ">"' } },
  ]
  expect((await admin('', 'POST', { name: 'people', columns })).status).toBe(201)
  const response = await app.call(`${tables}/people/records`, { as: 'editor', body: { first: 'ada' } })
  expect(await response.clone().json()).toEqual({ id: 1, first: 'ada', upper: 'ADA', whole: '<ADA>' })
  const read = () => app.call(`${tables}/people/records/1`, { as: 'viewer' })
  expect((await read()).headers.get('etag')).toBe(response.headers.get('etag'))
  expect(response.headers.get('etag')).toMatch(/^"\d+-/)
  expect((await list('people', '?q=%3Cada')).records).toHaveLength(1)
  const put = await app.call('/rest/v1/people?id=eq.1', {
    ...{ as: 'editor', method: 'PATCH', body: { first: 'bo' } },
    headers: { prefer: 'return=representation' },
  })
  expect(await json(put)).toEqual([{ id: 1, first: 'bo', upper: 'BO', whole: '<BO>' }])
})

test('a table may be made with formulas of each other, in any order', async () => {
  const columns = [
    { name: 'c', type: 'formula', options: { formula: 'b & "!"', valueType: 'text', atRead: true } },
    { name: 'b', type: 'formula', options: { formula: 'IF(TODAY() > d, a * 2, 0)' } },
    { name: 'a', type: 'formula', options: { formula: 'n + 1', atRead: true } },
    { name: 'n', type: 'integer' },
    { name: 'd', type: 'date' },
    { name: 'e', type: 'formula', options: { formula: 'b + YEAR(at) + HOUR(t) + f + m' } },
    { name: 'at', type: 'dateTime' },
    { name: 't', type: 'time' },
    { name: 'f', type: 'float' },
    { name: 'm', type: 'currency', options: { currency: 'EUR', precision: 8, scale: 2 } },
  ]
  expect((await admin('', 'POST', { name: 'whole', columns })).status).toBe(201)
  const body = { n: 3, d: '2026-01-01', at: '2026-01-01T10:00:00Z', t: '05:00:00', f: 0.5, m: 0.25 }
  await json(app.call(`${tables}/whole/records`, { as: 'editor', body }))
  expect((await list('whole')).records).toMatchObject([{ id: 1, c: '8!', b: 8, a: 4, e: 2039.75 }])
  const cycle = [
    { name: 'a', type: 'formula', options: { formula: 'b + 1' } },
    { name: 'b', type: 'formula', options: { formula: 'a + 1' } },
  ]
  const { errors } = await expectProblem(await admin('', 'POST', { name: 'round', columns: cycle }), 422, 'validation_failed')
  expect(errors![0]!.message).toContain('computed from this one')
})

test('no value and no formula makes a table unreadable', async () => {
  const columns = [
    { name: 'n', type: 'decimal' },
    { name: 'f', type: 'float' },
    { name: 'd', type: 'date' },
    { name: 'at', type: 'dateTime' },
    { name: 't', type: 'text' },
    { name: 'one', type: 'formula', options: { formula: 'n * 1' } },
  ]
  await admin('', 'POST', { name: 'extremes', columns })
  const huge = '9'.repeat(1000)
  await json(
    app.call(`${tables}/extremes/records`, {
      as: 'editor',
      body: [
        { n: huge, f: 1e308, d: '9999-12-31', at: '9999-12-31T23:59:59Z', t: 'x'.repeat(10_000) },
        { n: `0.${'0'.repeat(390)}1`, f: 5e-324, d: '0001-01-01', at: '0001-01-01T00:00:00Z', t: '' },
        { n: `-${huge}`, f: -1e308 },
        { n: 2, f: 2, d: '2026-01-01', at: '2026-01-01T00:00:00Z', t: 'a' },
      ],
    }),
  )
  const level = (name: string, text: string) => formula('extremes', name, text)
  await made(level('p1', '{one}^9^9 + {f}'))
  await made(level('p2', '{p1}^9^9'))
  await made(level('p3', '1 / {p2} / {p1} / {f} / {one}'))
  await made(level('e1', 'EXP({one}) * EXP({f}) + POWER({one}, {f})'))
  await made(level('d1', 'd - 1000000 + 0 * DAY(TODAY())'))
  await made(level('d2', 'd1 - 1000000 - 1000000 - 1000000'))
  await made(level('d3', 'DATEADD(DATEADD(IF(NOW() > at, d2, d), 2700, "years"), 2700, "years")'))
  await made(level('d4', 'EOMONTH(at + 1000000 + 1000000, 32000) - TODAY()'))
  await made(level('t1', 't & t & t & t & t & TODAY()'))
  await made(level('t2', 't1 & t1 & t1 & t1 & t1'))
  await made(level('t3', 't2 & t2 & t2 & t2 & t2'))
  await made(level('t4', 'LEN(t3 & t3 & t3 & t3 & t3)'))
  const { records } = await list('extremes')
  expect(records).toHaveLength(4)
  expect(records[3]).toMatchObject({ n: 2, t1: expect.stringMatching(/^aaaaa\d{4}-\d\d-\d\d$/), t4: expect.any(Number) })
  for (const [name, text, problem] of [
    ['placeholder', '"\u0001id\u0001" & TODAY()', 'a control character'],
    ['p4', 'one^9^9^9', 'too complex'],
    ['p5', `(n + ${'9'.repeat(3900)})^9^9 + 0 * DAY(TODAY())`, 'too complex'],
    ['t5', 't3 & t3 & t3 & t3 & t3 & t3 & t3 & t3 & t3 & t3 & t3 & t3 & t3 & t3 & t3 & t3 & t3 & t3 & t3 & t3 & t3', 'too long'],
  ] as const) {
    const answer = await level(name, Array.from({ length: name === 't5' ? 5 : 1 }, () => text).join(' & '))
    const { errors } = await expectProblem(answer, 422, 'validation_failed')
    expect(errors![0]!.message).toContain(problem)
  }
})

test('a choice that a formula gets from another table keeps its name', async () => {
  await made(add('customers', 'Status', { choices: ['open', 'closed'] }, 'select'))
  await made(add('orders', 'State', { link: 'Customer', column: 'Status' }, 'lookup'))
  await made(formula('orders', 'Mark', 'IF({State} = "open", "!", "")'))
  const renamed = await change('customers', 'Status', { options: { choices: ['new', 'closed'] }, renameChoices: { open: 'new' } })
  await expectProblem(renamed, 409, 'conflict')
  await json(change('customers', 'Status', { options: { choices: ['open', 'shut'] }, renameChoices: { closed: 'shut' } }))
})

test('a stored formula that becomes one computed at each read takes a description with it', async () => {
  await made(formula('orders', 'Tax', 'Net * 0.19'))
  const changed = await json(change('orders', 'Tax', { options: { formula: 'Net * 0.19 + 0 * DAY(TODAY())' }, description: 'VAT' }))
  expect(changed).toMatchObject({ description: 'VAT', options: { atRead: true } })
})

test('decimals that are too long for a formula count as empty, texts are cut, and the table stays readable', async () => {
  await admin('', 'POST', {
    name: 'giants',
    columns: [
      { name: 'n', type: 'decimal', options: { precision: 1000, scale: 0 } },
      { name: 't', type: 'longText' },
    ],
  })
  await made(formula('giants', 'power', 'n ^ 9 * n ^ 9 + 0 * DAY(TODAY())'))
  await made(formula('giants', 'long', 't & DAY(TODAY())'))
  const created = await app.call(`${tables}/giants/records`, { as: 'editor', body: { n: '9'.repeat(1000), t: 'x'.repeat(60_000) } })
  expect(created.status).toBe(201)
  expect((await values('giants', 'power')).map(String)).toEqual(['0'])
  expect((await values('giants', 'long'))[0]).toMatch(/^x{12000}\d+$/)
})

test('an order along a link by a value that changes with time has no cursor', async () => {
  await made(formula('customers', 'Now', 'NOW()'))
  const page = await list('orders', '?select=id,Customer(Now)&order=Customer(Now).desc&limit=1')
  expect(page).toMatchObject({ nextCursor: null, nextOffset: 1 })
})

test('a column with several choices is read', async () => {
  const columns = [{ name: 'tags', type: 'multiSelect', options: { choices: ['a', 'b'] } }]
  await admin('', 'POST', { name: 'tagged', columns })
  await made(formula('tagged', 'empty', 'IF(ISBLANK(tags), "none", "some") & IF(TODAY() = TODAY(), "", "?")'))
  await json(app.call(`${tables}/tagged/records`, { as: 'editor', body: [{ tags: ['a'] }, {}] }))
  expect(await values('tagged', 'empty')).toEqual(['some', 'none'])
})
