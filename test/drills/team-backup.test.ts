import { expect, test } from 'bun:test'
import { copyFileSync, existsSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import postgres from 'postgres'
import { dryRun, openFolder } from '../support/backups'
import { newFolder, run } from '../support/executable'
import { login, startPostgres } from '../support/postgres'
import { until } from '../support/processes'
import { usedDatabase } from '../support/team-database'
import { startTeamPostgres } from '../support/team-postgres'

const settings = { ROWHOUSE_SCHEMAS: 'shop,Odd "Schema' }

test('under four writers it is of one moment', async () => {
  await using team = await startTeamPostgres()
  const { uri, admin } = await usedDatabase(team, 'team')
  const environment = { DATABASE_URL: uri, ROWHOUSE_SCHEMAS: 'shop', ROWHOUSE_DATA_DIR: openFolder() }
  expect((await run(['migrate'], { environment })).code).toBe(0)
  await admin.unsafe(`set role ${login.user}`)
  await admin.unsafe(`create table shop.accounts (id int primary key, amount bigint not null);
    insert into shop.accounts select i, 1000 from generate_series(1, 50) i;
    create table shop.transfers (id bigint generated always as identity primary key, from_id int references shop.accounts, to_id int references shop.accounts,
      amount int, previous bigint references shop.transfers, filler text default repeat('x', 300))`)
  let isWanted = true
  let transfers = 0
  const writers = Array.from({ length: 4 }, async () => {
    const sql = team.connect('team')
    let last: string | null = null
    while (isWanted) {
      const [from, to] = [1, 2].map(() => 1 + Math.floor(Math.random() * 50)) as [number, number]
      last = await sql.begin(async (tx) => {
        await tx`select from shop.accounts where id in (${from}, ${to}) order by id for update`
        await tx`update shop.accounts set amount = amount - 1 where id = ${from}`
        await tx`update shop.accounts set amount = amount + 1 where id = ${to}`
        const [row] = await tx<
          { id: string }[]
        >`insert into shop.transfers (from_id, to_id, amount, previous) values (${from}, ${to}, 1, ${last}) returning id`
        return row!.id
      })
      transfers++
    }
  })
  const file = join(openFolder(), 'team.tar.zst')
  await Bun.sleep(300)
  const before = transfers
  const { code, stderr } = await run(['backup', file], { environment })
  const meanwhile = transfers - before
  isWanted = false
  await Promise.all(writers)
  expect([code, stderr]).toEqual([0, expect.stringContaining('Verified: ')])
  expect(meanwhile).toBeGreaterThan(0)
  const target = await team.createDatabase('other')
  const restored = await run(['restore', file], { environment: { DATABASE_URL: target, ROWHOUSE_DATA_DIR: join(newFolder(), 'data') } })
  expect([restored.code, restored.stderr]).toEqual([0, expect.stringContaining('Restoring')])
  const [row] = await team.connect('other')<{ total: string; drift: string; transfers: string; next: boolean }[]>`
    select (select sum(amount) from shop.accounts)::text as total, (select count(*) from shop.transfers)::text as transfers,
      (select count(*) from shop.accounts a where amount <> 1000
        - (select count(*) from shop.transfers where from_id = a.id) + (select count(*) from shop.transfers where to_id = a.id))::text as drift,
      nextval('shop.transfers_id_seq') > (select max(id) from shop.transfers) as next`
  expect(row).toMatchObject({ total: '50000', drift: '0', next: true })
  expect(Number(row!.transfers)).toBeGreaterThanOrEqual(before)
  expect(Number(row!.transfers)).toBeLessThanOrEqual(transfers)
}, 600_000)

test('changed and missing bytes are noticed, with a passphrase and without', async () => {
  await using team = await startTeamPostgres()
  const { uri } = await usedDatabase(team, 'team')
  const environment = { DATABASE_URL: uri, ...settings, ROWHOUSE_DATA_DIR: openFolder() }
  expect((await run(['migrate'], { environment })).code).toBe(0)
  const target = await team.createDatabase('other')
  const passphrase = join(openFolder(), 'passphrase')
  writeFileSync(passphrase, 'a secret\n', { mode: 0o644 })
  for (const flags of [[], [`--passphrase-file=${passphrase}`]]) {
    const file = join(openFolder(), 'b')
    expect((await run(['backup', file, ...flags], { environment })).code).toBe(0)
    const bytes = readFileSync(file)
    const turns = 40
    for (let turn = 0; turn < turns; turn++) {
      const damaged = join(openFolder(), 'damaged')
      if (turn % 2 === 0) {
        const changed = Buffer.from(bytes)
        const at = Math.floor((bytes.length * (turn + 0.5)) / turns)
        changed[at] = changed[at]! ^ (1 << (turn % 8))
        writeFileSync(damaged, changed)
      } else {
        copyFileSync(file, damaged)
        truncateSync(damaged, Math.floor((bytes.length * turn) / turns))
      }
      const dataDir = join(newFolder(), 'data')
      const checked = await dryRun(damaged, flags)
      const restored = await run(['restore', damaged, ...flags], { environment: { DATABASE_URL: target, ROWHOUSE_DATA_DIR: dataDir } })
      // Of an encrypted one the first lines are the passphrase's, which is refused as a wrong one.
      const codes = flags.length > 0 ? [1, 3] : [3]
      expect(codes).toContain(checked.code as number)
      expect(codes).toContain(restored.code as number)
      expect(existsSync(dataDir) ? readdirSync(dataDir) : []).toEqual([])
    }
    const restored = await run(['restore', file, ...flags], {
      environment: { DATABASE_URL: target, ROWHOUSE_DATA_DIR: join(newFolder(), 'data') },
    })
    expect(restored.code).toBe(0)
    await team.connect('postgres').unsafe(`drop database other`)
    await team.createDatabase('other')
  }
  expect(readdirSync(environment.ROWHOUSE_DATA_DIR).filter((name) => name.startsWith('rowhouse-scratch'))).toEqual([])
}, 600_000)

test('a role whose transactions end soon backs up all the same', async () => {
  await using server = await startPostgres()
  const uri = await server.createDatabase('team')
  const environment = { DATABASE_URL: uri, ROWHOUSE_DATA_DIR: openFolder() }
  expect((await run(['migrate'], { environment })).code).toBe(0)
  const sql = postgres(uri, { max: 1 })
  await sql`create table data.held (a int) partition by list (a)`
  await sql`begin`
  // Only the copy itself waits for a partitioned table, and is older than the limit when it goes on.
  await sql`lock table data.held`
  await server.admin.unsafe(`alter role ${login.user} set transaction_timeout = '5s'`)
  const backup = run(['backup', join(openFolder(), 'b')], { environment })
  const isOld = async () =>
    (
      await server.admin`select from pg_stat_activity
        where usename = ${login.user} and state = 'idle in transaction' and query not like 'lock table%' and xact_start < now() - interval '6 seconds'`
    ).length > 0
  await until(
    'the backup is older than the limit',
    isOld,
    backup.then(({ code, stderr }) => `${code}: ${stderr}`),
  )
  await sql`commit`
  await sql.end()
  expect(await backup).toMatchObject({ code: 0, stderr: expect.stringContaining('Verified: ') })
}, 600_000)
