import { expect, test } from 'bun:test'
import { json, startApp } from '../../support/app'

/** A `+` that stands in an address as it is means a blank, and the refusal of a moment says what to write. */
const app = await startApp()
await app.call('/api/v1/tables', { as: 'admin', body: { name: 'events', columns: [{ name: 'at', type: 'dateTime' }] } })
await app.call('/api/v1/tables/events/records', { as: 'editor', body: { at: '2026-01-31T12:00:00Z' } })
const hint = expect.stringContaining('%2B')

test.each(['/api/v1/tables/events/records?at=gte.', '/rest/v1/events?at=gte.'])('%s', async (address) => {
  const read = (moment: string) => app.call(address + moment, { as: 'viewer' })
  for (const moment of ['2026-01-31T12:00:00+01:00', '2026-01-31T12:00:00.5+0100', '2026-01-31 12:00+01'])
    expect(await json(read(moment))).toMatchObject({ hint })
  expect((await read('2026-01-31T12:00:00%2B01:00')).status).toBe(200)
  expect((await json(read('tomorrow morning'))).hint ?? '').not.toContain('%2B')
})
