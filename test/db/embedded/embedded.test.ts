import { afterAll, describe, expect, test } from 'bun:test'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Embedded, startEmbedded } from '../../../src/db/embedded/embedded'
import { lockDataDir } from '../../../src/db/embedded/lock'
import { toDataDirPlace } from '../../../src/db/embedded/place'
import { connectDirectly } from '../../../src/db/pool/open'
import { createEvents, type Event } from '../../../src/ops/log/events'
import { readConfig } from '../../../src/ops/settings/config'
import { isAlive, postmasterPid, until } from '../../support/processes'
import { settled } from '../../support/rejection'

const isRoot = process.getuid?.() === 0
const config = readConfig({})
const folders: string[] = []

function newDataDir(): string {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), 'rowhouse-embedded-'))
  folders.push(folder)
  // mkdtemp makes it 0700; as root, PostgreSQL runs as another user, who must get in.
  chmodSync(folder, 0o755)
  return join(folder, 'data')
}

afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

type Started = Embedded & { told: Event[] }

async function start(dataDir: string): Promise<Started> {
  const told: Event[] = []
  const events = createEvents()
  events.subscribe((event) => void told.push(event))
  return { ...(await startEmbedded(readConfig({ ROWHOUSE_DATA_DIR: dataDir }), events)), told }
}

/**
 * A backend that computes and waits for nothing, so it does not notice that its postmaster is gone.
 * @returns its process id
 */
async function startComputing({ target }: Started): Promise<number> {
  const sql = connectDirectly(target, config)
  const [{ pid }] = await sql<[{ pid: number }]>`select pg_backend_pid() as pid`
  sql`select count(*) from generate_series(1, 1000000000000) as n(n) where n < 0`.execute().catch(() => {})
  const other = connectDirectly(target, config)
  await until('it computes', async () => {
    const [row] = await other`select 1 from pg_stat_activity where pid = ${pid} and state = 'active' and wait_event is null`
    return row !== undefined
  })
  await other.end()
  void sql.end({ timeout: 0 }).catch(() => {})
  return pid
}

async function answers({ target }: Started): Promise<unknown> {
  const sql = connectDirectly(target, config)
  try {
    return (await sql`select 1 as one`)[0]?.one
  } finally {
    await sql.end()
  }
}

describe.if(process.platform === 'linux')('a backend that computes', () => {
  test('does not keep PostgreSQL down when the postmaster is killed; what else works in its folder lives', async () => {
    const server = await start(newDataDir())
    const cwd = join(server.dataDir, 'postgres')
    const bystander = Bun.spawn(['sleep', '1000'], { cwd, stdio: ['ignore', 'ignore', 'ignore'] })
    const backend = await startComputing(server)
    process.kill(postmasterPid(server.dataDir), 'SIGKILL')
    await until('PostgreSQL is back', () => server.told.some(({ kind }) => kind === 'database_back'))
    expect([isAlive(backend), bystander.exitCode, bystander.signalCode, await answers(server)]).toEqual([false, null, null, 1])
    bystander.kill()
    await server.stop()
  })

  test('does not keep the next start from succeeding, also where it no longer hears SIGQUIT', async () => {
    const first = await start(newDataDir())
    const backend = await startComputing(first)
    process.kill(backend, 'SIGSTOP')
    const postmaster = postmasterPid(first.dataDir)
    // Stopped first, so that it dies of SIGKILL before it can hear that it is to shut down.
    process.kill(postmaster, 'SIGSTOP')
    const stopped = first.stop()
    process.kill(postmaster, 'SIGKILL')
    await stopped
    expect(isAlive(backend)).toBe(true)
    const second = await start(first.dataDir)
    expect([isAlive(backend), await answers(second)]).toEqual([false, 1])
    await second.stop()
  })
})

test('nobody but its user may hold the lock of a data directory, also of one from an earlier release', async () => {
  const first = await start(newDataDir())
  const lock = join(first.dataDir, 'rowhouse.lock')
  expect(statSync(lock).mode & 0o777).toBe(0o600)
  await first.stop()
  chmodSync(lock, 0o666)
  const second = await start(first.dataDir)
  expect(statSync(lock).mode & 0o777).toBe(0o600)
  await second.stop()
})

test('a start that waited for another process makes again the folders that this one has removed at its end', async () => {
  const place = toDataDirPlace(newDataDir(), null)
  // A database that it refuses, so that nothing is unpacked and made for this question.
  mkdirSync(place.clusterDir, { recursive: true })
  const lock = await lockDataDir(place)
  const waiting = start(place.dataDir)
  // What `stop` does before it lets the data directory go.
  rmSync(place.socketDir, { recursive: true, force: true })
  lock!.release()
  expect(await settled(waiting)).toThrow(place.clusterDir)
  expect(existsSync(place.socketDir)).toBe(true)
})

describe.if(isRoot)('started by root, what PostgreSQL’s user puts in the place of', () => {
  /** As PostgreSQL's user could do it: the folder is theirs. */
  async function prepared() {
    const { dataDir, stop } = await start(newDataDir())
    await stop()
    const cluster = join(dataDir, 'postgres')
    return { dataDir, cluster, owner: statSync(cluster), secret: join(dataDir, '..', 'secret') }
  }

  const keyLine = '  5432001   1234567'
  const secretText = ['1', 'secret of root', '1763000000', '5432', 'another secret', '', keyLine, 'ready'].join('\n')
  const pidFileOf = (cluster: string) => readFileSync(join(cluster, 'postmaster.pid'), 'utf8')

  test.each(['a link', 'a hard link', 'a pipe', 'its own file with other lines'])(
    'postmaster.pid is not read or passed on: %s',
    async (kind) => {
      const { dataDir, cluster, owner, secret } = await prepared()
      const path = join(cluster, 'postmaster.pid')
      writeFileSync(secret, secretText, { mode: 0o600 })
      if (kind === 'a link') symlinkSync(secret, path)
      else if (kind === 'a hard link') Bun.spawnSync(['ln', secret, path])
      else if (kind === 'a pipe') Bun.spawnSync(['mkfifo', path])
      else writeFileSync(path, secretText)
      if (kind === 'a pipe' || kind.startsWith('its own')) chownSync(path, owner.uid, owner.gid)
      // PostgreSQL ends at once without it, and leaves the file as we made it.
      renameSync(join(cluster, 'global'), join(cluster, 'global.away'))
      expect(await settled(start(dataDir))).toThrow('PostgreSQL did not start')
      expect(
        (await Bun.file(path)
          .exists()
          .catch(() => false))
          ? pidFileOf(cluster)
          : '',
      ).not.toContain('secret')
      expect(readFileSync(secret, 'utf8')).toBe(secretText)
    },
  )

  test.each(['a link', 'a pipe', 'an endless device'])('PG_VERSION is neither read nor waited for: %s', async (kind) => {
    const { dataDir, cluster, secret } = await prepared()
    const path = join(cluster, 'PG_VERSION')
    rmSync(path)
    writeFileSync(secret, 'secret of root', { mode: 0o600 })
    if (kind === 'a pipe') Bun.spawnSync(['mkfifo', path])
    else symlinkSync(kind === 'a link' ? secret : '/dev/zero', path)
    const error = await start(dataDir).then(
      () => null,
      ({ message }: Error) => message,
    )
    expect(error).toContain('PG_VERSION')
    expect(error).not.toContain('secret')
  })
})

describe('text', () => {
  test('is sorted as people sort it, by an index, and its indexes are made again for another ICU', async () => {
    const dataDir = newDataDir()
    const first = await start(dataDir)
    const sql = connectDirectly(first.target, config)
    await sql.unsafe(`create table t as select unnest('{Zoo,apple,item 10,item 9,Öl,Äpfel,zebra,Oslo,Item 9}'::text[]) as title;
      insert into t select 'z' || n from generate_series(1, 5000) n; create unique index on t (title); analyze t`)
    const titles = await sql`select title from t where title not similar to 'z[0-9]+' order by title`
    expect(titles.map(({ title }) => title)).toEqual(['Äpfel', 'apple', 'item 9', 'Item 9', 'item 10', 'Öl', 'Oslo', 'zebra', 'Zoo'])
    const plan = await sql`explain select * from t where title > 'item 9' order by title limit 5`
    expect(JSON.stringify(plan)).toContain('Index Only Scan')
    const [made] = await sql`select relfilenode as file from pg_class where relname = 't_title_idx'`
    await sql.unsafe(`update pg_database set datcollversion = '1' where datname = current_database()`)
    await sql.end()
    await first.stop()
    expect(JSON.stringify(first.told)).not.toContain('Indexes')
    const second = await start(dataDir)
    expect(JSON.stringify(second.told)).toContain('Indexes are made again')
    const again = connectDirectly(second.target, config)
    const [index] = await again`select relfilenode as file from pg_class where relname = 't_title_idx'`
    expect(index!.file).not.toBe(made!.file)
    await again.end()
    await second.stop()
    const third = await start(dataDir)
    expect(JSON.stringify(third.told)).not.toContain('Indexes')
    await third.stop()
  })
})
