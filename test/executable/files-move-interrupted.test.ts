import { describe, expect, test } from 'bun:test'
import { existsSync, readdirSync, renameSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { filesIn } from '../support/attachments'
import { openFolder } from '../support/backups'
import { isDrilling } from '../support/drill'
import { run, startService } from '../support/executable'
import { afterMs, type KeptFile, killMove, moveFiles, s3Keys, startFull, type UploadLoad, unreadable } from '../support/file-moves'
import { makePets, type Stored, upload } from '../support/pets'
import { type S3, startS3 } from '../support/s3'
import { startUsed } from '../support/used-data'

const bucket = 's3://files/team/one/'

/**
 * Every file of a storage as it is there. `isAtomic`: s3rver, unlike S3, keeps the beginning of an object whose sender
 * was killed.
 */
type Stash = { isAtomic: boolean; names: () => Promise<string[]>; bytes: (name: string) => Promise<string> }

const inBucket = (s3: S3): Stash => {
  const client = new Bun.S3Client({
    bucket: 'files',
    endpoint: s3.environment.S3_ENDPOINT,
    accessKeyId: 'S3RVER',
    secretAccessKey: 'S3RVER',
  })
  return { isAtomic: false, names: s3.keys, bytes: (name) => client.file(name).text() }
}

const inFolder = (folder: string): Stash => ({
  isAtomic: true,
  names: async () =>
    (existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: 'utf8' }) : []).filter((name) =>
      /^[0-9a-f]{2}\/[0-9a-f]{2}\/./.test(name),
    ),
  bytes: (name) => Bun.file(join(folder, name)).text(),
})

/** Every file under its name is one that was uploaded, and whole. */
async function expectWhole(stash: Stash, uploaded: readonly KeptFile[]) {
  const texts = new Map(uploaded.map(({ file, text }) => [file.id, text]))
  for (const name of await stash.names()) {
    const text = texts.get(name.split('/').at(-1)!)
    if (text === undefined) continue
    const bytes = await stash.bytes(name)
    expect([name, bytes === text || (!stash.isAtomic && text.startsWith(bytes))]).toEqual([name, true])
  }
}

/** At moments that fall anywhere, also behind the end of the command: in drills alone. */
async function killAtSomeTime(args: string[], environment: Record<string, string>, check: () => Promise<void>) {
  for (const ms of isDrilling ? [350, 600, 850] : []) {
    await killMove(args, environment, afterMs(ms))
    await check()
  }
}

/** Each time when some more files have come to the new storage. */
async function killWhileCopying(args: string[], environment: Record<string, string>, stash: Stash, check: () => Promise<void>) {
  let killed = 0
  for (const more of isDrilling ? [1, 10, 20, 40] : [10]) {
    const { length } = await stash.names()
    if (await killMove(args, environment, async () => (await stash.names()).length >= length + more)) killed++
    await check()
  }
  expect(killed).toBeGreaterThan(0)
}

describe('kill -9 of a move, again and again', () => {
  test.each(isDrilling ? ['a bucket', 'a folder'] : ['a folder'])(
    'to %s: nothing there looks whole that is not, and nothing is lost',
    async (kind) => {
      await using s3 = await startS3()
      const settings = s3Keys(s3)
      const { service, load } = await startFull(settings)
      const environment = { ROWHOUSE_DATA_DIR: service.dataDir, ...settings }
      const folder = join(openFolder(), 'files')
      const [to, stash] = kind === 'a bucket' ? [bucket, inBucket(s3)] : [folder, inFolder(folder)]
      const check = () => expectWhole(stash, load.acknowledged)
      await killWhileCopying([`--to=${to}`], environment, stash, check)
      await killAtSomeTime([`--to=${to}`, '--switch'], environment, check)
      // As it is now: the load goes on.
      expect(await unreadable(service, [...load.acknowledged])).toEqual([])
      await expectSwitch(to, environment)
      await load.stop()
      await service.stop()
      await expectService(kind, { s3, folder, service, load })
      const old = join(service.dataDir, kind === 'a bucket' ? 'files' : 'files.old')
      const removal = [`--from=${old}`, `--to=${to}`, '--remove']
      await killAtSomeTime(removal, environment, check)
      const removed = await moveFiles(removal, environment)
      // One that was killed may have done all of it.
      if (removed.code !== 0) expect(removed.stderr).toContain('is not the storage that the files were moved from')
      expect(filesIn(old)).toEqual([])
      await expectService('the same', { s3, folder, service, load })
    },
  )
})

async function expectSwitch(to: string, environment: Record<string, string>) {
  const { code, stdout, stderr } = await moveFiles([`--to=${to}`, '--switch'], environment)
  expect([code, stderr.replace('Copying …\n', '')]).toEqual([0, ''])
  expect(stdout).toMatch(/Switched: |is already the storage of this database/)
}

type Moved = { s3: S3; folder: string; service: { dataDir: string; token: string }; load: UploadLoad }

async function expectService(kind: string, { s3, folder, service, load }: Moved) {
  const { dataDir, token } = service
  const environment = existsSync(folder) ? {} : s3.environment
  if (kind === 'a folder') {
    // As the command says: the new folder in the place of the old one.
    renameSync(join(dataDir, 'files'), join(dataDir, 'files.old'))
    symlinkSync(folder, join(dataDir, 'files'))
  }
  await using started = await startService({ dataDir, environment })
  expect(await unreadable({ url: started.url, token }, load.acknowledged)).toEqual([])
  const { code, stdout } = await run(['files', 'check'], { environment: { ROWHOUSE_DATA_DIR: dataDir, ...environment } })
  expect([code, stdout]).toEqual([0, expect.stringContaining('all intact')])
}

describe('a move', () => {
  test('names files whose bytes were altered, and exits with 3 until they may stay behind', async () => {
    await using s3 = await startS3()
    await using service = await startUsed({ environment: s3Keys(s3) })
    await makePets(service)
    const [file] = (await (await upload(service, 'note.txt', 'hello')).json()) as [Stored]
    await upload(service, 'other.txt', 'whole')
    const folder = join(service.dataDir, 'files')
    const path = join(folder, (await inFolder(folder).names()).find((name) => name.endsWith(file.id))!)
    await Bun.write(path, 'HELLO')
    const environment = { ROWHOUSE_DATA_DIR: service.dataDir, ...s3Keys(s3) }
    for (const more of [[], ['--switch']]) {
      const { code, stdout, stderr } = await moveFiles([`--to=${bucket}`, '--quiet', ...more], environment)
      expect([code, stdout]).toEqual([3, expect.stringContaining(`altered\t${file.id}\t`)])
      expect(stderr).toContain('--skip-damaged')
    }
    expect(await s3.keys()).toHaveLength(1)
    expect(await moveFiles([`--to=${bucket}`, '--switch', '--skip-damaged'], environment)).toMatchObject({ code: 0 })
    const kept = await moveFiles([`--to=${bucket}`, '--remove'], environment)
    expect([kept.code, kept.stderr]).toEqual([3, expect.stringContaining('Nothing was removed')])
    const removed = await moveFiles([`--to=${bucket}`, '--remove', '--skip-damaged'], environment)
    expect([removed.code, removed.stdout]).toEqual([0, expect.stringContaining('1 stay in')])
    expect(filesIn(folder)).toEqual([file.id])
  })
})
