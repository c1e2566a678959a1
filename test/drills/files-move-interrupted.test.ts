import { expect, test } from 'bun:test'
import { chmodSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { filesIn } from '../support/attachments'
import { launch } from '../support/backups'
import { moveFiles, s3Keys, startFull } from '../support/file-moves'
import { largeFile, makePets, upload } from '../support/pets'
import { until } from '../support/processes'
import { startS3 } from '../support/s3'
import { isRoot } from '../support/scratch'
import { mayMountDisk, withSmallDisk } from '../support/small-disk'
import { startUsed } from '../support/used-data'

const bucket = 's3://files/team/one/'

test('a move waits for a bucket that is away for some seconds, and ends in a sentence when it stays away', async () => {
  await using s3 = await startS3()
  const { service, load } = await startFull(s3Keys(s3))
  await using _ = service
  const environment = { ROWHOUSE_DATA_DIR: service.dataDir, ...s3Keys(s3) }
  const moving = moveFiles([`--to=${bucket}`], environment)
  await until('some are there', async () => (await s3.keys()).length > 10)
  await s3.missOnce()
  expect(await moving).toMatchObject({ code: 0, stdout: expect.stringContaining('read back there') })
  await s3.stop()
  const ended = await moveFiles([`--to=${bucket}`], environment)
  expect([ended.code, ended.stdout, ended.stderr]).toEqual([
    1,
    '',
    expect.stringMatching(/^rowhouse: The file storage is unavailable\. \(.+\) The files copied so far stay/),
  ])
  expect(load.refused).toEqual([])
  await s3.start()
  await load.stop()
})

test.if(isRoot && mayMountDisk())('a move to a disk that is too small is not begun, and one that fills up ends it', async () => {
  await withSmallDisk('10m', async (disk, enlarge) => {
    chmodSync(disk, 0o777)
    await using service = await startUsed()
    await makePets(service)
    for (let count = 0; count < 3; count++) await upload(service, `${count}`, Bun.file(largeFile(4)))
    const environment = { ROWHOUSE_DATA_DIR: service.dataDir, ROWHOUSE_MIN_FREE_BYTES: '0' }
    const to = join(disk, 'files')
    const refused = await moveFiles([`--to=${to}`], environment)
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('Nothing was copied.')])
    expect(readdirSync(disk)).toEqual([])
    enlarge('13m')
    const moving = moveFiles([`--to=${to}`], environment)
    await until('it has begun', () => readdirSync(disk).includes('files'))
    await Bun.write(join(disk, 'other'), new Uint8Array(6 * 2 ** 20))
    const full = await moving
    if (full.code !== 0) expect(full.stderr).toMatch(/no room|not enough storage space/)
    enlarge('40m')
    expect(await moveFiles([`--to=${to}`, '--switch'], environment)).toMatchObject({ code: 0 })
    expect(filesIn(to)).toHaveLength(3)
  })
})

test('a move ends at Ctrl-C, goes on where it was, and prints nothing with --quiet', async () => {
  await using s3 = await startS3()
  const { service, load } = await startFull(s3Keys(s3))
  await using _ = service
  await load.stop()
  const environment = { ROWHOUSE_DATA_DIR: service.dataDir, ...s3Keys(s3) }
  const moving = launch(['files', 'move', `--to=${bucket}`, '--quiet'], service.dataDir, environment)
  await until('some are there', async () => (await s3.keys()).length > 10)
  moving.kill('SIGINT')
  expect([await moving.ended, await moving.errors]).toEqual([1, expect.stringMatching(/^rowhouse: Interrupted\. .*to continue\.\n$/)])
  const { length } = await s3.keys()
  const again = await moveFiles([`--to=${bucket}`, '--switch', '--quiet'], environment)
  expect(again).toEqual({ code: 0, stdout: '', stderr: '' })
  expect((await s3.keys()).length).toBeGreaterThan(length)
  expect((await moveFiles([`--to=${bucket}`, '--switch'], environment)).stdout).toContain('already')
})
