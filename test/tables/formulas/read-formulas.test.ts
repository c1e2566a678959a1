import { describe, expect, test } from 'bun:test'
import { json } from '../../support/app'
import { type Body, startOrders, tables } from '../../support/orders'
import { expectProblem } from '../../support/problem'

const { app, admin, add, formula, change, drop, list, values, made, day } = await startOrders()

describe('a formula', () => {
  test('of rollups, counts and lookups has the values of the linked records', async () => {
    await made(formula('customers', 'Gross', '{Total} * 1.19'))
    expect(await values('customers', 'Gross')).toEqual([179.095, 11.9, 0])
    await made(formula('customers', 'Label', 'Name & ": " & Number & IF(Total > 100, " !", "")'))
    expect(await values('customers', 'Label')).toEqual(['Ada: 2 !', 'Bo: 1', ': 0'])
    await made(formula('orders', 'Greeting', '"Dear " & IFBLANK(Client, "stranger")'))
    expect(await values('orders', 'Greeting')).toEqual(['Dear Ada', 'Dear Ada', 'Dear Bo', 'Dear stranger'])
    await made(formula('customers', 'Thrice', 'IF({Average} = 75.25, {Average} * 3)'))
    expect(await values('customers', 'Thrice')).toEqual([225.75, null, null])
  })

  test('of formulas is computed from theirs, whether they are stored or not', async () => {
    await made(formula('orders', 'Tax', 'Net * 0.19'))
    await made(formula('orders', 'With tax', 'Net + Tax'))
    await made(formula('orders', 'Twice', '{With tax} * 2'))
    expect(await values('orders', 'Twice')).toEqual([238, 120.19, 23.8, 0])
    const { columns } = await json(app.call(`${tables}/orders`, { as: 'viewer' }))
    const atRead = (name: string) => columns.find((column: Body) => column.name === name).options.atRead
    expect(['Tax', 'With tax', 'Twice'].map(atRead)).toEqual([undefined, true, true])
  })

  test('of the time has the time of the read', async () => {
    await made(formula('orders', 'Late', 'IF({Due} < TODAY(), "late", IF({Due} = TODAY("UTC"), "today", ""))'))
    expect(await values('orders', 'Late')).toEqual(['late', '', 'today', 'late'])
    await made(formula('orders', 'Now', 'NOW()'))
    const [first, ...others] = await values('orders', 'Now')
    expect(Math.abs(Date.now() - Date.parse(String(first)))).toBeLessThan(60_000)
    expect(others).toEqual([first, first, first])
    await made(formula('orders', 'Zones', 'DATETIME_DIFF(TODAY("Pacific/Kiritimati"), TODAY("Pacific/Niue"), "days")'))
    expect((await values('orders', 'Zones'))[0]).toBeOneOf([1, 2])
  })
})

describe('a column that is computed at each read', () => {
  test('is filtered, ordered, aggregated, grouped, exported and served by /rest/v1', async () => {
    expect(await values('customers', 'Name', '&Gross=gt.100')).toEqual(['Ada'])
    expect(await values('customers', 'Name', '&order="Gross".desc.nullslast&limit=2')).toEqual(['Ada', 'Bo'])
    const first = await list('customers', '?select=Name&order=Gross.asc&limit=2')
    const second = await list('customers', `?select=Name&order=Gross.asc&limit=2&cursor=${first.nextCursor}`)
    expect([...first.records, ...second.records]).toEqual([{ Name: null }, { Name: 'Bo' }, { Name: 'Ada' }])
    expect((await list('orders', '?select=Late,id.count(),Net.sum()&order=Late')).records).toEqual([
      { Late: '', count: 1, sum: 50.5 },
      { Late: 'late', count: 2, sum: 100 },
      { Late: 'today', count: 1, sum: 10 },
    ])
    expect((await list('customers', '?select=Gross.sum(),Gross.max()')).records).toEqual([{ sum: 190.995, max: 179.095 }])
    const csv = await app.call(`${tables}/customers/export.csv?select=Name,Gross&order=id`, { as: 'viewer' })
    expect(await csv.text()).toBe('Name,Gross\nAda,179.0950\nBo,11.9000\n,0.00\n')
    const xlsx = await app.call(`${tables}/customers/export.xlsx?select=Name,Gross&order=id`, { as: 'viewer' })
    expect(xlsx.status).toBe(200)
    const rest = await app.call('/rest/v1/orders?select=id,Twice,customers(Gross)&Late=eq.late&order=id', { as: 'viewer' })
    expect(await json(rest)).toEqual([
      { id: 1, Twice: 238, customers: { Gross: 179.095 } },
      { id: 4, Twice: 0, customers: null },
    ])
  })

  test('is read by lookups and rollups of other tables, and by formulas of these', async () => {
    await made(add('customers', 'Taxed', { link: 'Orders', column: 'With tax', function: 'sum' }, 'rollup'))
    await made(formula('customers', 'Tax share', 'ROUND(({Taxed} - {Total}) / {Total}, 2)'))
    await made(add('orders', 'Share', { link: 'Customer', column: 'Tax share' }, 'lookup'))
    await made(formula('orders', 'Share text', '{Share} * 100 & " %"'))
    expect(await values('orders', 'Share text')).toEqual(['19 %', '19 %', '19 %', '0 %'])
  })

  test('is previewed with the first records', async () => {
    const preview = async (text: string) =>
      json(admin('/customers/columns/preview', 'POST', { type: 'formula', options: { formula: text } }))
    expect(await preview('{gross} + {Number}')).toMatchObject({
      options: { formula: '{Gross} + {Number}', valueType: 'decimal' },
      records: [
        { name: 'Ada', value: 181.095 },
        { name: 'Bo', value: 12.9 },
        { name: null, value: 0 },
      ],
    })
    expect((await preview('IF(NOW() > DATE(2020, 1, 1), Name)')).records[0].value).toBe('Ada')
    const refused = await admin('/customers/columns/preview', 'POST', { type: 'formula', options: { formula: 'Orders + 1' } })
    const { errors } = await expectProblem(refused, 422, 'validation_failed')
    expect(errors).toMatchObject([{ path: '/options/formula', message: expect.stringContaining('several values'), position: 1 }])
  })

  test('is a version of the record, unless it changes with time alone', async () => {
    const read = (table: string, id: number, headers = {}) => app.call(`${tables}/${table}/records/${id}`, { as: 'editor', headers })
    const write = (table: string, id: number, body: Body, headers = {}) =>
      app.call(`${tables}/${table}/records/${id}`, { as: 'editor', method: 'PATCH', body, headers })
    const etag = (await read('customers', 1)).headers.get('etag')!
    expect((await read('customers', 1, { 'if-none-match': etag })).status).toBe(304)
    await json(write('orders', 1, { Net: 101 }))
    expect((await write('customers', 1, { Name: 'Ada' }, { 'if-match': etag })).status).toBe(412)
    const before = (await read('orders', 1)).headers.get('etag')!
    const again = await read('orders', 1, { 'if-none-match': before })
    expect([again.status, again.headers.get('etag')]).toEqual([200, before])
    const written = await write('orders', 1, { Net: 100 }, { 'if-match': before })
    expect(written.status).toBe(200)
    const after = await read('orders', 1)
    expect(after.headers.get('etag')).toBe(written.headers.get('etag'))
    const { Now: _, ...answered } = await written.json()
    const { Now: __, ...shown } = await after.json()
    expect(answered).toEqual(shown)
    expect(answered).toMatchObject({ Tax: 19, 'With tax': 119, Twice: 238, Late: 'late' })
  })

  test('of the time orders pages by offset, since a cursor would lose or repeat records', async () => {
    await made(formula('orders', 'Age', 'NOW() - Due'))
    const first = await list('orders', '?select=id&order=Age.desc&limit=2')
    expect(first).toEqual({ records: [{ id: 4 }, { id: 1 }], nextCursor: null, nextOffset: 2 })
    const second = await list('orders', '?select=id&order=Age.desc&limit=2&offset=2')
    expect(second).toEqual({ records: [{ id: 3 }, { id: 2 }], nextCursor: null, nextOffset: null })
    const { nextCursor } = await list('orders', '?select=id&order=id&limit=2')
    await expectProblem(
      await app.call(`${tables}/orders/records?order=Age.desc&cursor=${nextCursor}`, { as: 'viewer' }),
      400,
      'invalid_request',
    )
  })

  test('cannot be written, required or unique, and stays when it is sent back', async () => {
    const refused = await app.call(`${tables}/orders/records`, { as: 'editor', body: { Twice: 1 } })
    await expectProblem(refused, 422, 'validation_failed')
    await expectProblem(await change('orders', 'Twice', { required: true }), 422, 'validation_failed')
    const { columns } = await json(app.call(`${tables}/orders`, { as: 'viewer' }))
    const { options, ...twice } = columns.find(({ name }: { name: string }) => name === 'Twice')
    expect(options).toEqual({ formula: '{With tax} * 2', expression: expect.any(String), valueType: 'decimal', atRead: true })
    const changed = await json(change('orders', 'Twice', { options, description: 'two of them' }))
    expect(changed).toEqual({ ...twice, options, description: 'two of them' })
    expect(await values('orders', 'Twice')).toEqual([238, 120.19, 23.8, 0])
  })
})

describe('what a formula of computed values uses', () => {
  const columnOf = async (table: string, name: string) =>
    (await json(app.call(`${tables}/${table}`, { as: 'viewer' }))).columns.find((column: Body) => column.name === name)

  test('may be renamed, and the formula follows', async () => {
    expect((await change('customers', 'Total', { name: 'Net "total"' })).status).toBe(200)
    expect((await change('orders', 'With tax', { name: 'Gross', description: 'with tax' })).status).toBe(200)
    expect((await columnOf('customers', 'Gross')).options.formula).toBe('{Net "total"} * 1.19')
    expect((await columnOf('orders', 'Twice')).options.formula).toBe('{Gross} * 2')
    expect((await columnOf('orders', 'Twice')).description).toBe('two of them')
    expect((await columnOf('orders', 'Gross')).description).toBe('with tax')
    expect(await values('customers', 'Gross')).toEqual([179.095, 11.9, 0])
    expect(await values('orders', 'Twice')).toEqual([238, 120.19, 23.8, 0])
    expect(
      (await change('customers', 'Net "total"', { name: 'Total', options: { link: 'Orders', column: 'Net', function: 'sum' } })).status,
    ).toBe(200)
    expect((await columnOf('customers', 'Gross')).options.formula).toBe('{Total} * 1.19')
    expect((await change('orders', 'Gross', { name: 'With tax' })).status).toBe(200)
  })

  test('is not deleted, and gets no other type', async () => {
    const used = await expectProblem(await drop('customers', 'Total'), 409, 'conflict')
    expect(used.message).toContain('Gross')
    await expectProblem(await drop('orders', 'Net'), 409, 'conflict')
    await expectProblem(await drop('orders', 'Tax'), 409, 'conflict')
    await expectProblem(await change('orders', 'Net', { type: 'text' }), 409, 'conflict')
    const text = { link: 'Orders', column: 'Net', function: 'list' }
    const listed = await expectProblem(await change('customers', 'Total', { options: text }), 409, 'conflict')
    expect(listed.details).toMatchObject({ columns: expect.arrayContaining(['"customers"."Gross"', '"orders"."Share text"']) })
    await expectProblem(await change('orders', 'Tax', { options: { formula: '"a" & Net' } }), 409, 'conflict')
    await expectProblem(await change('orders', 'With tax', { options: { formula: '"a" & Tax' } }), 409, 'conflict')
    expect(await values('orders', 'Twice')).toEqual([238, 120.19, 23.8, 0])
  })

  test('may change how it is computed, stored or not, as long as its type stays', async () => {
    expect((await change('orders', 'Tax', { options: { formula: 'Net * 0.19 + 0 * DAY(TODAY())' } })).status).toBe(200)
    expect((await columnOf('orders', 'Tax')).options.atRead).toBe(true)
    expect(await values('orders', 'Twice')).toEqual([238, 120.19, 23.8, 0])
    const stored = () => app.deps.db.query("select 1 from pg_attribute where attrelid = 'data.orders'::regclass and attname = 'Tax'")
    expect(await stored()).toEqual([])
    expect((await change('orders', 'Tax', { options: { formula: 'Net * 0.2' } })).status).toBe(200)
    expect((await columnOf('orders', 'Tax')).options.atRead).toBeUndefined()
    expect(await stored()).toHaveLength(1)
    expect(await values('orders', 'Twice')).toEqual([240, 121.2, 24, 0])
    expect((await change('orders', 'Tax', { options: { formula: 'Net * 0.19' } })).status).toBe(200)
  })

  test('may become another type that formulas read in the same way', async () => {
    const { options } = await columnOf('orders', 'Greeting')
    expect((await change('customers', 'Name', { type: 'longText' })).status).toBe(200)
    await expectProblem(await change('customers', 'Name', { type: 'json', onFailure: 'null' }), 409, 'conflict')
    expect((await columnOf('orders', 'Greeting')).options).toEqual(options)
    expect((await values('customers', 'Label'))[0]).toBe('Ada: 2 !')
    expect((await values('orders', 'Greeting'))[0]).toBe('Dear Ada')
    expect((await change('customers', 'Name', { type: 'text' })).status).toBe(200)
  })

  test('is not the formula itself', async () => {
    const direct = await expectProblem(await change('orders', 'Twice', { options: { formula: 'Twice + 1' } }), 422, 'validation_failed')
    expect(direct.errors).toMatchObject([
      { path: '/options/formula', message: expect.stringContaining('computed from this one'), position: 1 },
    ])
    const indirect = await expectProblem(
      await change('orders', 'With tax', { options: { formula: 'Twice + Tax' } }),
      422,
      'validation_failed',
    )
    expect(indirect.errors).toMatchObject([{ path: '/options/formula', message: expect.stringContaining('its own value') }])
    const far = await expectProblem(await change('orders', 'With tax', { options: { formula: '{Share} + Tax' } }), 422, 'validation_failed')
    expect(far.errors![0]!.message).toContain('its own value')
    const stored = await expectProblem(await change('orders', 'Tax', { options: { formula: '{With tax}' } }), 422, 'validation_failed')
    expect(stored.errors![0]!.message).toContain('its own value')
  })

  test('is at most ten levels deep', async () => {
    for (let level = 1; level <= 9; level++) await made(formula('customers', `L${level}`, level === 1 ? 'Number + 1' : `L${level - 1} + 1`))
    expect(await values('customers', 'L9')).toEqual([11, 10, 9])
    const { errors } = await expectProblem(await formula('customers', 'L10', 'L9 + 1'), 422, 'validation_failed')
    expect(errors).toEqual([{ path: '/options/formula', message: 'More than 10 computed columns depend on one another.' }])
  })
})

describe('a function over a lookup of several values', () => {
  const firstOf = async (name: string) => (await values('customers', name)).slice(0, 3)

  test('makes one of those of all linked records', async () => {
    await made(add('customers', 'Amounts', { link: 'Orders', column: 'Net' }, 'lookup'))
    await made(add('customers', 'Dates', { link: 'Orders', column: 'Due' }, 'lookup'))
    await made(add('customers', 'States', { link: 'Orders', column: 'Late' }, 'lookup'))
    for (const [name, text, expected] of [
      ['sum', 'SUM({Amounts})', [150.5, 10, 0]],
      ['sum of more', 'SUM({amounts}, {Discount}, 1)', [151.6, 11, 1]],
      ['mean', 'AVERAGE({Amounts})', [75.25, 10, null]],
      ['mean of more', 'AVERAGE({Amounts}, 49.5)', [66.66666666666667, 29.75, 49.5]],
      ['least', 'MIN({Amounts})', [50.5, 10, null]],
      ['least of more', 'MIN({Amounts}, 20)', [20, 10, 20]],
      ['most', 'MAX({Amounts}) + 1', [101, 11, 1]],
      ['first', 'MIN({Dates})', [day(-1), day(0), null]],
      ['span', 'MAX({Dates}) - MIN({Dates})', [2, 0, null]],
      ['how many', 'COUNTA({Dates})', [2, 1, 0]],
      ['how many more', 'COUNTA({States}, {Name}, "")', [2, 2, 0]],
      ['states', 'ARRAYJOIN({States}, " \\ \'/\' ")', ["late \\ '/' ", 'today', '']],
      ['all', 'CONCAT(Name, {States})', ['Adalate', 'Botoday', '']],
      ['joined', 'ARRAYJOIN(Name)', ['Ada', 'Bo', null]],
      ['twice', 'SUM({Amounts}) + SUM({Amounts}) / SUM({Amounts})', [151.5, 11, null]],
    ] as const) {
      await made(formula('customers', name, text))
      expect({ text, values: await firstOf(name) }).toEqual({ text, values: [...expected] })
    }
  })

  test('is refused for values that it does not take, and so is a list elsewhere', async () => {
    for (const [text, problem, position] of [
      ['SUM({States})', 'gives "SUM" a text, but it takes a number', 5],
      ['MAX({States})', 'gives "MAX" a text', 5],
      ['CONCAT({Amounts})', 'gives "CONCAT" a number, but it takes a text', 8],
      ['ARRAYJOIN({States}, Name)', 'a text in quotation marks', 21],
      ['{Amounts} * 2', 'SUM, AVERAGE, MIN', 1],
      ['IF({Amounts}, 1)', 'SUM, AVERAGE, MIN', 4],
      ['ISBLANK({Amounts})', 'SUM, AVERAGE, MIN', 9],
      ['{Amounts}', 'SUM, AVERAGE, MIN', 1],
      ['SUM(Orders)', 'with several values', 5],
      ['COUNT({Amounts})', 'COUNTA is similar', 1],
    ] as const) {
      const { errors } = await expectProblem(await formula('customers', 'wrong', text), 422, 'validation_failed')
      expect({ text, errors }).toMatchObject({ text, errors: [{ message: expect.stringContaining(problem), position }] })
    }
  })

  test('follows another name of the lookup, keeps it from being deleted, and counts more links than it shows', async () => {
    expect((await change('customers', 'Amounts', { name: 'Nets' })).status).toBe(200)
    const { columns } = await json(app.call(`${tables}/customers`, { as: 'viewer' }))
    expect(columns.find(({ name }: { name: string }) => name === 'sum of more').options.formula).toBe('SUM({Nets}, {Discount}, 1)')
    const used = await expectProblem(await drop('customers', 'Nets'), 409, 'conflict')
    expect(used.message).toContain('sum of more')
    await expectProblem(await change('customers', 'Nets', { options: { link: 'Orders', column: 'Late' } }), 409, 'conflict')
    for (const length of [600, 401]) {
      const body = Array.from({ length }, () => ({ Net: 1, Customer: 3 }))
      expect((await app.call(`${tables}/orders/records`, { as: 'editor', body })).status).toBe(201)
    }
    expect((await firstOf('sum')).at(-1)).toBe(1001)
    expect((await firstOf('how many')).at(-1)).toBe(0)
    await app.deps.db.query('delete from data.orders where "Customer" = 3')
    expect((await drop('customers', 'how many')).status).toBe(204)
    expect((await app.call(`${tables}/customers/records?select="how many"`, { as: 'viewer' })).status).toBe(400)
  })
})
