import { describe, expect, test } from 'bun:test'
import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ask, backUp, dryRun, heldBy, openFolder, restoreFrom, scratchIn } from '../support/backups'
import { isDrilling } from '../support/drill'
import { call, newFolder, run, startService } from '../support/executable'
import { makePets, type Stored, upload } from '../support/pets'
import { until, wasShutDown } from '../support/processes'
import { untilReadyz } from '../support/ready'
import { isRoot } from '../support/scratch'
import { startUsed, usedDataDir } from '../support/used-data'
import { startWriteLoad, storedNumbers } from '../support/write-load'

const items = '/api/v1/tables/items/records'
const environment = { ROWHOUSE_MAX_CELL_FILES: '1000' }

describe('a backup', () => {
  test('under constant writes has every write that was acknowledged before it, and every file whole', async () => {
    const file = join(openFolder(), 'all.tar.zst')
    const files: { file: Stored; text: string }[] = []
    const restored = join(newFolder(), 'deep/data')
    let token = ''
    let before: number[] = []
    {
      await using service = await startUsed({ environment })
      token = service.token
      await makePets(service)
      const load = startWriteLoad(service.url, token, 3)
      let isWanted = true
      const sending = (async () => {
        // Pauses that grow, so that a copy of low priority comes to an end.
        for (let count = 0; isWanted && count < 200; count++, await Bun.sleep(10 * count)) {
          const text = `${count} `.repeat(20_000)
          const answer = await upload(service, `file-${count}`, text)
          if (answer.status === 201) files.push({ file: ((await answer.json()) as [Stored])[0], text })
        }
      })()
      await until('writes are under way', () => load.acknowledged.length > 100 && files.length > 5)
      before = [...load.acknowledged]
      const sent = [...files]
      const { code, stdout, stderr } = await backUp(service.dataDir, file)
      const { length } = load.acknowledged
      isWanted = false
      await Promise.all([load.stop(), sending])
      files.splice(0, files.length, ...sent)
      expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: '', stderr: expect.stringContaining('Backed up: ') })
      expect(stderr).toMatch(/all\.tar\.zst, \d+\.\d MB in \d+\.\d s: 2 tables, \d+ records, 1 user, \d+ attachments\.\nVerified: /)
      // It was a backup under writes, and nobody waited for it.
      expect(length).toBeGreaterThan(before.length)
      expect(load.refused).toEqual([])
      expect(await heldBy(service)).toEqual({ slots: 0, sessions: 0 })
      expect(scratchIn(service.dataDir)).toEqual([])
    }
    expect(statSync(file).mode & 0o777).toBe(0o600)
    const { code, stdout } = await restoreFrom(file, restored)
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^Restored into .*: 2 tables, \d+ records, 1 user, \d+ attachments\.\n/)])
    expect(wasShutDown(restored)).toBe(true)
    await using service = await startService({ dataDir: restored, environment })
    const stored = await storedNumbers(service.url, token)
    expect(before.filter((number) => !stored.has(number))).toEqual([])
    for (const { file: sent, text } of files) {
      const answer = await call(service.url + sent.url, { token })
      expect([answer.status, (await answer.text()) === text]).toEqual([200, true])
    }
    const check = await run(['files', 'check'], { environment: { ROWHOUSE_DATA_DIR: restored } })
    expect([check.code, check.stdout]).toEqual([0, expect.stringContaining('all intact')])
    expect((await call(`${service.url}${items}`, { token, body: { number: 1 } })).status).toBe(201)
  }, 600_000)

  test('of a stopped service is whole and leaves it stopped; tar lists it; --quiet says nothing', async () => {
    const { dataDir } = await usedDataDir()
    const custom = 'work_mem = 7MB\n'
    writeFileSync(join(dataDir, 'conf/custom.conf'), custom)
    const folder = openFolder()
    expect(await backUp(dataDir, `${folder}/`, ['--quiet'])).toEqual({ code: 0, stdout: '', stderr: '' })
    expect(wasShutDown(dataDir)).toBe(true)
    const [name = ''] = readdirSync(folder)
    expect(name).toMatch(/^rowhouse-\d{8}T\d{6}Z\.tar\.zst$/)
    const file = join(folder, name)
    const { status, stdout } = spawnSync('tar', ['--zstd', '-tf', file], { encoding: 'utf8' })
    const listed = stdout.trim().split('\n')
    expect([status, listed[0]]).toEqual([0, 'rowhouse-backup.json'])
    expect(listed).toContain('postgres/backup_label')
    expect(listed.filter((entry) => /postmaster|runtime|setup-code|pg_stat_tmp\/./.test(entry))).toEqual([])
    const dry = await dryRun(file)
    expect([dry.code, dry.stdout]).toEqual([
      0,
      expect.stringMatching(/^Made .*\n1 table, 0 records, 1 user, 0 attachments; .*\nIt is intact/),
    ])
    const restored = join(newFolder(), 'data')
    expect(await restoreFrom(file, restored, ['--quiet'])).toEqual({ code: 0, stdout: '', stderr: '' })
    expect(readFileSync(join(restored, 'conf/custom.conf'), 'utf8')).toBe(custom)
    const users = await run(['users', 'list'], { environment: { ROWHOUSE_DATA_DIR: restored } })
    expect(users.stdout).toStartWith('ada@example.org\tadmin\tactive')
  }, 600_000)

  test('that is encrypted shows nothing without its passphrase, and is restored with it', async () => {
    const { dataDir } = await usedDataDir()
    const folder = openFolder()
    const secret = join(newFolder(), 'passphrase')
    writeFileSync(secret, 'correct horse battery staple\n', { mode: 0o600 })
    const wrong = join(newFolder(), 'wrong')
    writeFileSync(wrong, 'incorrect\n')
    expect((await backUp(dataDir, folder, [`--passphrase-file=${secret}`])).code).toBe(0)
    const [name = ''] = readdirSync(folder)
    expect(name).toEndWith('.tar.zst.age')
    const file = join(folder, name)
    expect(readFileSync(file).subarray(0, 21).toString()).toBe('age-encryption.org/v1')
    for (const [more, sentence] of [
      [[], 'This backup is encrypted'],
      [[`--passphrase-file=${wrong}`], 'The passphrase is not that of this backup'],
      [['--passphrase-file=/nowhere'], 'names a file that cannot be read'],
    ] as const) {
      const target = join(newFolder(), 'data')
      for (const { code, stderr } of [await dryRun(file, [...more]), await restoreFrom(file, target, [...more])])
        expect([code, stderr]).toEqual([1, expect.stringContaining(sentence)])
    }
    const restored = join(newFolder(), 'data')
    const { code, stdout } = await restoreFrom(file, restored, [`--passphrase-file=${secret}`])
    expect([code, stdout]).toEqual([0, expect.stringContaining('1 table, 0 records, 1 user')])
    for (const change of [(length: number) => length - 1, (length: number) => Math.floor(length / 2)]) {
      truncateSync(file, change(statSync(file).size))
      const cut = await dryRun(file, [`--passphrase-file=${secret}`])
      expect([cut.code, cut.stderr]).toEqual([3, expect.stringContaining('damaged or was cut off')])
    }
  }, 600_000)

  test('and a restore work for an ordinary user', async () => {
    const folder = newFolder()
    chmodSync(folder, 0o777)
    const dataDir = join(folder, 'data')
    await using service = await startService({ dataDir, asNobody: true, cwd: folder })
    const as = { environment: { ROWHOUSE_DATA_DIR: dataDir }, cwd: folder, asNobody: true }
    expect((await run(['backup', 'mine'], as)).code).toBe(0)
    const restored = join(folder, 'again')
    expect((await run(['restore', 'mine', `--data-dir=${restored}`], as)).code).toBe(0)
    await service.stop()
    await using again = await startService({ dataDir: restored, asNobody: true, cwd: folder })
    await untilReadyz(again)
  }, 600_000)

  test('whose attachments are in a bucket says that they are not in it', async () => {
    const { dataDir } = await usedDataDir()
    const file = join(openFolder(), 'b')
    const s3 = { S3_BUCKET: 'attic', S3_ACCESS_KEY_ID: 'a', S3_SECRET_ACCESS_KEY: 'b', S3_ENDPOINT: 'http://127.0.0.1:9' }
    const made = await backUp(dataDir, file, [], s3)
    expect([made.code, made.stderr]).toEqual([0, expect.stringContaining('in the bucket attic and not in the backup')])
    expect((await restoreFrom(file, join(newFolder(), 'data'))).stdout).toContain('set S3_BUCKET as before')
  }, 600_000)
})

describe('a backup of another version', () => {
  test('that is newer is refused by restore, and described by --dry-run', async () => {
    const service = await startUsed()
    const columns = `(position, name, hash) select max(position) + 1, '9999_from_the_future', 'x' from rowhouse.migrations`
    await ask(service, `insert into rowhouse.migrations ${columns}`)
    const file = join(openFolder(), 'newer')
    expect((await backUp(service.dataDir, file)).code).toBe(0)
    await service.stop()
    const restored = join(newFolder(), 'deep/data')
    const { code, stderr } = await restoreFrom(file, restored)
    expect([code, stderr]).toEqual([1, expect.stringContaining('which is newer than this one')])
    expect(existsSync(join(restored, 'postgres'))).toBe(false)
    const dry = await dryRun(file)
    expect([dry.code, dry.stdout, dry.stderr]).toEqual([1, expect.stringContaining('It is intact'), expect.stringContaining('newer')])
  }, 600_000)
})

describe('a backup that is not intact has another name, and says why:', () => {
  test('an attachment that is missing or altered', async () => {
    await using service = await startUsed()
    await makePets(service)
    const [stored] = (await (await upload(service, 'a.txt', 'hello')).json()) as [Stored]
    const path = join(service.dataDir, 'files', stored.id.slice(-4, -2), stored.id.slice(-2), stored.id)
    for (const spoil of [() => writeFileSync(path, 'HELLO'), () => rmSync(path)]) {
      spoil()
      const folder = openFolder()
      const { code, stderr } = await backUp(service.dataDir, join(folder, 'b'))
      const sentence = `1 attachments of the database are missing or altered in the backup, a.txt (${stored.id})`
      expect([code, stderr]).toEqual([3, expect.stringContaining(sentence)])
      expect(readdirSync(folder)).toEqual(['b.unproven'])
      const again = await backUp(service.dataDir, join(folder, 'b'))
      expect([again.code, again.stderr]).toEqual([1, expect.stringMatching(/1 attachments .*b\.unproven already exists/s)])
      expect(readdirSync(folder)).toEqual(['b.unproven'])
    }
  }, 600_000)

  test.each(isDrilling ? ['table', 'index'] : ['table'])(
    'a damaged page of a %s',
    async (kind) => {
      const service = await startUsed()
      const { dataDir, token } = service
      expect((await call(`${service.url}${items}`, { token, body: { number: 1, note: 'x'.repeat(1000) } })).status).toBe(201)
      const relation =
        kind === 'table' ? `'data.items'::regclass` : `(select indexrelid from pg_index where indrelid = 'data.items'::regclass limit 1)`
      const [found] = await ask<{ path: string }>(service, `select pg_relation_filepath(${relation}) as path`)
      await service.stop()
      const path = join(dataDir, 'postgres', found!.path)
      const bytes = readFileSync(path)
      bytes[8000]! ^= 1
      writeFileSync(path, bytes)
      const folder = openFolder()
      const { code, stderr } = await backUp(dataDir, join(folder, 'b'))
      expect([code, stderr]).toEqual([3, expect.stringMatching(/The backup is not intact.*Pages of the database are damaged: /s)])
      expect(readdirSync(folder)).toEqual(['b.unproven'])
      expect(scratchIn(dataDir)).toEqual([])
    },
    600_000,
  )
})

test('a GIN index is checked, too: whole ones pass, and one in another order is named', async () => {
  await using service = await startUsed()
  const { dataDir } = service
  await ask(
    service,
    `create function data.compared(text, text) returns int immutable strict language sql return bttextcmp($1, $2);
    create operator class data.words for type text[] using gin as operator 1 &&(anyarray, anyarray),
      function 1 data.compared(text, text), function 2 ginarrayextract(anyarray, internal),
      function 3 ginqueryarrayextract(anyarray, internal, smallint, internal, internal, internal, internal),
      function 4 ginarrayconsistent(internal, smallint, anyarray, integer, internal, internal, internal, internal), storage text;
    create table data.listed as select array[(n % 50)::text, 'all'] as words from generate_series(1, 20000) n;
    create index listed_plain on data.listed using gin (words);
    create index listed_words on data.listed using gin (words data.words)`,
  )
  const folder = openFolder()
  expect(await backUp(dataDir, join(folder, 'whole'))).toMatchObject({ code: 0 })
  await ask(
    service,
    'create or replace function data.compared(text, text) returns int immutable strict language sql return bttextcmp($2, $1)',
  )
  const { code, stderr } = await backUp(dataDir, join(folder, 'other'))
  expect([code, stderr]).toEqual([3, expect.stringMatching(/The index data\.listed_words is damaged: /)])
}, 600_000)

describe('is refused in a sentence', () => {
  test('a file that is there, a folder that is not, and one of somebody else', async () => {
    const { dataDir } = await usedDataDir()
    const folder = openFolder()
    writeFileSync(join(folder, 'old'), 'old')
    for (const [name, sentence] of [
      ['old', 'already exists; a backup never overwrites another file'],
      ['away/b', 'away cannot be read: no such file or directory.'],
    ] as const) {
      const { code, stderr } = await backUp(dataDir, join(folder, name))
      expect([code, stderr]).toEqual([1, expect.stringContaining(sentence)])
    }
    expect(readdirSync(folder)).toEqual(['old'])
    expect(readFileSync(join(folder, 'old'), 'utf8')).toBe('old')
    for (const mode of [0o755, 0o700]) {
      const closed = newFolder()
      chmodSync(closed, mode)
      const { code, stderr } = await run(['backup', join(closed, 'b')], { environment: { ROWHOUSE_DATA_DIR: dataDir } })
      if (process.getuid?.() === 0)
        expect([code, stderr]).toEqual([1, expect.stringContaining('is closed to the user who runs the service')])
    }
    for (const own of ['postgres', 'files/']) {
      const { code, stderr } = await backUp(dataDir, join(dataDir, own, 'b'))
      expect([code, stderr]).toEqual([1, expect.stringMatching(/belongs to the database that is backed up. Choose a folder outside/)])
    }
    expect(await backUp(dataDir, 's3://bucket/b')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('needs S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY'),
    })
    for (const more of [[], ['--dry-run']]) {
      expect(await restoreFrom(folder, join(newFolder(), 'data'), more)).toMatchObject({
        code: 1,
        stderr: `rowhouse: ${folder} is not a file. Name the backup itself.\n`,
      })
    }
    expect(existsSync(join(dataDir, 'restoring'))).toBe(false)
  }, 600_000)

  test('a file among those of PostgreSQL that it cannot read, and one that no tar has a name for', async () => {
    const { dataDir } = await usedDataDir()
    const folder = openFolder()
    for (const [name, mode, sentence] of [
      ['n'.repeat(95), 0o644, /nnn is too long for a backup; PostgreSQL has no such names/],
      ...(isRoot
        ? [['secret', 0o600, /PostgreSQL could not copy its folder: could not open file ".\/secret": Permission denied/] as const]
        : []),
    ] as const) {
      const path = join(dataDir, 'postgres', name)
      writeFileSync(path, 'x', { mode })
      const { code, stderr } = await backUp(dataDir, join(folder, 'b'))
      rmSync(path)
      expect([code, stderr, readdirSync(folder)]).toEqual([1, expect.stringMatching(sentence), []])
    }
  }, 600_000)

  test('a folder without a database', async () => {
    const { code, stderr } = await backUp(join(newFolder(), 'data'), join(newFolder(), 'b'))
    expect([code, stderr]).toEqual([1, expect.stringContaining('There is no database in')])
  })

  test('a flag of another command', async () => {
    expect(await run(['backup', 'b', '--dry-run'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('rowhouse backup takes no --dry-run'),
    })
  })

  test.each([
    ['ROWHOUSE_PASSPHRASE_FILE', [], { ROWHOUSE_PASSPHRASE_FILE: '/nowhere' }],
    ['--passphrase-file', ['--passphrase-file=/nowhere'], {}],
  ] as const)('a passphrase that cannot be read, by the name that was used: %s', async (name, flags, environment) => {
    const { code, stderr } = await run(['backup', 'b', ...flags], { environment })
    expect([code, stderr]).toEqual([1, expect.stringContaining(`rowhouse: ${name} names a file that cannot be read`)])
  })

  test.each(['backup', 'restore'])('%s without a file, and with one that is not there', async (command) => {
    expect(await run([command])).toMatchObject({ code: 2, stderr: expect.stringContaining(`Usage: rowhouse ${command} FILE`) })
    if (command === 'restore') expect((await run([command, '--dry-run', 'b'])).stderr).toContain('b cannot be read: no such file')
  })
})
