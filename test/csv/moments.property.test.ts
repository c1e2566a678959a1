import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { json, startApp } from '../support/app'

const app = await startApp()
await app.call('/api/v1/tables', {
  as: 'admin',
  body: {
    name: 'visits',
    columns: [
      { name: 'who', type: 'text', unique: true },
      { name: 'at', type: 'dateTime' },
    ],
  },
})

const zones = ['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kathmandu', 'Australia/Lord_Howe', 'Etc/GMT+5', 'Pacific/Apia']

/** The hours in which clocks go back are in it, and microseconds, and days before spreadsheets begin. */
const moment = fc.oneof(
  fc.date({ min: new Date('0001-01-02'), max: new Date('9999-12-30'), noInvalidDate: true }).map((date) => date.toISOString()),
  fc.date({ min: new Date('2020-01-01'), max: new Date('2030-01-01'), noInvalidDate: true }).map((date) => date.toISOString()),
  fc
    .tuple(fc.integer({ min: Date.parse('2026-10-24T22:00Z'), max: Date.parse('2026-10-25T03:00Z') }), fc.integer({ min: 0, max: 999 }))
    .map(([ms, microseconds]) => new Date(ms).toISOString().replace('Z', `${String(microseconds).padStart(3, '0')}Z`)),
  fc.constantFrom('2026-07-01T08:00:00Z', '2026-07-01T00:00:00Z', '2026-06-30T22:00:00Z', '2026-10-25T00:30:00Z', '2026-10-25T01:30:00Z'),
  fc.constantFrom('2026-11-01T05:30:00Z', '2026-11-01T06:30:00Z', '2026-04-04T15:15:00Z', '2011-12-30T10:30:00Z', '0001-01-01T00:00:00Z'),
)

const read = async (table: string) =>
  (await json(app.call(`/api/v1/tables/${table}/records?order=who&select=who,at`, { as: 'viewer' }))).records

const send = (path: string, file: Uint8Array) =>
  fetch(`${app.url}/api/v1/tables/${path}`, {
    method: 'POST',
    body: file as Uint8Array<ArrayBuffer>,
    headers: { authorization: `Bearer ${app.tokens.admin}`, 'content-type': 'application/octet-stream' },
  })

const ways: [string, (zone: string) => string][] = [
  ['programs', () => 'export.csv?'],
  ['people', (zone) => `export.csv?for=people&timezone=${encodeURIComponent(zone)}`],
  ['workbooks', (zone) => `export.xlsx?timezone=${encodeURIComponent(zone)}`],
]

test('moments come back through every file as they were, or are refused in a sentence', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(moment, { minLength: 1, maxLength: 6 }), fc.constantFrom(...zones), async (moments, zone) => {
      await app.deps.db.sql.unsafe('truncate data.visits')
      const body = moments.map((at, index) => ({ who: `v${index}`, at }))
      expect((await app.call('/api/v1/tables/visits/records', { as: 'editor', body })).status).toBe(201)
      const before = await read('visits')
      for (const [kind, path] of ways) {
        const file = await (await app.call(`/api/v1/tables/visits/${path(zone)}&select=who,at&order=who`, { as: 'viewer' })).bytes()
        const told = { kind, zone, moments }
        const named = `timezone=${encodeURIComponent(zone)}`
        await app.deps.db.sql.unsafe(`update data.visits set at = '2000-01-01T00:00:00Z'`)
        const known = await send(`visits/import?mode=upsert&on=who&${named}`, file)
        expect({ ...told, status: known.status, read: await read('visits') }).toEqual({ ...told, status: 200, read: before })

        // Without a zone, a file that does not tell its own is refused as a whole.
        const blind = await send('visits/import?mode=upsert&on=who', file)
        expect({ ...told, read: await read('visits') }).toEqual({ ...told, read: before })
        if (kind === 'people') {
          const isLocal = new TextDecoder()
            .decode(file)
            .split('\n')
            .slice(1)
            .some((line) => / \d\d:\d\d[\d:.]*$/.test(line))
          expect({ ...told, status: blind.status }).toEqual({ ...told, status: isLocal ? 422 : 200 })
          if (isLocal) expect((await json(blind)).errors[0].message).toContain('timezone=')
        } else expect({ ...told, status: blind.status }).toEqual({ ...told, status: 200 })

        const made = await send(`import?name=again&${named}`, file)
        expect({ ...told, status: made.status }).toEqual({ ...told, status: 201 })
        expect({ ...told, read: await read('again') }).toEqual({ ...told, read: before })
        await app.call('/api/v1/tables/again?confirm=again', { as: 'admin', method: 'DELETE' })
      }
    }),
    { numRuns: 12 },
  )
})
