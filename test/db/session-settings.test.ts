import { describe, expect, test } from 'bun:test'
import { offerSetup } from '../../src/auth/accounts/setup'
import { type ConnectionTarget, type Db, openDb } from '../../src/db/pool/open'
import { wrongSettings } from '../../src/db/pool/session-settings'
import { json, startApp } from '../support/app'
import { startPgBouncer } from '../support/pgbouncer'

const settings = ['DateStyle', 'IntervalStyle', 'TimeZone', 'bytea_output', 'extra_float_digits', 'standard_conforming_strings']

/** Of the role in this database only: other tests use the same role. */
async function changeRole(db: Db) {
  const other = {
    DateStyle: 'German, DMY',
    IntervalStyle: 'sql_standard',
    TimeZone: 'Asia/Tokyo',
    bytea_output: 'escape',
    extra_float_digits: '0',
    standard_conforming_strings: 'off',
  }
  for (const [name, value] of Object.entries(other))
    await db.query(
      `do $$ begin execute format('alter role %I in database %I set ${name} = ''${value}''', current_user, current_database()); end $$`,
    )
}

async function settingsOf(db: Db): Promise<Record<string, string>> {
  const rows = await db.query<{ name: string; setting: string }>(
    'select name, current_setting(name) as setting from unnest($1::text[]) name',
    [`{${settings.join(',')}}`],
  )
  return Object.fromEntries(rows.map(({ name, setting }) => [name, setting]))
}

async function startChanged() {
  const app = await startApp({}, { users: false })
  await changeRole(app.deps.db)
  return app
}

const right = {
  DateStyle: 'ISO, MDY',
  IntervalStyle: 'postgres',
  TimeZone: 'UTC',
  bytea_output: 'hex',
  extra_float_digits: '1',
  standard_conforming_strings: 'on',
}

describe('a role whose settings write values in another way', () => {
  const opened = (target: ConnectionTarget, config: Parameters<typeof openDb>[1]) => {
    const db = openDb(target, config)
    return Object.assign(db, { [Symbol.asyncDispose]: db.close })
  }

  test('every connection sets them as they are read', async () => {
    const { deps, target } = await startChanged()
    await using db = opened(target, deps.config)
    expect(await settingsOf(db)).toEqual(right)
    expect(await wrongSettings(db.query)).toBeNull()
    for (const pool of [db.sql, db.bulk])
      expect(await pool.unsafe(`select current_setting('DateStyle') || current_setting('IntervalStyle') as it`)).toMatchObject([
        { it: 'ISO, MDYpostgres' },
      ])
  })

  test('a connection URI does not set them otherwise', async () => {
    const { deps, target } = await startApp({}, { users: false })
    await using bouncer = await startPgBouncer(target)
    const { uri } = bouncer.target as Extract<ConnectionTarget, { uri: unknown }>
    const asked = { uri: { ...uri, parameters: { datestyle: 'German', timezone: 'Asia/Tokyo' } } }
    await using db = opened(asked, { ...deps.config, databasePrepare: false })
    expect(await settingsOf(db)).toEqual(right)
  })

  test('behind PgBouncer those that it passes on are set, and the start says what to do about the others', async () => {
    const { deps, target } = await startChanged()
    await using bouncer = await startPgBouncer(target)
    await using db = opened(bouncer.target, { ...deps.config, databasePrepare: false })
    const { DateStyle, TimeZone, standard_conforming_strings } = right
    expect(await settingsOf(db)).toMatchObject({ DateStyle, TimeZone, standard_conforming_strings })
    const problem = await wrongSettings(db.query)
    expect(problem).toContain(`SET IntervalStyle = 'postgres';`)
    expect(problem).toContain(`SET bytea_output = 'hex';`)
    expect(problem).toContain(`SET extra_float_digits = '1';`)
  })

  test('the set-up of a service answers 201, and pages over floats end', async () => {
    const { target } = await startChanged()
    const app = await startApp({}, { users: false, target })
    const code = await offerSetup(app.deps.db, app.deps.config.dataDir, 'a code for the set-up')
    const body = { email: 'ada@example.org', password: 'correct horse battery', code }
    const done = await app.call('/auth/setup', { body })
    expect(done.status).toBe(201)
    const headers = { cookie: done.headers.get('set-cookie')!.split(';')[0]!, origin: app.url }
    const columns = [{ name: 'size', type: 'float' }]
    await app.call('/api/v1/tables', { headers, body: { name: 'things', columns } })
    await app.deps.db.query('insert into data.things (size) select 1 + i / 1e15 from generate_series(1, 40) i')
    const seen: number[] = []
    let cursor: string | null = ''
    for (let page = 0; page < 20 && cursor !== null; page++) {
      const address = `/api/v1/tables/things/records?order=size&limit=3${cursor && `&cursor=${encodeURIComponent(cursor)}`}`
      const { records, nextCursor } = await json(app.call(address, { headers }))
      seen.push(...records.map(({ id }: { id: number }) => id))
      cursor = nextCursor
    }
    expect(cursor).toBeNull()
    expect(seen).toEqual(Array.from({ length: 40 }, (_, index) => index + 1))
  })
})
