import { expect, test } from 'bun:test'
import { readFeedFilter } from '../../../src/changes/feed/filter'
import { sightOfEntries } from '../../../src/changes/feed/sight'
import type { LogEntry } from '../../../src/changes/log-entry'
import type { Query } from '../../../src/db/pool/open'
import { startApp } from '../../support/app'

const app = await startApp()
const columns = [{ name: 'points', type: 'integer' }]
expect((await app.call('/api/v1/tables', { as: 'admin', body: { name: 'games', columns } })).status).toBe(201)

test('a logged value that no longer fits its column hides its entry, and costs few statements', async () => {
  const tables = await app.deps.catalog.current()
  const table = tables.byName.get('games')!
  const entries = Array.from(
    { length: 500 },
    (_, index) =>
      ({
        id: String(index + 1),
        at: '2026-01-01T00:00:00.000Z',
        tableId: table.id,
        operation: 'delete',
        key: `["${index + 1}"]`,
        oldValues: index === 321 ? '{"points":"many"}' : `{"points":${index % 2}}`,
      }) as LogEntry,
  )
  let statements = 0
  const query = ((text: string, parameters: []) => {
    statements++
    return app.deps.db.query(text, parameters)
  }) as Query
  const filter = readFeedFilter([['points', 'eq.1']])
  const seen = await sightOfEntries(query, { tables, feedTables: [table], filter }, entries)
  const odd = entries.filter((_, index) => index % 2 === 1 && index !== 321)
  expect(seen.map(({ entry }) => entry.id)).toEqual(odd.map(({ id }) => id))
  expect(statements).toBeLessThan(25)
})
