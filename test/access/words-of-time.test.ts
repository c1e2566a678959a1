import { expect, test } from 'bun:test'
import { json, startApp } from '../support/app'
import { expectProblem } from '../support/problem'

const app = await startApp()
const columns = [
  { name: 'title', type: 'text' },
  { name: 'valid_until', type: 'date' },
  { name: 'ends', type: 'dateTime' },
]
await app.call('/api/v1/tables', { as: 'admin', body: { name: 'offers', columns } })
await app.call('/api/v1/tables/offers/records', { as: 'admin', body: { title: 'today', valid_until: '9999-12-31' } })
const save = (read: string) =>
  app.call('/api/v1/access', { as: 'admin', method: 'PUT', body: { rules: [{ group: 'everyone', table: 'offers', read }] } })
const titles = async () =>
  (await json(app.call('/api/v1/tables/offers/records', { as: 'viewer' }))).records.map(({ title }: { title: string }) => title)

test.each([
  'valid_until=gte.today',
  'valid_until=gte.%20Tomorrow',
  'valid_until=in.(2026-01-31,NOW)',
  'ends=gt(any).{yesterday}',
  'or=(ends.gte.now,ends.is.null)',
])('%s is refused, which would hold for the day of its first use', async (read) => {
  const { errors } = await expectProblem(await save(read), 422, 'validation_failed')
  expect(errors).toEqual([{ path: '/rules/0/read', message: expect.stringContaining('@now') }])
})

test.each(['title=eq.today', 'valid_until=gte.@now', 'ends=is.null'])('%s is accepted', async (read) => {
  expect((await save(read)).status).toBe(200)
  expect(await titles()).toEqual(['today'])
})

test('a rule that is stored already goes on to work', async () => {
  await save('valid_until=gte.2026-01-31')
  await app.deps.db.query(`update rowhouse.access_document set rules = replace(rules::text, '2026-01-31', 'today')::jsonb`)
  await app.deps.catalog.refresh()
  expect(await titles()).toEqual(['today'])
  const { rules } = await json(app.call('/api/v1/access', { as: 'admin' }))
  expect(rules[0].read).toBe('valid_until=gte.today')
})
