import { expect, test } from 'bun:test'
import { json, startApp } from '../../support/app'
import { inThisDatabase } from '../../support/locks'
import { endpoints, pluginsWith } from '../../support/plugins'
import { expectProblem } from '../../support/problem'

const lists = endpoints(
  `{ method: 'GET', path: '/', public: false, query: t.Object({ search: t.String() }), allow: () => true, handle: ({ records, query }) => records('notes').list(query.search) }`,
)
const app = await startApp({}, { plugins: pluginsWith({ 'lists/plugin.ts': lists }) })
await app.call('/api/v1/tables', {
  as: 'admin',
  body: {
    name: 'notes',
    columns: [
      { name: 'text', type: 'text' },
      { name: 'n', type: 'integer' },
    ],
  },
})
const notes = '/api/v1/tables/notes/records'
await app.call(notes, { as: 'editor', body: { text: '100% of_it', n: 1 } })

/** The ways in to one table: our own, PostgREST's, and a plugin's facade. */
const doors = [notes, '/rest/v1/notes', 'plugin']
const ask = (door: string, search: string) =>
  app.call(door === 'plugin' ? `/api/v1/custom/lists?search=${encodeURIComponent(search)}` : `${door}?${search}`, { as: 'viewer' })

/** A lock of a session outlives its statement and its transaction, so it tells that the function has run. */
const locks = async () =>
  (await app.deps.db.query(`select from pg_locks where locktype = 'advisory' and (classid, objid) = (0, 3) and ${inThisDatabase}`)).length

test.each(doors)('%s: what is no column, no operator and no aggregate is refused, and nothing of it runs', async (door) => {
  for (const search of [
    'order=pg_advisory_lock(3)',
    'order=(select%20pg_advisory_lock(3))',
    'order=n;select%20pg_advisory_lock(3)',
    'select=pg_advisory_lock(3)',
    'select=n::pg_advisory_lock(3)',
    'select=n.pg_advisory_lock()',
    'n=pg_advisory_lock.3',
    'n=eq(pg_advisory_lock(3)).1',
    'n"%20or%20pg_advisory_lock(3)%20is%20null--=eq.1',
    'text=fts(pg_advisory_lock(3)).x',
    '__proto__=eq.1',
    'constructor=eq.1',
    `${'x'.repeat(300)}=eq.1`,
  ]) {
    const { status } = await ask(door, search)
    expect({ search, isRefused: status === 400 || status === 404, locks: await locks() }).toEqual({ search, isRefused: true, locks: 0 })
  }
})

test('what runs leaves a lock', async () => {
  const { sql } = app.deps.db
  const session = await sql.reserve()
  await session.unsafe('select pg_advisory_lock(3)')
  expect(await locks()).toBe(1)
  await session.unsafe('select pg_advisory_unlock(3)')
  session.release()
})

test.each(doors)('%s: a value of another type is refused, and columns that nobody lists answer nothing', async (door) => {
  for (const search of ['n=eq.x', 'n=eq.[1]', 'n=eq.{"a":1}', 'n=in.(1,x)', 'xmin=gt.0', 'ctid=eq.(0,1)', 'tableoid=gt.0', 'select=xmin'])
    expect({ search, status: (await ask(door, search)).status }).toEqual({ search, status: 400 })
})

test('a search is for its text, whatever means something in a pattern', async () => {
  const found = async (q: string) => (await json(app.call(`${notes}?q=${encodeURIComponent(q)}`, { as: 'viewer' }))).records.length
  expect([await found('100%'), await found('of_it'), await found('1%t'), await found('of.it'), await found('\\')]).toEqual([1, 1, 0, 0, 0])
})

test('members that are nobody’s to set are refused where records and users are made', async () => {
  for (const body of [
    { text: 'a', role: 'admin' },
    { text: 'a', created_by: 'x' },
    { text: 'a', xmin: 1 },
  ])
    await expectProblem(await app.call(notes, { as: 'editor', body }), 422, 'validation_failed')
  const { user } = await json(app.call('/auth/me', { as: 'viewer' }))
  await app.call('/auth/tokens', { as: 'viewer', body: { name: 'x', role: 'admin', userId: user.id, user: { role: 'admin' } } })
  expect((await json(app.call('/auth/me', { as: 'viewer' }))).user).toEqual(user)
})

test.each(['+1', '+47 55 50 10 01', '+49 (0)30 901820'])('a spreadsheet is given "%s" as it is: it runs nothing', async (text) => {
  const { id } = await json(app.call(notes, { as: 'editor', body: { text } }))
  const path = `/api/v1/tables/notes/export.csv?select=text&id=eq.${id}&formulas=escape`
  expect(await (await app.call(path, { as: 'viewer' })).text()).toBe(`text\n${text}\n`)
})

test.each(['=1+1', '+A1', '+1+cmd|x', '-cmd', '@SUM(1)', '\t=1', '\r=1', '＝1', '＋1', '－1', '＠x', '"=1', "'=1", ' =1'])(
  'a spreadsheet is given %j as text, and the lossless export as it is',
  async (text) => {
    const { id } = await json(app.call(notes, { as: 'editor', body: { text } }))
    const csv = async (more: string) =>
      (await app.call(`/api/v1/tables/notes/export.csv?select=text&id=eq.${id}${more}`, { as: 'viewer' })).text()
    const cell = (shown: string) => [`text\n${shown}\n`, `text\n"${shown.replaceAll('"', '""')}"\n`]
    expect(await csv('&formulas=escape')).toBeOneOf(cell(`'${text}`))
    expect(await csv('')).toBeOneOf(cell(text))
  },
)

test('a spreadsheet is given the name of a linked record as text, too', async () => {
  for (const [name, type] of [
    ['bigint firms', 'bigint'],
    ['uuid firms', 'uuid'],
  ] as const) {
    const columns = [{ name: 'title', type: 'text' }]
    await app.call('/api/v1/tables', { as: 'admin', body: { name, primaryKey: { name: 'k', type }, columns } })
    const { k } = await json(app.call(`/api/v1/tables/${name}/records`, { as: 'editor', body: { title: '=cmd|x' } }))
    const deals = `${name} deals`
    const linking = [
      { name: 'one', type: 'link', options: { table: name } },
      { name: 'many', type: 'manyLinks', options: { table: name } },
    ]
    await app.call('/api/v1/tables', { as: 'admin', body: { name: deals, columns: linking } })
    await app.call(`/api/v1/tables/${deals}/records`, { as: 'editor', body: { one: k, many: [k] } })
    const csv = await app.call(`/api/v1/tables/${deals}/export.csv?select=one,many&for=people`, { as: 'viewer' })
    expect(await csv.text()).toBe("one,many\n'=cmd|x,'=cmd|x\n")
  }
})
