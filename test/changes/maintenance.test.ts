import { describe, expect, setSystemTime, test } from 'bun:test'
import { maintainLog, maintainPartitions } from '../../src/changes/maintenance'
import { startApp } from '../support/app'

const app = await startApp()
const { db, catalog, config } = app.deps
await app.call('/api/v1/tables', { as: 'admin', body: { name: 'items', columns: [{ name: 'name', type: 'text' }] } })

const partitions = async () =>
  (
    await db.sql<
      { name: string }[]
    >`select inhrelid::regclass::text as name from pg_inherits where inhparent = 'rowhouse.changes'::regclass order by 1`
  ).map(({ name }) => name.replace('rowhouse.', ''))
const day = (text: string) => new Date(`${text}T12:00:00Z`)
const isLogged = async () => (await catalog.current()).byQualifiedName.get('data.items')!.isLogged

describe('partitions of the log', () => {
  test('are there for the days to come, and go with their day', async () => {
    await maintainPartitions(db, 2, day('2031-02-27'))
    const first = ['changes_20310227', 'changes_20310228', 'changes_20310301', 'changes_20310302', 'changes_rest']
    expect(await partitions()).toEqual(first)
    await maintainPartitions(db, 2, day('2031-03-02'))
    expect(await partitions()).toEqual([
      'changes_20310228',
      ...first.slice(2, 4),
      'changes_20310303',
      'changes_20310304',
      'changes_20310305',
      'changes_rest',
    ])
  })

  test('take what is logged on their day, and are not missed by a write', async () => {
    const write = () => app.call('/api/v1/tables/items/records', { as: 'editor', body: { name: 'x' } })
    const of = async () =>
      (await db.sql`select distinct c.relname as name from rowhouse.changes join pg_class c on c.oid = changes.tableoid`).map(
        ({ name }) => name,
      )
    // PostgreSQL's clock decides, and its day may end meanwhile.
    const loggedOn = async () => {
      const [row] = await db.sql<{ day: string }[]>`select to_char(at at time zone 'UTC', 'YYYY-MM-DD') as day from rowhouse.changes`
      return { at: day(row!.day), partition: `changes_${row!.day.replaceAll('-', '')}` }
    }
    expect((await write()).status).toBe(201)
    expect(await of()).toEqual(['changes_rest'])
    // The day stays in the rest, and those behind it get partitions.
    const { at, partition } = await loggedOn()
    await maintainPartitions(db, 365, at)
    expect(await partitions()).not.toContain(partition)
    await db.sql`delete from rowhouse.changes`
    await maintainPartitions(db, 365, at)
    expect((await write()).status).toBe(201)
    expect(await of()).toEqual([(await loggedOn()).partition])
  })

  test('are made by two instances at a time', async () => {
    const results = await Promise.all([1, 2, 3].map(() => maintainPartitions(db, 9999, day('2040-01-01'))))
    expect(results).toHaveLength(3)
    expect(await partitions()).toContain('changes_20400104')
  })

  test('stay where the clock of an instance is years ahead: that of the database decides', async () => {
    await maintainLog({ db, catalog, config: { ...config, historyDays: 30 } })
    const before = await partitions()
    // Today's and those of the days to come, besides the ones that the tests above have made.
    expect(before.filter((name) => name.startsWith('changes_20')).length).toBeGreaterThan(3)
    setSystemTime(new Date(Date.now() + 10 * 366 * 24 * 60 * 60 * 1000))
    try {
      await maintainLog({ db, catalog, config: { ...config, historyDays: 30 } })
    } finally {
      setSystemTime()
    }
    expect(await partitions()).toEqual(expect.arrayContaining(before))
  })
})

test('ROWHOUSE_HISTORY_DAYS=0 turns the log off and leaves it as it is, and another number turns it on again', async () => {
  const logged = async () => Number((await db.sql`select count(*)::int as count from rowhouse.changes`)[0]!.count)
  const before = await logged()
  await maintainLog({ db, catalog, config: { ...config, historyDays: 0 } })
  expect([await isLogged(), await logged()]).toEqual([false, before])
  await app.call('/api/v1/tables', { as: 'admin', body: { name: 'later', columns: [{ name: 'name', type: 'text' }] } })
  expect((await app.call('/api/v1/tables/later/records', { as: 'editor', body: { name: 'x' } })).status).toBe(201)
  expect(await logged()).toBe(before)
  await maintainLog({ db, catalog, config: { ...config, historyDays: 30 } })
  expect(await isLogged()).toBe(true)
  await app.call('/api/v1/tables/later/records', { as: 'editor', body: { name: 'y' } })
  expect(await logged()).toBe(before + 1)
})
