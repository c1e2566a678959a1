import { describe, expect, test } from 'bun:test'
import { spawn, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import postgres from 'postgres'
import { json } from '../support/app'
import { call, executable, newFolder, run, type Service, startService } from '../support/executable'
import { makePets, type Stored, upload } from '../support/pets'
import { until, wasShutDown } from '../support/processes'
import { mayMountDisk, withSmallDisk } from '../support/small-disk'
import { startUsed, usedDataDir } from '../support/used-data'

const on = (dataDir: string, more: Record<string, string> = {}) => ({
  environment: { ROWHOUSE_DATA_DIR: dataDir, ...more },
  limitMs: 60_000,
})

const backup = (dataDir: string, file: string, more?: Record<string, string>) => run(['backup', file], on(dataDir, more))
const restore = (file: string, dataDir: string) => run(['restore', file], on(dataDir))

const items = '/api/v1/tables/items/records'

/** Writes records and files until it is told to stop, and remembers what was acknowledged. */
function startWrites(service: { url: string; token: string }) {
  const load = {
    numbers: [] as number[],
    files: [] as { file: Stored; text: string }[],
    isWanted: true,
    done: Promise.resolve<unknown>(null),
  }
  const write = async (caller: number) => {
    for (let count = 0; load.isWanted; count++) {
      const number = caller * 1_000_000 + count
      const answer = await call(service.url + items, { token: service.token, body: { number, note: 'x'.repeat(2000) } })
      if (answer.status === 201) load.numbers.push(number)
    }
  }
  const send = async () => {
    for (let count = 0; load.isWanted; count++) {
      const text = `${count} `.repeat(20_000)
      const answer = await upload(service, `file-${count}`, text)
      if (answer.status === 201) load.files.push({ file: ((await answer.json()) as [Stored])[0], text })
    }
  }
  load.done = Promise.all([write(1), write(2), write(3), send()])
  return load
}

/** What a backup under way leaves in PostgreSQL. */
async function held({ dataDir }: Pick<Service, 'dataDir'>): Promise<number> {
  const sql = postgres({ path: join(dataDir, 'run/.s.PGSQL.5432'), user: 'rowhouse', database: 'rowhouse', max: 1 })
  const [row] = await sql`select count(*)::int as count from pg_replication_slots`
  await sql.end()
  return row!.count
}

const environment = { ROWHOUSE_MAX_CELL_FILES: '1000' }

describe('a backup', () => {
  test('under constant writes holds every write that was acknowledged before it, and every file whole', async () => {
    const file = join(newFolder(), 'all.tar.zst')
    const before = { numbers: [] as number[], files: [] as { file: Stored; text: string }[] }
    const restored = join(newFolder(), 'deep/data')
    let token = ''
    {
      await using service = await startUsed({ environment })
      token = service.token
      await makePets(service)
      const load = startWrites(service)
      await until('writes are under way', () => load.numbers.length > 100 && load.files.length > 5, 20_000)
      before.numbers = [...load.numbers]
      before.files = [...load.files]
      const { code, stdout, stderr } = await backup(service.dataDir, file)
      const { length } = load.numbers
      load.isWanted = false
      await load.done
      expect([code, stdout]).toEqual([0, ''])
      expect(stderr).toMatch(
        /all\.tar\.zst: \d+\.\d MB \(database \d+\.\d MB, \d+ files \d+\.\d MB\) in \d+\.\d s\.\nTried out: .*2 tables, /,
      )
      // It was a backup under writes, and nobody waited for it.
      expect(length).toBeGreaterThan(before.numbers.length + 50)
      expect(await held(service)).toBe(0)
      expect(readdirSync(service.dataDir).filter((name) => name.startsWith('proof'))).toEqual([])
    }
    expect(statSync(file).mode & 0o777).toBe(0o600)
    const { code, stdout } = await restore(file, restored)
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^Restored into .*: 2 tables, \d+ records, 1 user, \d+ attachments\.\n/)])
    expect(wasShutDown(restored)).toBe(true)
    await using service = await startService({ dataDir: restored, environment })
    const { totalCount } = await json(call(`${service.url}${items}?count=exact&limit=1&number=in.(${before.numbers})`, { token }))
    expect(totalCount).toBe(before.numbers.length)
    for (const { file: sent, text } of before.files) {
      const answer = await call(service.url + sent.url, { token })
      expect([answer.status, (await answer.text()) === text]).toEqual([200, true])
    }
    const check = await run(['files', 'check'], on(restored))
    expect([check.code, check.stdout]).toEqual([0, expect.stringContaining('all as they came')])
    expect((await call(`${service.url}${items}`, { token, body: { number: 1 } })).status).toBe(201)
  }, 120_000)

  test('of a stopped service is whole, and leaves it stopped; anybody can look into it', async () => {
    const { dataDir } = await usedDataDir()
    const custom = 'work_mem = 7MB\n'
    writeFileSync(join(dataDir, 'conf/custom.conf'), custom)
    const file = join(newFolder(), 'stopped.tar.zst')
    expect((await backup(dataDir, file)).code).toBe(0)
    expect(wasShutDown(dataDir)).toBe(true)
    const listed = spawnSync('tar', ['--zstd', '-tf', file], { encoding: 'utf8' }).stdout.trim().split('\n')
    expect([listed[0], listed.at(-1)]).toEqual(['rowhouse-backup.json', 'rowhouse-backup.list'])
    expect(listed).toContain('postgres/backup_label')
    expect(listed.filter((name) => /postmaster|runtime|setup-code|pg_stat_tmp\/./.test(name))).toEqual([])
    const restored = join(newFolder(), 'data')
    expect((await restore(file, restored)).code).toBe(0)
    expect(await Bun.file(join(restored, 'conf/custom.conf')).text()).toBe(custom)
    const users = await run(['users', 'list'], on(restored))
    expect(users.stdout).toStartWith('ada@example.org\tadmin\tactive')
  }, 60_000)

  test('goes through pipes', async () => {
    const { dataDir } = await usedDataDir()
    const restored = join(newFolder(), 'data')
    const script = `"$0" backup - --data-dir="$1" | "$0" restore - --data-dir="$2"`
    const { status, stdout, stderr } = spawnSync('sh', ['-c', script, executable(), dataDir, restored], {
      encoding: 'utf8',
      cwd: newFolder(),
    })
    expect([status, stdout]).toEqual([0, expect.stringContaining('1 table, 0 records, 1 user, 0 attachments.')])
    expect(stderr).toContain('not tried out')
  }, 60_000)

  test('and a restore work for an ordinary user', async () => {
    const folder = newFolder()
    chmodSync(folder, 0o777)
    const dataDir = join(folder, 'data')
    await using service = await startService({ dataDir, asNobody: true, cwd: folder })
    const as = { ...on(dataDir), cwd: folder, asNobody: true }
    expect((await run(['backup', 'mine'], as)).code).toBe(0)
    const restored = join(folder, 'again')
    expect((await run(['restore', 'mine', `--data-dir=${restored}`], as)).code).toBe(0)
    await service.stop()
    await using again = await startService({ dataDir: restored, asNobody: true, cwd: folder })
    expect((await call(`${again.url}/readyz`)).status).toBe(200)
  }, 60_000)

  test('whose attachments are in a bucket says that they are not in it', async () => {
    const { dataDir } = await usedDataDir()
    const file = join(newFolder(), 'b')
    const s3 = { S3_BUCKET: 'attic', S3_ACCESS_KEY_ID: 'a', S3_SECRET_ACCESS_KEY: 'b', S3_ENDPOINT: 'http://127.0.0.1:9' }
    const made = await backup(dataDir, file, s3)
    expect([made.code, made.stderr]).toEqual([0, expect.stringContaining('the bucket attic is not in it')])
    expect((await restore(file, join(newFolder(), 'data'))).stdout).toContain('set S3_BUCKET as before')
  }, 60_000)

  test('that lacks a file is called otherwise, and says which', async () => {
    await using service = await startUsed()
    await makePets(service)
    const [stored] = (await (await upload(service, 'a.txt', 'hello')).json()) as [Stored]
    const path = join(service.dataDir, 'files', stored.id.slice(-4, -2), stored.id.slice(-2), stored.id)
    const folder = newFolder()
    for (const spoil of [() => writeFileSync(path, 'HELLO'), () => rmSync(path)]) {
      spoil()
      const { code, stderr } = await backup(service.dataDir, join(folder, 'b'))
      expect([code, stderr]).toEqual([
        1,
        expect.stringContaining(`1 of the attachments that the database knows are not in the backup as they came, a.txt (${stored.id})`),
      ])
      expect(readdirSync(folder)).toEqual(['b.unproven'])
    }
  }, 60_000)
})

describe('nothing is left, in the folder and in PostgreSQL', () => {
  test.each(['while it is written', 'while it is tried out', 'while nobody reads it'])(
    'of a backup that is interrupted %s',
    async (moment) => {
      await using service = await startUsed()
      const folder = newFolder()
      const isPiped = moment === 'while nobody reads it'
      const args = ['backup', isPiped ? '-' : join(folder, 'b'), `--data-dir=${service.dataDir}`]
      const child = spawn(executable(), args, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] })
      let errors = ''
      child.stderr.on('data', (chunk) => {
        errors += chunk
      })
      const ended = new Promise((done) => child.once('exit', done))
      const isTried = () => readdirSync(service.dataDir).some((name) => name.startsWith('proof'))
      const hasBegun: Record<string, () => boolean | Promise<boolean>> = {
        'while it is written': () => existsSync(join(folder, 'b.part')),
        'while it is tried out': isTried,
        'while nobody reads it': async () => (await held(service)) === 1,
      }
      await until(moment, hasBegun[moment]!, 20_000)
      child.kill('SIGINT')
      expect(await ended).toBe(1)
      expect(errors).toEndWith('rowhouse: Interrupted; nothing was left behind.\n')
      expect([readdirSync(folder), isTried(), await held(service)]).toEqual([[], false, 0])
      expect((await call(`${service.url}/readyz`)).status).toBe(200)
    },
    60_000,
  )

  test('of a backup whose service stops meanwhile', async () => {
    const service = await startUsed()
    const folder = newFolder()
    const child = spawn(executable(), ['backup', '-', `--data-dir=${service.dataDir}`], { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] })
    let errors = ''
    child.stderr.on('data', (chunk) => {
      errors += chunk
    })
    const ended = new Promise((done) => child.once('exit', done))
    await until('it is under way', async () => (await held(service)) === 1, 20_000)
    await service.stop()
    child.stdout.resume()
    expect(await ended).toBe(1)
    expect(errors).toStartWith('rowhouse: The database stopped while it was copied')
  }, 60_000)

  describe.if(mayMountDisk())('of a full disk', () => {
    test('by a backup and by a restore', async () => {
      const { dataDir } = await usedDataDir()
      const file = join(newFolder(), 'b')
      expect((await backup(dataDir, file)).code).toBe(0)
      await withSmallDisk('1m', async (disk) => {
        const { code, stderr } = await backup(dataDir, join(disk, 'b'))
        expect([code, stderr, readdirSync(disk)]).toEqual([1, expect.stringContaining('is full'), []])
      })
      await withSmallDisk('20m', async (disk) => {
        const { code, stderr } = await restore(file, disk)
        expect([code, stderr, readdirSync(disk)]).toEqual([1, expect.stringContaining('is full'), []])
      })
      await withSmallDisk('300m', async (disk) => {
        // A volume, which cannot be renamed into.
        expect((await restore(file, disk)).code).toBe(0)
      })
    }, 60_000)
  })
})

describe('is refused in a sentence', () => {
  test('a file that is there, one that is being written, and a folder that is not', async () => {
    const { dataDir } = await usedDataDir()
    const folder = newFolder()
    writeFileSync(join(folder, 'old'), 'old')
    writeFileSync(join(folder, 'half.part'), '')
    for (const [name, sentence] of [
      ['old', 'is there already; a backup is never written over another file'],
      ['half', 'half.part is there: another backup is being written to it, or was killed'],
      ['away/b', 'away/b.part cannot be written: no such file or directory.'],
    ] as const) {
      const { code, stderr } = await backup(dataDir, join(folder, name))
      expect([code, stderr]).toEqual([1, expect.stringContaining(sentence)])
    }
    expect(readdirSync(folder).sort()).toEqual(['half.part', 'old'])
    expect(await Bun.file(join(folder, 'old')).text()).toBe('old')
  }, 60_000)

  test('a folder without a database', async () => {
    const { code, stderr } = await backup(join(newFolder(), 'data'), join(newFolder(), 'b'))
    expect([code, stderr]).toEqual([1, expect.stringContaining('There is no database in')])
  })

  test.each(['backup', 'restore'])('%s of a database of one’s own', async (command) => {
    const given = { environment: { DATABASE_URL: 'postgres://u:hunter2@127.0.0.1:9/d' }, cwd: newFolder() }
    const { code, stderr } = await run([command, 'b'], given)
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(
        /backed up and restored by its own tools \(pg_dump .*Copy the database first and the folder .*\/files afterwards/,
      ),
    ])
    expect(stderr).not.toContain('hunter2')
    expect(readdirSync(given.cwd)).toEqual([])
    expect((await run([command])).stderr).toContain(`Usage: rowhouse ${command} FILE`)
  })
})
