import { expect, test } from 'bun:test'
import { resolve } from 'node:path'
import { declarationsIn } from './support/functions'

/** Local names that say nothing of what they hold, such as `known` for the keys that exist. */
const vagueNames = ['asked', 'kept', 'known', 'place', 'shown', 'told', 'wanted']
/** How many variables and parameters of a room have such a name. The numbers only fall; other rooms have none. */
const vagueLocals: Record<string, number> = {
  attachments: 29,
  backup: 65,
  build: 8,
  commands: 13,
  csv: 32,
  db: 55,
  records: 86,
  tables: 38,
  'truncate.ts': 1,
  'web/browser': 114,
}

test('variables and parameters are named for what they hold', async () => {
  const { locals } = await declarationsIn(resolve(import.meta.dir, '../src'))
  expect(locals.length).toBeGreaterThan(10_000)
  const roomOf = (path: string) => (path.startsWith('web/browser/') ? 'web/browser' : path.split('/')[0]!)
  const counts = [...Map.groupBy(locals, ({ path }) => roomOf(path))].map(([room, found]) => ({
    room,
    count: found.filter(({ name }) => vagueNames.includes(name)).length,
  }))
  expect(counts.filter(({ room, count }) => count > (vagueLocals[room] ?? 0))).toEqual([])
}, 60_000)
