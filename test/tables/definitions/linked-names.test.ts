import { expect, test } from 'bun:test'
import { json, startApp } from '../../support/app'
import { upload } from '../../support/csv'
import { inThisDatabase } from '../../support/locks'
import { expectProblem } from '../../support/problem'
import { until } from '../../support/processes'

const app = await startApp()
const admin = (path: string, method: string, body?: unknown) => app.call(`/api/v1/tables${path}`, { as: 'admin', method, body })
const insert = (table: string, body: object) => app.call(`/api/v1/tables/${table}/records`, { as: 'editor', body })
const { sql } = app.deps.db
let number = 0

/** Companies of these names, with keys from 1 on, and jobs whose column `v` holds these texts. */
async function tablesOf(names: string[], texts: (string | null)[], company: object[] = [], job: object = { type: 'text' }) {
  const [companies, jobs] = [`companies${++number}`, `jobs${number}`]
  expect((await admin('', 'POST', { name: companies, columns: [{ name: 'name', type: 'text' }, ...company] })).status).toBe(201)
  expect(
    (
      await admin('', 'POST', {
        name: jobs,
        columns: [
          { name: 'v', ...job },
          { name: 'at', type: 'updatedAt' },
        ],
      })
    ).status,
  ).toBe(201)
  for (const name of names) await sql.unsafe(`insert into data.${companies} (name) values ($1)`, [name])
  for (const text of texts) await sql.unsafe(`insert into data.${jobs} (v) values ($1)`, [text])
  const patch = (body: object, query = '') => admin(`/${jobs}/columns/v${query}`, 'PATCH', body)
  const values = async () =>
    (await json(app.call(`/api/v1/tables/${jobs}/records`, { as: 'viewer' }))).records.map(({ v }: { v: unknown }) => v)
  const nameList = async () =>
    (await json(app.call(`/api/v1/tables/${companies}/records`, { as: 'viewer' }))).records.map(({ name }: { name: string }) => name)
  const to = (type: string) => ({ type, options: { table: companies } })
  return { companies, jobs, patch, values, nameList, to }
}

const texts = ['Alder & Stone', ' Birch ', 'Nobody', 'Twin', '1', '77', 'alder & stone', '', null, 'Nobody']

test('a text becomes a link by the name, as a paste does, and else by the key', async () => {
  const { companies, patch, values, nameList, to } = await tablesOf(['Alder & Stone', 'Birch', 'Twin', 'Twin'], texts)
  const names = {
    ...{ found: 3, unknown: 3, ambiguous: 1, creatable: 2 },
    ...{ unknownNames: ['77', 'Nobody', 'alder & stone'], ambiguousNames: ['Twin'] },
  }
  const report = await json(patch(to('link'), '?dryRun=true'))
  expect(report).toMatchObject({ convertible: 5, failing: 5, names })
  expect(report.rows.map(({ key, message }: { key: string; message: string }) => [key, message])).toEqual([
    ['3', 'is neither the name nor the key of a record there'],
    ['4', 'is the name of several records there'],
    ['6', 'is neither the name nor the key of a record there'],
    ['7', 'is neither the name nor the key of a record there'],
    ['10', 'is neither the name nor the key of a record there'],
  ])
  // Once by a real run that is refused, once by a dry run that would create.
  const { details } = await expectProblem(await patch(to('link')), 409, 'conflict')
  expect(details).toMatchObject({ failing: 5, names })
  const created = await json(patch({ ...to('link'), createLinked: true }, '?dryRun=true'))
  expect(created).toMatchObject({ convertible: 8, failing: 2, names, rows: [{ key: '4' }, { key: '6' }] })
  await expectProblem(await patch({ ...to('link'), createLinked: true }), 409, 'conflict')
  expect(await nameList()).toEqual(['Alder & Stone', 'Birch', 'Twin', 'Twin'])
  expect(await values()).toEqual(texts)

  const done = await patch({ ...to('link'), createLinked: true, onFailure: 'null' })
  expect({ status: done.status, column: await done.json() }).toMatchObject({ status: 200, column: { type: 'link' } })
  // Whoever made them is in their records; keys count on after those of the failed attempt.
  expect(await nameList()).toEqual(['Alder & Stone', 'Birch', 'Twin', 'Twin', 'Nobody', 'alder & stone'])
  const [nobody, alder] = (await json(app.call(`/api/v1/tables/${companies}/records?order=id.desc&limit=2`, { as: 'viewer' }))).records
    .map(({ id }: { id: number }) => id)
    .reverse()
  expect(await values()).toEqual([1, 2, nobody, null, 1, null, alder, null, null, nobody])

  // And back: names, and the key of a record without one.
  await sql.unsafe(`update data.${companies} set name = '' where id = 2`)
  expect((await patch({ type: 'text' })).status).toBe(200)
  expect(await values()).toEqual(['Alder & Stone', '2', 'Nobody', null, 'Alder & Stone', null, 'alder & stone', null, null, 'Nobody'])
})

test('a text with commas becomes a list of links, and a list a text', async () => {
  const cells = ['Alder & Stone, Birch', 'Smith, Wood', 'Birch,Birch, 1', 'New, Birch', 'Twin, Birch', '', null]
  const { companies, jobs, patch, values, nameList, to } = await tablesOf(['Alder & Stone', 'Birch', 'Smith, Wood', 'Twin', 'Twin'], cells)
  const report = await json(patch(to('manyLinks'), '?dryRun=true'))
  expect(report).toMatchObject({
    ...{ convertible: 5, failing: 2, rows: [{ key: '4', value: 'New, Birch' }, { key: '5' }] },
    names: { found: 4, unknown: 1, ambiguous: 1, creatable: 1, unknownNames: ['New'], ambiguousNames: ['Twin'] },
  })
  await expectProblem(await patch(to('manyLinks')), 409, 'conflict')
  const before = await sql.unsafe(`select id, xmin::text, at from data.${jobs} order by id`)
  expect((await patch({ ...to('manyLinks'), createLinked: true, onFailure: 'null', name: 'links' })).status).toBe(200)
  const { columns } = await json(app.call(`/api/v1/tables/${jobs}`, { as: 'viewer' }))
  expect(columns.map(({ name, type }: { name: string; type: string }) => [name, type])).toEqual([
    ['id', 'bigint'],
    ['links', 'manyLinks'],
    ['at', 'updatedAt'],
  ])
  expect((await nameList()).at(-1)).toBe('New')
  await admin(`/${jobs}/columns/links`, 'PATCH', { name: 'v' })
  expect(await values()).toEqual([[1, 2], [3], [1, 2], [2, 6], [2], [], []])
  // No trigger ran: the records are those that they were.
  expect(await sql.unsafe(`select id, xmin::text, at from data.${jobs} order by id`)).toEqual(before)

  expect(await json(patch(to('link'), '?dryRun=true'))).toMatchObject({ convertible: 4, failing: 3 })
  expect((await patch({ type: 'text', options: { maxLength: 12 } })).status).toBe(409)
  expect((await patch({ type: 'text' })).status).toBe(200)
  expect(await values()).toEqual(['Alder & Stone, Birch', 'Smith, Wood', 'Alder & Stone, Birch', 'Birch, New', 'Birch', null, null])
  expect((await patch({ ...to('manyLinks') })).status).toBe(200)
  expect(await values()).toEqual([[1, 2], [3], [1, 2], [2, 6], [2], [], []])
  expect((await patch({ ...to('link'), onFailure: 'null' })).status).toBe(200)
  expect(await values()).toEqual([null, 3, null, null, 2, null, null])
  expect((await patch(to('manyLinks'))).status).toBe(200)
  expect(await values()).toEqual([[], [3], [], [], [2], [], []])
  expect((await insert(jobs, { v: [1, 2] })).status).toBe(201)
  await app.call(`/api/v1/tables/${companies}/records/2`, { as: 'editor', method: 'DELETE' })
  expect((await values()).at(-1)).toEqual([1])
})

test('records are created where nothing but a name is needed, by who asks for it', async () => {
  const closed = await tablesOf([], ['New'], [{ name: 'city', type: 'text', required: true }])
  expect(await json(closed.patch(closed.to('link'), '?dryRun=true'))).toMatchObject({ names: { unknown: 1, creatable: 0 } })
  await expectProblem(await closed.patch({ ...closed.to('link'), createLinked: true }), 409, 'conflict')
  const named = await tablesOf([], ['New', 'new'], [{ name: 'by', type: 'createdBy' }])
  expect((await named.patch({ ...named.to('link'), createLinked: true })).status).toBe(200)
  const { records } = await json(app.call(`/api/v1/tables/${named.companies}/records`, { as: 'viewer' }))
  expect(records.every(({ by }: { by: string | null }) => by !== null)).toBe(true)
  const ruled = await tablesOf([], ['too long'])
  await admin(`/${ruled.companies}/columns/name`, 'PATCH', { options: { maxLength: 3 } })
  const { errors } = await expectProblem(await ruled.patch({ ...ruled.to('link'), createLinked: true }), 409, 'conflict')
  expect(errors).toEqual([{ path: '/createLinked', message: 'a rule of the linked table refuses "too long"' }])
  const { errors: unasked } = await expectProblem(await ruled.patch({ required: false, createLinked: true }), 422, 'validation_failed')
  expect(unasked![0]!.path).toBe('/createLinked')
})

test('the column that names records may become a link to its own table', async () => {
  const { companies, nameList } = await tablesOf(['Alder', '1', '9'], [])
  const patch = (body: object) => admin(`/${companies}/columns/name`, 'PATCH', { type: 'link', options: { table: companies }, ...body })
  expect((await patch({})).status).toBe(409)
  expect((await patch({ onFailure: 'null' })).status).toBe(200)
  expect(await nameList()).toEqual([null, 1, null])
})

test('names go by the column that was chosen, whatever its type, and a key of text is none to be created', async () => {
  const { companies, patch, values, to } = await tablesOf(['a', 'b'], ['20', '10', 'a'], [{ name: 'number', type: 'integer' }])
  await sql.unsafe(`update data.${companies} set number = id * 10`)
  await admin(`/${companies}`, 'PATCH', { displayColumn: 'number' })
  expect(await json(patch(to('link'), '?dryRun=true'))).toMatchObject({ names: { found: 2, unknown: 1, creatable: 0 } })
  expect((await patch({ ...to('link'), onFailure: 'null' })).status).toBe(200)
  expect(await values()).toEqual([2, 1, null])
  await admin('', 'POST', {
    name: 'coded',
    primaryKey: ['code'],
    columns: [
      { name: 'code', type: 'text' },
      { name: 'name', type: 'text' },
    ],
  })
  await insert('coded', { code: 'x', name: 'Ex' })
  const other = await tablesOf([], ['Ex', 'x', 'y'])
  const report = await json(other.patch({ type: 'link', options: { table: 'coded' } }, '?dryRun=true'))
  expect(report).toMatchObject({ convertible: 2, failing: 1, names: { unknownNames: ['y'], creatable: 0 } })
  expect((await other.patch({ type: 'link', options: { table: 'coded' }, onFailure: 'null' })).status).toBe(200)
  expect(await other.values()).toEqual(['x', 'x', null])
})

test('a hundred thousand texts are looked up at once', async () => {
  const { companies, jobs, patch, to } = await tablesOf([], [])
  await sql.unsafe(`insert into data.${companies} (name) select 'Company ' || n from generate_series(1, 20000) n`)
  await sql.unsafe(`insert into data.${jobs} (v) select 'Company ' || (n % 25000 + 1) from generate_series(1, 100000) n`)
  const report = await json(patch(to('link'), '?dryRun=true'))
  expect(report).toMatchObject({ convertible: 80000, failing: 20000, names: { found: 20000, unknown: 5000, creatable: 5000 } })
  for (const type of ['link', 'text', 'manyLinks', 'text']) {
    const isLink = type !== 'text'
    expect((await patch({ ...(isLink ? to(type) : { type }), ...(isLink ? { createLinked: true } : {}) })).status).toBe(200)
  }
  const [row] = await sql.unsafe(`select count(distinct v)::int as names, count(v)::int as texts, min(v) as first from data.${jobs}`)
  expect({ ...row }).toEqual({ names: 25000, texts: 100000, first: 'Company 1' })
})

test('the default is a name as well, and is created with the others', async () => {
  const { companies, jobs, patch, values, nameList, to } = await tablesOf(['Alder'], ['Birch'], [], { type: 'text', default: 'Alder' })
  expect(await json(patch({ ...to('link'), createLinked: true }))).toMatchObject({ type: 'link', default: 1 })
  expect((await insert(jobs, {})).status).toBe(201)
  expect(await values()).toEqual([2, 1])
  expect(await json(patch({ type: 'text' }))).toMatchObject({ default: 'Alder' })
  await admin(`/${jobs}/columns/v`, 'PATCH', { default: 'New' })
  const { errors } = await expectProblem(await patch(to('link')), 422, 'validation_failed')
  expect(errors![0]!.path).toBe('/default')
  expect(await json(patch({ ...to('link'), createLinked: true }, '?dryRun=true'))).toMatchObject({ names: { found: 2, creatable: 1 } })
  expect((await patch({ ...to('link'), createLinked: true })).status).toBe(200)
  expect(await nameList()).toEqual(['Alder', 'Birch', 'New'])
  // A list has no default.
  expect(await json(patch(to('manyLinks')))).toMatchObject({ type: 'manyLinks', default: null })
  expect(await values()).toEqual([[2], [1]])
  expect(companies).toBeString()
})

test('a list is longer than a name can be, and values that do not fit the text are refused or cleared', async () => {
  const { jobs, companies, patch, values, to } = await tablesOf(['short'], [])
  await sql.unsafe(`insert into data.${companies} (name) select 'A company of a long name ' || n from generate_series(1, 300) n`)
  await sql.unsafe(
    `insert into data.${jobs} (v) select string_agg(name, ', ' order by id) from data.${companies} union all values ('short')`,
  )
  const [long, short] = await values()
  expect((await patch(to('manyLinks'))).status).toBe(200)
  expect((await values())[0]).toHaveLength(301)
  expect((await patch({ type: 'text' })).status).toBe(200)
  expect(await values()).toEqual([long, short])
  await sql.unsafe(`insert into data.${jobs} (v) values ('${'x'.repeat(3000)}')`)
  expect(await json(patch(to('manyLinks'), '?dryRun=true'))).toMatchObject({ convertible: 2, failing: 1 })
  await patch({ ...to('manyLinks'), onFailure: 'null' })
  const narrow = { type: 'text', options: { maxLength: 9 } }
  expect(await json(patch(narrow, '?dryRun=true'))).toMatchObject({ convertible: 2, failing: 1 })
  await expectProblem(await patch(narrow), 409, 'conflict')
  expect((await patch({ ...narrow, onFailure: 'null' })).status).toBe(200)
  expect(await values()).toEqual([null, 'short', null])
})

test('a required column of one kind is none of another where a list cannot be required', async () => {
  const { jobs, patch, values, to } = await tablesOf(['a', 'b'], ['a', 'b'], [], { type: 'text', required: true, unique: true })
  expect(await json(patch(to('manyLinks')))).toMatchObject({ required: false, unique: false })
  await insert(jobs, {})
  const required = { ...to('link'), required: true, options: { ...to('link').options, onDelete: 'restrict' } }
  expect(await json(patch(required, '?dryRun=true'))).toMatchObject({ convertible: 2, failing: 1, rows: [{ key: '3' }] })
  await expectProblem(await patch(required), 409, 'conflict')
  await app.call(`/api/v1/tables/${jobs}/records/3`, { as: 'editor', method: 'DELETE' })
  expect(await json(patch({ ...required, unique: true }))).toMatchObject({ required: true, unique: true })
  expect(await values()).toEqual([1, 2])
  await expectProblem(await insert(jobs, { v: 1 }), 409, 'conflict')
  expect((await patch({ type: 'text' })).status).toBe(200)
  expect(await values()).toEqual(['a', 'b'])
})

test('columns that read the links go on, or are named', async () => {
  const { companies, jobs, patch, values, to } = await tablesOf(['a', 'b'], ['a', 'b', null])
  expect((await patch(to('link'))).status).toBe(200)
  const reverse = { name: 'its jobs', type: 'reverseLinks', options: { table: jobs, column: 'v' } }
  expect((await admin(`/${companies}/columns`, 'POST', reverse)).status).toBe(201)
  const lookup = { name: 'company name', type: 'lookup', options: { link: 'v', column: 'name' } }
  expect((await admin(`/${jobs}/columns`, 'POST', lookup)).status).toBe(201)
  const reversed = async () =>
    (await json(app.call(`/api/v1/tables/${companies}/records`, { as: 'viewer' }))).records.map(
      (record: Record<string, unknown>) => record['its jobs'],
    )
  expect(await reversed()).toEqual([[1], [2]])
  const { details } = await expectProblem(await patch({ type: 'text' }), 409, 'conflict')
  expect(JSON.stringify(details)).toContain('company name')
  expect((await patch(to('manyLinks'))).status).toBe(200)
  expect(await reversed()).toEqual([[1], [2]])
  expect(await values()).toEqual([[1], [2], []])
  const several = await json(app.call(`/api/v1/tables/${jobs}/records?select=company name`, { as: 'viewer' }))
  expect(several.records.map((record: Record<string, unknown>) => record['company name'])).toEqual([['a'], ['b'], []])
})

test('why nothing can be created is said, in the language of the reader', async () => {
  const { companies, patch, values, to, jobs } = await tablesOf(
    ['Old'],
    ['Old', 'New'],
    [
      { name: 'city', type: 'text', required: true, default: 'Bonn' },
      { name: 'since', type: 'date' },
    ],
  )
  expect((await json(patch(to('link'), '?dryRun=true'))).names).toMatchObject({ creatable: 1 })
  await sql.unsafe(`update data.${companies} set since = '2026-01-01'`)
  await admin(`/${companies}/columns/since`, 'PATCH', { required: true })
  expect((await json(patch(to('link'), '?dryRun=true'))).names).toMatchObject({
    creatable: 0,
    obstacle: `No records can be created in "${companies}": they need a value in "since".`,
  })
  const german = await app.call(`/api/v1/tables/${jobs}/columns/v?dryRun=true`, {
    ...{ as: 'admin', method: 'PATCH', body: to('link'), headers: { 'accept-language': 'de' } },
  })
  expect(await german.json()).toMatchObject({
    rows: [{ message: 'ist dort weder der Name noch der Schlüssel eines Datensatzes' }],
    names: { obstacle: `In "${companies}" können keine Datensätze angelegt werden: Sie brauchen einen Wert in "since".` },
  })
  const { message, errors } = await expectProblem(await patch({ ...to('link'), createLinked: true, onFailure: 'null' }), 409, 'conflict')
  expect({ message, path: errors![0]!.path }).toEqual({
    message: `No records can be created in "${companies}": they need a value in "since".`,
    path: '/createLinked',
  })
  expect(await values()).toEqual(['Old', 'New'])
  // Nothing is missing, so nothing has to be created.
  await sql.unsafe(`update data.${jobs} set v = 'Old'`)
  expect((await patch({ ...to('link'), createLinked: true })).status).toBe(200)
})

test('nobody adds records while names are looked up to create them, and other instances and /rest/v1 see the link', async () => {
  const { companies, jobs, patch, nameList, to } = await tablesOf([], ['Alder', 'Birch, Cedar'])
  const other = await startApp({}, { target: app.target, users: false })
  const headers = { authorization: `Bearer ${app.tokens.editor}` }
  const embedded = async () => json(fetch(`${other.url}/rest/v1/${jobs}?select=v,${companies}(name)&order=id`, { headers }))
  expect(await embedded()).toMatchObject({ code: 'PGRST200' })
  const [changed, ...added] = await Promise.all([
    patch({ ...to('link'), createLinked: true }),
    ...Array.from({ length: 20 }, (_, n) => insert(companies, { name: `Other ${n}` })),
  ])
  expect([changed, ...added].map(({ status }) => status)).toEqual([200, ...Array(20).fill(201)])
  const all = await nameList()
  expect(all.toSorted()).toEqual([...all.filter((name: string) => name.startsWith('Other')), 'Alder', 'Birch, Cedar'].toSorted())
  expect(all).toHaveLength(22)
  expect(await embedded()).toMatchObject([{ [companies]: { name: 'Alder' } }, { [companies]: { name: 'Birch, Cedar' } }])
  expect((await patch(to('manyLinks'))).status).toBe(200)
  expect(await embedded()).toMatchObject([{ [companies]: [{ name: 'Alder' }] }, { [companies]: [{ name: 'Birch, Cedar' }] }])
  expect((await patch({ type: 'text' })).status).toBe(200)
  expect(await embedded()).toMatchObject({ code: 'PGRST200' })
})

test('records are named by a value that is computed, too', async () => {
  const { companies, patch, values, to } = await tablesOf(['a', 'b'], ['A!', 'b!'])
  const shout = { name: 'shout', type: 'formula', options: { expression: "upper(name) || '!'" } }
  expect((await admin(`/${companies}/columns`, 'POST', shout)).status).toBe(201)
  await admin(`/${companies}`, 'PATCH', { displayColumn: 'shout' })
  expect(await json(patch(to('link'), '?dryRun=true'))).toMatchObject({
    ...{ convertible: 1, failing: 1 },
    names: {
      unknownNames: ['b!'],
      creatable: 0,
      obstacle: `No records can be created in "${companies}": they are not named by a text column that can be written.`,
    },
  })
  expect((await patch({ ...to('link'), onFailure: 'null' })).status).toBe(200)
  expect((await patch({ type: 'text' })).status).toBe(200)
  expect(await values()).toEqual(['A!', null])
})

test('a conversion and an import at once create each record once', async () => {
  const { companies, jobs, patch, nameList, to } = await tablesOf(['Alder'], ['New', 'Alder'])
  const orders = `orders${number}`
  const columns = [{ name: 'company', ...to('link') }]
  expect((await admin('', 'POST', { name: orders, columns })).status).toBe(201)
  let hasEnded = false
  const waiting = async (count: number, answer: Promise<Response>) => {
    void answer.then(() => {
      hasEnded = true
    })
    const found = `select from pg_locks where not granted and ${inThisDatabase}`
    await until(`${count} wait for locks, or one has ended`, async () => hasEnded || (await sql.unsafe(found)).length >= count)
  }
  // A reader keeps the conversion from its end, when it has created the record.
  const reader = await app.deps.db.sql.reserve()
  await reader.unsafe('begin')
  await reader.unsafe(`select from data.${jobs}`)
  const convert = () => patch({ ...to('link'), createLinked: true })
  const converted = convert()
  await waiting(1, converted)
  const imported = upload(app, orders, 'company\nNew\n', { query: '?createLinked=true' })
  await waiting(2, imported)
  await reader.unsafe('rollback')
  reader.release()
  // A conversion gives up after 5 s, which a slow machine may need for the import to begin.
  const answer = await converted
  expect([(answer.status === 503 ? await convert() : answer).status, (await imported).status]).toEqual([200, 200])
  expect((await nameList()).sort()).toEqual(['Alder', 'New'])
  expect((await json(app.call(`/api/v1/tables/${companies}/records`, { as: 'viewer' }))).records).toHaveLength(2)
})

test('a constraint that is checked at the end of the transaction refuses the name, not the record that has it', async () => {
  const { companies, jobs, to, patch } = await tablesOf([], ['New', 'new'])
  await sql.unsafe(`alter table data.${companies} add column folded text generated always as (lower(name)) stored,
      add constraint ${companies}_folded unique (folded) deferrable initially deferred`)
  const { errors } = await expectProblem(await patch({ ...to('link'), createLinked: true }), 409, 'conflict')
  expect(errors).toEqual([{ path: '/createLinked', message: 'a rule of the linked table refuses "new"' }])
  expect((await admin(`/${jobs}/columns`, 'POST', { name: 'company', ...to('link') })).status).toBe(201)
  const imported = await upload(app, jobs, 'company\nNew\nnew\n', { query: '?createLinked=true' })
  expect((await expectProblem(imported, 409, 'conflict')).errors as unknown).toMatchObject([{ line: 3, column: 'company' }])
})
