import { describe, expect, test } from 'bun:test'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { backUp, openFolder } from '../support/backups'
import { call, newFolder, run, startService } from '../support/executable'
import { moveFiles, s3Keys } from '../support/file-moves'
import { makePets, type Stored, upload } from '../support/pets'
import { startS3 } from '../support/s3'
import { startUsed } from '../support/used-data'
import { restoreTo, timeBetween } from '../support/wal-archives'

const bucket = 's3://files/team/one/'
const newDataDir = () => join(newFolder(), 'data')

type Place = { url: string; token: string }

async function put(pets: Place, name: string): Promise<Stored> {
  const answer = await upload(pets, name, `text of ${name}`)
  expect(answer.status).toBe(201)
  const [file] = (await answer.json()) as [Stored]
  return file
}

/** The text of each file that the service gives; else the status of its answer. */
async function read({ url, token }: Place, files: readonly Stored[]): Promise<(string | number)[]> {
  const found: (string | number)[] = []
  for (const file of files) {
    const answer = await call(url + file.url, { token })
    found.push(answer.status === 200 ? await answer.text() : answer.status)
  }
  return found
}

const textsOf = (files: readonly Stored[]) => files.map(({ name }) => `text of ${name}`)

describe('the archive of the log, behind a move of the files', () => {
  test('to a bucket: a time before it comes back whole when the old files are removed, and the last one says where they are', async () => {
    await using s3 = await startS3()
    const archive = openFolder()
    const wal = { ROWHOUSE_WAL_ARCHIVE: archive }
    const first = await startUsed({ environment: { ...s3Keys(s3), ...wal } })
    const { dataDir, token } = first
    await makePets(first)
    const early = await put(first, 'early.txt')
    const backup = join(openFolder(), 'base.tar.zst')
    expect(await backUp(dataDir, backup)).toMatchObject({ code: 0 })
    const late = await put(first, 'late.txt')
    const between = await timeBetween()
    const environment = { ROWHOUSE_DATA_DIR: dataDir, ...s3Keys(s3) }
    expect(await moveFiles([`--to=${bucket}`, '--switch'], environment)).toMatchObject({ code: 0 })
    await first.stop()
    const second = await startService({ dataDir, environment: { ...s3.environment, ...wal } })
    const last = await put({ url: second.url, token }, 'last.txt')
    expect(await moveFiles([`--from=${join(dataDir, 'files')}`, `--to=${bucket}`, '--remove'], environment)).toMatchObject({ code: 0 })
    expect(await second.stop()).toBe(0)
    rmSync(dataDir, { recursive: true })

    const before = newDataDir()
    const restored = await restoreTo(backup, archive, between, before)
    expect([restored.code, restored.stdout]).toEqual([0, expect.not.stringContaining('nor in the archive')])
    {
      await using service = await startService({ dataDir: before })
      expect(await read({ url: service.url, token }, [early, late])).toEqual(textsOf([early, late]))
    }
    const latest = newDataDir()
    const followed = await restoreTo(backup, archive, 'latest', latest)
    expect([followed.code, followed.stdout]).toEqual([0, expect.stringContaining(`in ${bucket} by then, and 1 of them only there`)])
    await using service = await startService({ dataDir: latest, environment: s3.environment })
    expect(await read({ url: service.url, token }, [early, late, last])).toEqual(textsOf([early, late, last]))
  })

  test('to a folder: what came since the archive began comes back', async () => {
    await using s3 = await startS3()
    const archive = openFolder()
    const wal = { ROWHOUSE_WAL_ARCHIVE: archive }
    const first = await startUsed({ environment: { ...s3.environment, ...wal } })
    const { dataDir, token } = first
    await makePets(first)
    const early = await put(first, 'early.txt')
    const backup = join(openFolder(), 'base.tar.zst')
    expect(await backUp(dataDir, backup, [], s3.environment)).toMatchObject({ code: 0 })
    const moved = await moveFiles([`--to=${join(dataDir, 'files')}`, '--switch'], { ROWHOUSE_DATA_DIR: dataDir, ...s3.environment })
    expect(moved).toMatchObject({ code: 0 })
    await first.stop()
    const second = await startService({ dataDir, environment: { ...s3Keys(s3), ...wal } })
    const late = await put({ url: second.url, token }, 'late.txt')
    expect(await second.stop()).toBe(0)
    rmSync(dataDir, { recursive: true })

    const latest = newDataDir()
    const followed = await restoreTo(backup, archive, 'latest', latest)
    expect([followed.code, followed.stdout]).toEqual([0, expect.not.stringContaining('nor in the archive')])
    await using service = await startService({ dataDir: latest })
    expect(await read({ url: service.url, token }, [early, late])).toEqual(textsOf([early, late]))
    const checked = await run(['files', 'check'], { environment: { ROWHOUSE_DATA_DIR: latest } })
    expect([checked.code, checked.stdout]).toEqual([0, expect.stringContaining('all intact')])
  })
})
