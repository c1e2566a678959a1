import { expect, test } from 'bun:test'
import { strFromU8, unzipSync } from 'fflate'
import { json, startApp } from '../../support/app'

/** Files for people of values that are computed: aggregates and lookups. */
const app = await startApp()
const admin = async (path: string, body: object) =>
  expect((await app.call(`/api/v1/tables${path}`, { as: 'admin', body })).status).toBe(201)
const csv = async (table: string, query: string) =>
  (await app.call(`/api/v1/tables/${table}/export.csv?${query}&for=people`, { as: 'viewer' })).text()

const user = (await json(app.call('/auth/me', { as: 'editor' }))).user
await admin('', { name: 'firms', columns: [{ name: 'name', type: 'text' }] })
await admin('', { name: 'tags', columns: [{ name: 'label', type: 'text' }] })
await admin('', {
  name: 'visits',
  columns: [
    { name: 'firm', type: 'link', options: { table: 'firms' } },
    { name: 'tags', type: 'manyLinks', options: { table: 'tags' } },
    { name: 'share', type: 'percent' },
    { name: 'took', type: 'duration' },
    { name: 'seen', type: 'dateTime' },
    { name: 'pay', type: 'decimal' },
    { name: 'by', type: 'user' },
  ],
})
await admin('/firms/records', [{ name: 'Acme' }, { name: 'Brix' }])
await admin('/tags/records', [{ label: 'x' }, { label: 'y' }])
await admin('/visits/records', [
  { firm: 1, tags: [1, 2], share: 0.125, took: 5400, seen: '2026-07-01T12:30:00Z', pay: 1234.5, by: user.id },
  { firm: 1, share: 0.25, took: 61, seen: '2026-07-02T12:30:00Z', pay: 0.5, by: user.id },
])

test.each([
  ['a:firm.count(),b:share.count(),c:took.count(),d:seen.count(),e:by.count(),f:tags.count()', '2,2,2,2,2,2'],
  ['firm.max(),firm.sum()', '1,2'],
  ['a:share.sum(),b:took.sum(),seen.max()', '37.5%,1:31:01,2026-07-02 12:30'],
  ['took.sum()::text,seen.max()::date', '5461,2026-07-02'],
])('aggregates of %s', async (select, row) => {
  const text = await csv('visits', `select=${select}`)
  expect(text.trimEnd().split('\n').at(-1)).toBe(row)
})

test('counts in a workbook are numbers', async () => {
  const answer = await app.call('/api/v1/tables/visits/export.xlsx?select=a:firm.count(),b:share.count(),c:seen.count()', { as: 'viewer' })
  const sheet = strFromU8(unzipSync(await answer.bytes())['xl/worksheets/sheet1.xml']!)
  expect([...sheet.matchAll(/<c r="[A-C]2"[^>]*><v>(\d+)<\/v>/g)].map(([, value]) => value)).toEqual(['2', '2', '2'])
})

test('lookups are written like the columns that they show', async () => {
  const { columns } = await json(app.call('/api/v1/tables/visits', { as: 'admin' }))
  const idOf = (name: string) => columns.find((column: { name: string }) => column.name === name).id
  await admin('/firms/columns', { name: 'visits', type: 'reverseLinks', options: { table: 'visits', column: idOf('firm') } })
  const names = ['by', 'share', 'took', 'seen', 'pay']
  for (const name of names) await admin('/firms/columns', { name, type: 'lookup', options: { link: 'visits', column: name } })
  await admin('', { name: 'calls', columns: [{ name: 'visit', type: 'link', options: { table: 'visits' } }] })
  for (const name of names) await admin('/calls/columns', { name, type: 'lookup', options: { link: 'visit', column: name } })
  await admin('/calls/records', { visit: 1 })
  const query = `select=${names}&order=id&limit=1&timezone=Europe/Berlin&delimiter=semicolon&decimals=comma`
  expect(await csv('calls', query)).toBe(`by;share;took;seen;pay\n${user.name};12,5%;1:30:00;2026-07-01 14:30;1234,5\n`)
  const lists = [`${user.name}, ${user.name}`, '12,5%, 25%', '1:30:00, 0:01:01', '2026-07-01 14:30, 2026-07-02 14:30', '1234,5, 0,5']
  expect(await csv('firms', query)).toBe(`by;share;took;seen;pay\n${lists.join(';')}\n`)
  const answer = await app.call(`/api/v1/tables/firms/export.xlsx?select=share&order=id&limit=1`, { as: 'viewer' })
  expect(strFromU8(unzipSync(await answer.bytes())['xl/worksheets/sheet1.xml']!)).toContain('>12.5%, 25%<')
})

test('negative results stay numbers, and columns of a linked record are written like those of its table', async () => {
  const [owner, balance, seen] = [
    { name: 'owner', type: 'link', options: { table: 'firms' } },
    { name: 'balance', type: 'decimal', options: { precision: 8, scale: 2 } },
    { name: 'seen', type: 'dateTime' },
  ]
  await admin('', { name: 'accounts', columns: [owner, balance, seen] })
  const linking = { name: 'account', type: 'link', options: { table: 'accounts' } }
  await admin('', { name: 'entries', columns: [{ name: 'title', type: 'text' }, { name: 'amount', type: 'decimal' }, linking] })
  const made = await json(app.call('/api/v1/tables/firms/records', { as: 'editor', body: { name: '=Ada' } }))
  await admin('/accounts/records', { owner: made.id, balance: -5, seen: '2026-07-01T12:30:00Z' })
  await admin('/entries/records', { title: '=rent', amount: -12.5, account: 1 })
  const aggregates = 'a:amount.sum(),b:amount.max(),c:title.max(),d:amount.sum()::text,...account(e:balance.min())'
  expect(await csv('entries', `select=${aggregates}`)).toBe("a,b,c,d,e\n-12.5,-12.5,'=rent,'-12.5,-5.00\n")
  const spread = 'select=title,...account(balance,seen,owner)&timezone=Europe/Berlin'
  expect(await csv('entries', spread)).toBe("title,balance,seen,owner\n'=rent,-5.00,2026-07-01 14:30,'=Ada\n")
  const file = (format: string, query: string) => app.call(`/api/v1/tables/entries/export.${format}?${query}`, { as: 'viewer' })
  expect(await (await file('csv', 'formulas=escape&select=...account(balance)')).text()).toBe('balance\n-5.00\n')
  const sheet = strFromU8(unzipSync(await (await file('xlsx', spread)).bytes())['xl/worksheets/sheet1.xml']!)
  expect(sheet).toMatch(/<c r="B2" s="\d+"><v>-5.00<\/v><\/c><c r="C2" s="\d+"><v>46204\.604\d*<\/v><\/c><c r="D2"[^>]*><is><t[^>]*>=Ada</)
})

test('the longest durations and their sums have all their hours', async () => {
  await admin('', { name: 'ages', columns: [{ name: 'took', type: 'duration' }] })
  await admin('/ages/records', [{ took: '9223372036854775807' }, { took: '-9223372036854775808' }, { took: -59 }])
  expect(await csv('ages', 'select=took&order=id')).toBe('took\n2562047788015215:30:07\n-2562047788015215:30:08\n-0:00:59\n')
  expect(await csv('ages', 'select=took:took.sum()&took=gt.-60')).toBe('took\n2562047788015215:29:08\n')
})
