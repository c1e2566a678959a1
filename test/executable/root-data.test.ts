import { describe, expect, test } from 'bun:test'
import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  closeSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { tryLock } from '../../src/db/embedded/libc'
import { json } from '../support/app'
import { call, copyFolder, newFolder, run, type Service, startService } from '../support/executable'
import { makePets, type Stored, upload } from '../support/pets'
import { startPostgres } from '../support/postgres'
import { expectNoRoot, ordinaryUser, ownerOf, ownersIn, plain, refusal, secretFile, threadsOf } from '../support/privileges'
import { untilReadyz } from '../support/ready'
import { isRoot } from '../support/scratch'
import { usedDataDir } from '../support/used-data'

/** As an earlier release left it, in which only PostgreSQL was not root. */
function asRootMadeIt(dataDir: string) {
  for (const entry of [dataDir, ...readdirSync(dataDir).map((name) => join(dataDir, name))]) {
    if (!/\/(postgres|run)$/.test(entry)) spawnSync('chown', [...(entry === dataDir ? [] : ['-R']), '-h', 'root:root', entry])
  }
  chmodSync(dataDir, 0o755)
}

const asRoot = () => {
  describe('a data directory that root made', () => {
    let first: ReturnType<typeof make> | null = null

    /** With an attachment, of a stopped service: a copy for each test. */
    async function made() {
      first ??= make()
      const { dataDir: from, ...more } = await first
      const dataDir = join(newFolder(), 'data')
      copyFolder(from, dataDir)
      return { dataDir, ...more }
    }

    async function make() {
      const { dataDir, token } = await usedDataDir()
      await using service = await startService({ dataDir })
      await makePets({ url: service.url, token })
      const [file] = (await json(upload({ url: service.url, token }, 'a.txt', 'text of the file'))) as Stored[]
      await service.stop()
      asRootMadeIt(dataDir)
      return { dataDir, token, path: file!.url }
    }

    const expectWhole = async (service: Service, { token, path }: { token: string; path: string }) => {
      expect(await (await call(service.url + path, { token })).text()).toBe('text of the file')
      expect((await upload({ url: service.url, token }, 'b.txt', 'another')).status).toBe(201)
      expectNoRoot(service)
    }

    test('is brought over, with its attachments; PostgreSQL keeps its user', async () => {
      const before = await made()
      expect(ownersIn(join(before.dataDir, 'files'))).toEqual([0])
      await using service = await startService({ dataDir: before.dataDir })
      await expectWhole(service, before)
      expect(ownersIn(before.dataDir)).toEqual([ordinaryUser.uid])
    })

    test('is brought over by the next start where the first was broken off', async () => {
      const before = await made()
      for (const name of ['runtime', 'conf', 'files/incoming'])
        spawnSync('chown', ['-R', '-h', `${ordinaryUser.uid}:${ordinaryUser.gid}`, join(before.dataDir, name)])
      await using service = await startService({ dataDir: before.dataDir })
      await expectWhole(service, before)
    })

    test('is brought over with attachments behind a link', async () => {
      const before = await made()
      const elsewhere = join(newFolder(), 'attachments')
      renameSync(join(before.dataDir, 'files'), elsewhere)
      symlinkSync(elsewhere, join(before.dataDir, 'files'))
      await using service = await startService({ dataDir: before.dataDir })
      await expectWhole(service, before)
      expect(ownersIn(elsewhere)).toEqual([ordinaryUser.uid])
    })

    test('is brought over without an embedded database, too', async () => {
      await using server = await startPostgres()
      const uri = await server.createDatabase('brought_over')
      const dataDir = join(newFolder(), 'data')
      const first = await startService({ dataDir, environment: { DATABASE_URL: uri } })
      await first.stop()
      asRootMadeIt(dataDir)
      await using second = await startService({ dataDir, environment: { DATABASE_URL: uri } })
      await untilReadyz(second)
      expect([ownersIn(dataDir), threadsOf(second.pid)]).toEqual([[ordinaryUser.uid], plain])
    })

    test('gives away nothing that links in it lead to', async () => {
      const { dataDir } = await made()
      const [file, folder] = [secretFile('of root'), newFolder()]
      writeFileSync(join(folder, 'inside'), '')
      for (const [target, name] of [
        [file, 'files/link'],
        [folder, 'files/folder'],
        [file, 'postgres/link'],
        [file, 'other'],
      ] as const)
        symlinkSync(target, join(dataDir, name))
      await using service = await startService({ dataDir })
      await untilReadyz(service)
      expect([file, folder, join(folder, 'inside')].map(ownerOf)).toEqual([0, 0, 0])
    })

    test('is refused, with what to do, where the service’s user has it and root some of what is in it', async () => {
      const { dataDir } = await made()
      for (const path of [dataDir, join(dataDir, 'rowhouse.lock')]) chownSync(path, ordinaryUser.uid, ordinaryUser.gid)
      expect(await refusal({ ROWHOUSE_DATA_DIR: dataDir })).toContain(`chown -R ${ordinaryUser.uid} ${dataDir}`)
    })

    test.each<[string, (dataDir: string) => string]>([
      ['has a file with another name elsewhere', (dataDir) => linked(join(dataDir, 'files/aa'))],
      ['has a folder that others may change', (dataDir) => writable(join(dataDir, 'files'))],
      ['may be changed by others', writable],
      ['has attachments behind a link, in a folder of something else', (dataDir) => amongOthers(join(dataDir, 'files'))],
    ])('is refused where it %s, and nothing is given away', async (_what, change) => {
      const { dataDir } = await made()
      const told = change(dataDir)
      expect(await refusal({ ROWHOUSE_DATA_DIR: dataDir })).toContain(told)
      expect([ownerOf(dataDir), ownerOf(told)]).toEqual([0, 0])
    })

    function linked(path: string): string {
      linkSync(secretFile('of root'), path)
      return path
    }

    function writable(path: string): string {
      chmodSync(path, 0o777)
      return path
    }

    function amongOthers(path: string): string {
      const elsewhere = newFolder()
      mkdirSync(join(elsewhere, 'something'))
      rmSync(path, { recursive: true })
      symlinkSync(elsewhere, path)
      return elsewhere
    }

    test.each(['a folder', 'a link'])('is refused where somebody else may exchange it, by %s', async (kind) => {
      const { dataDir } = await made()
      const theirs = newFolder()
      chownSync(theirs, 1, 1)
      const asked = join(theirs, 'data')
      if (kind === 'a folder') renameSync(dataDir, asked)
      else symlinkSync(dataDir, asked)
      expect(await refusal({ ROWHOUSE_DATA_DIR: asked })).toContain(`by ${theirs}.`)
      expect(ownerOf(kind === 'a folder' ? asked : dataDir)).toBe(0)
    })

    test('is left alone while an earlier release, which is still root, runs on it', async () => {
      const { dataDir } = await made()
      const descriptor = openSync(join(dataDir, 'rowhouse.lock'), 'r')
      expect(tryLock(descriptor)).toBe(true)
      for (const args of [[], ['users', 'list']]) {
        const { code, stderr } = await run(args, { environment: { PORT: '0', ROWHOUSE_DATA_DIR: dataDir } })
        expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('an earlier version') })
      }
      expect(ownerOf(dataDir)).toBe(0)
      closeSync(descriptor)
    })
  })

  test('a folder of root’s that contains other data is no data directory', async () => {
    const folder = newFolder()
    writeFileSync(join(folder, 'something'), '')
    expect(await refusal({ ROWHOUSE_DATA_DIR: folder })).toContain('contains other data')
    expect(readdirSync(folder)).toEqual(['something'])
    expect(ownerOf(folder)).toBe(0)
  })
}

// Asked of the kernel by way of /proc.
if (isRoot && process.platform === 'linux') describe('started by root', asRoot)
