import { afterAll, expect, test } from 'bun:test'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { readUri } from '../../src/ops/settings/connection-uri'
import { dryRun, openFolder, scratchIn } from '../support/backups'
import { call, newFolder, run, startService } from '../support/executable'
import { makePets, type Stored, upload } from '../support/pets'
import { startPgBouncer } from '../support/pgbouncer'
import { login } from '../support/postgres'
import { until } from '../support/processes'
import { openTransactions, usedDatabase } from '../support/team-database'
import { startTeamPostgres, type TeamPostgres } from '../support/team-postgres'
import { setUp } from '../support/used-data'

const team = await startTeamPostgres()
afterAll(() => team[Symbol.asyncDispose]())

const schemas = ['rowhouse', 'data', 'shop', 'Odd "Schema']
const settings = { ROWHOUSE_SCHEMAS: 'shop,Odd "Schema' }

/** Everything that PostgreSQL's own pg_dump says of the schemas. */
function dumpOf({ port }: TeamPostgres, database: string): string {
  const flags = [...schemas.map((schema) => `--schema="${schema.replaceAll('"', '""')}"`), '--no-privileges']
  const { stdout, stderr, status } = spawnSync(
    'pg_dump',
    ['-h', '127.0.0.1', '-p', String(port), '-U', login.user, '-d', database, ...flags],
    { encoding: 'utf8', env: { PATH: process.env.PATH, PGPASSWORD: login.password }, maxBuffer: 2 ** 28 },
  )
  expect([status, stderr]).toEqual([0, ''])
  return stdout.replace(/^\\(un)?restrict .*$/gm, '')
}

test('a backup of a team’s database brings everything back, into another one and into an embedded one', async () => {
  const { uri, admin } = await usedDatabase(team, 'team')
  const file = join(openFolder(), 'team.tar.zst')
  const environment = { DATABASE_URL: uri, ...settings }
  let token = ''
  const files: { file: Stored; text: string }[] = []
  {
    await using service = await startService({ environment })
    token = await setUp(service)
    await makePets({ ...service, token })
    for (const text of ['one', 'two '.repeat(100_000)]) {
      const answer = await upload({ ...service, token }, `file-${text.length}`, text)
      files.push({ file: ((await answer.json()) as [Stored])[0], text })
    }
    const { code, stderr } = await run(['backup', file], { environment: { ...environment, ROWHOUSE_DATA_DIR: service.dataDir } })
    expect([code, stderr]).toEqual([0, expect.stringContaining('Backed up: ')])
    expect(stderr).toMatch(
      /^This backs up the attachments in \S+\/files and a consistent logical copy of the schemas rowhouse, data, shop, Odd "Schema; roles and rights, other schemas, /,
    )
    expect(stderr).toMatch(/Verified: restored into PostgreSQL 18, \d+ tables and \d+ indexes made, constraints checked, rows compared/)
    expect(scratchIn(service.dataDir)).toEqual([])
    // The service has some of its own, for a moment.
    await until('nothing is open', async () => (await openTransactions(admin)).length === 0)
  }
  // With another data directory the attachments are not there.
  const again = join(openFolder(), 'again.tar.zst')
  expect((await run(['backup', '--quiet', again], { environment: { ...environment, ROWHOUSE_DATA_DIR: openFolder() } })).code).toBe(3)
  const said = await dryRun(file)
  expect([said.code, said.stdout]).toEqual([
    0,
    expect.stringContaining('A logical copy of the schemas rowhouse, data, shop, Odd "Schema of a PostgreSQL 15.'),
  ])
  expect(said.stdout).toContain('which needs the extensions citext and the roles auditor.')

  const dataDir = join(newFolder(), 'data')
  const target = await team.createDatabase('other')
  const restored = await run(['restore', file], { environment: { DATABASE_URL: target, ROWHOUSE_DATA_DIR: dataDir } })
  expect([restored.code, restored.stdout]).toEqual([
    0,
    expect.stringMatching(/^Restored into other at 127\.0\.0\.1, the attachments into /),
  ])
  expect(withoutLog(dumpOf(team, 'other'))).toBe(withoutLog(dumpOf(team, 'team')))
  {
    await using service = await startService({ dataDir, environment: { DATABASE_URL: target, ...settings } })
    for (const { file: sent, text } of files) expect(await (await call(service.url + sent.url, { token })).text()).toBe(text)
    const written = await call(`${service.url}/api/v1/tables/items/records`, { token, body: { number: 1, note: 'behind' } })
    expect(written.status).toBe(201)
  }

  const inside = join(newFolder(), 'data')
  const embedded = await run(['restore', file], { environment: { ROWHOUSE_DATA_DIR: inside } })
  expect([embedded.code, embedded.stdout]).toEqual([0, expect.stringContaining(`Restored into ${inside}: `)])
  await using service = await startService({ dataDir: inside, environment: settings })
  for (const { file: sent, text } of files) expect(await (await call(service.url + sent.url, { token })).text()).toBe(text)
  expect((await call(`${service.url}/api/v1/tables/shop.hens/records`, { token })).status).toBe(200)
  const brought = await run(['restore', file, '--table=items', '--as=items_before'], { environment: { ROWHOUSE_DATA_DIR: inside } })
  expect([brought.code, brought.stdout]).toEqual([0, expect.stringContaining('Restored items as items_before: ')])
}, 600_000)

/** Of the list of backups, and of what each start notes. */
const withoutLog = (dump: string) =>
  dump
    .replace(/^COPY rowhouse\.(backups|audit|sessions|tokens|catalog_changes|catalog_version|storage|users) .*?^\\\.$/gms, '')
    .replace(/^SELECT pg_catalog.setval\('rowhouse.*$/gm, '')

test('one table of it comes back into the same database', async () => {
  const uri = await team.createDatabase('one_table')
  await using service = await startService({ environment: { DATABASE_URL: uri } })
  const token = await setUp(service)
  await makePets({ ...service, token })
  await upload({ ...service, token }, 'note', 'as it was')
  const file = join(openFolder(), 'b')
  const given = { environment: { DATABASE_URL: uri, ROWHOUSE_DATA_DIR: service.dataDir } }
  expect((await run(['backup', file], given)).code).toBe(0)
  const brought = await run(['restore', file, '--table=pets', '--as=pets_before'], given)
  expect([brought.code, brought.stdout]).toEqual([0, expect.stringContaining('Restored pets as pets_before: 1 record, 1 attachment')])
  const { records } = (await (await call(`${service.url}/api/v1/tables/pets_before/records`, { token })).json()) as {
    records: { files: { url: string }[] }[]
  }
  expect(await (await call(service.url + records[0]!.files[0]!.url, { token })).text()).toBe('as it was')
}, 600_000)

test('behind PgBouncer it goes by DATABASE_DIRECT_URL, and says so where there is none', async () => {
  const uri = await team.createDatabase('pooled')
  const direct = { DATABASE_URL: uri, ROWHOUSE_DATA_DIR: openFolder() }
  expect((await run(['migrate'], { environment: direct })).code).toBe(0)
  await using bouncer = await startPgBouncer({ uri: readUri(uri) })
  const pooled = 'uri' in bouncer.target ? bouncer.target.uri : null
  const through = `postgres://${login.user}@127.0.0.1:${pooled!.ports[0]}/pooled`
  const environment = { ...direct, DATABASE_URL: through, DATABASE_PREPARE: '0' }
  const file = join(openFolder(), 'b')
  const refused = await run(['backup', file], { environment })
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('Set DATABASE_DIRECT_URL.')])
  const made = await run(['backup', file], { environment: { ...environment, DATABASE_DIRECT_URL: uri } })
  expect([made.code, made.stderr]).toEqual([0, expect.stringContaining('Verified: ')])
}, 600_000)

/** The last one, since it changes the role of all. */
test('a role that is set to read arrays otherwise takes the rows as they are', async () => {
  const { uri, admin } = await usedDatabase(team, 'arrays')
  await admin.unsafe(`set role ${login.user}; create table shop.lists (a text[]); insert into shop.lists values (array['x', null, 'NULL'])`)
  await admin.unsafe(`reset role; alter role ${login.user} set array_nulls = off`)
  const environment = { DATABASE_URL: uri, ...settings, ROWHOUSE_DATA_DIR: openFolder() }
  expect((await run(['migrate'], { environment })).code).toBe(0)
  const file = join(openFolder(), 'b')
  expect((await run(['backup', file], { environment })).code).toBe(0)
  const target = await team.createDatabase('arrays_copy')
  const restored = await run(['restore', file], { environment: { DATABASE_URL: target, ROWHOUSE_DATA_DIR: join(newFolder(), 'data') } })
  expect([restored.code, restored.stdout]).toEqual([0, expect.stringContaining('Restored into arrays_copy')])
  expect((await team.connect('arrays_copy')`select a::text as a from shop.lists`)[0]).toEqual({ a: '{x,NULL,"NULL"}' })
}, 600_000)
