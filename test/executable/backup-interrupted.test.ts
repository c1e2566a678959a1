import { describe, expect, test } from 'bun:test'
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { backUp, heldBy, isHeld, launch, openFolder, restoreFrom, scratchIn, stopCheckpoints } from '../support/backups'
import { isDrilling } from '../support/drill'
import { newFolder, run, startService } from '../support/executable'
import { isAlive, postmasterPid, until } from '../support/processes'
import { untilReadyz } from '../support/ready'
import { mayMountDisk, withSmallDisk } from '../support/small-disk'
import { startUsed, usedDataDir } from '../support/used-data'

const nothing = { slots: 0, sessions: 0 }

describe('a backup that is interrupted', () => {
  test('while it waits for a checkpoint holds no log when it has ended', async () => {
    await using service = await startUsed()
    const folder = openFolder()
    const checkpoints = await stopCheckpoints(service)
    try {
      const backup = launch(['backup', join(folder, 'b')], service.dataDir)
      await until('the log is held', () => isHeld(service))
      backup.kill('SIGINT')
      expect(await backup.ended).toBe(1)
      expect(await heldBy(service)).toEqual(nothing)
      expect(await backup.errors).toEndWith('rowhouse: Interrupted; nothing was left behind.\n')
      expect([readdirSync(folder), scratchIn(service.dataDir)]).toEqual([[], []])
    } finally {
      checkpoints.goOn()
    }
    await untilReadyz(service)
  }, 600_000)
})

describe('a restore that is interrupted', () => {
  test.each(isDrilling ? (['SIGINT', 'SIGKILL'] as const) : (['SIGKILL'] as const))(
    'by %s leaves nothing that starts, and the next one succeeds',
    async (signal) => {
      const { dataDir } = await usedDataDir()
      const file = join(openFolder(), 'b')
      expect((await backUp(dataDir, file)).code).toBe(0)
      for (const moment of isDrilling ? ['unpacked', 'recovered'] : ['recovered']) {
        const target = join(openFolder(), 'data')
        const restoring = join(target, 'restoring')
        const marks = { unpacked: 'postgres/base', recovered: 'postgres/postmaster.pid' }
        const restore = launch(['restore', file], target)
        await until(moment, () => existsSync(join(restoring, marks[moment as keyof typeof marks])))
        restore.kill(signal)
        expect(await restore.ended).toBe(signal === 'SIGINT' ? 1 : signal)
        if (signal === 'SIGINT') expect(existsSync(restoring)).toBe(false)
        else {
          const started = await run(['migrate'], { environment: { ROWHOUSE_DATA_DIR: target } })
          expect([started.code, started.stderr]).toEqual([1, expect.stringContaining('was not finished. Run rowhouse restore again')])
          expect(existsSync(join(target, 'postgres'))).toBe(false)
        }
        const again = await restoreFrom(file, target)
        expect([again.code, again.stderr, again.stdout]).toEqual([
          0,
          expect.stringContaining('It is intact'),
          expect.stringContaining('1 table, 0 records, 1 user, 0 attachments'),
        ])
        expect(existsSync(restoring)).toBe(false)
        expect((await run(['users', 'list'], { environment: { ROWHOUSE_DATA_DIR: target } })).code).toBe(0)
      }
    },
    600_000,
  )

  test('a folder that is not empty is left as it is, and one with a file of one’s own in it, too', async () => {
    const { dataDir } = await usedDataDir()
    const file = join(openFolder(), 'b')
    expect((await backUp(dataDir, file)).code).toBe(0)
    const target = newFolder()
    writeFileSync(join(target, 'mine'), 'mine')
    expect((await restoreFrom('/nowhere', target)).stderr).toBe('rowhouse: /nowhere cannot be read: no such file or directory.\n')
    for (const folder of [target, dataDir]) {
      const before = readdirSync(folder).sort()
      const { code, stderr } = await restoreFrom(file, folder)
      expect([code, stderr]).toEqual([1, expect.stringMatching(/^rowhouse: .*(is not empty \(|contains other data)/)])
      expect(readdirSync(folder).sort()).toEqual(before)
    }
  }, 600_000)
})

describe.if(mayMountDisk())('a full disk', () => {
  test('ends a backup and a restore in a sentence, and nothing is left', async () => {
    await using service = await startUsed()
    const { dataDir } = service
    const file = join(openFolder(), 'b')
    expect((await backUp(dataDir, file)).code).toBe(0)
    await withSmallDisk('2m', async (disk) => {
      Bun.spawnSync(['chmod', '777', disk])
      const { code, stderr } = await backUp(dataDir, join(disk, 'b'))
      expect([code, stderr, readdirSync(disk)]).toEqual([1, expect.stringMatching(/is full|takes up to/), []])
      expect(await heldBy(service)).toEqual(nothing)
    })
    await withSmallDisk('30m', async (disk) => {
      Bun.spawnSync(['chmod', '777', disk])
      const { code, stderr } = await restoreFrom(file, join(disk, 'data'))
      expect([code, stderr]).toEqual([1, expect.stringMatching(/To restore takes up to .* are free/)])
      expect(existsSync(join(disk, 'data/restoring'))).toBe(false)
    })
    await untilReadyz(service)
  }, 600_000)
})

test('what a killed backup has left is removed by the next start', async () => {
  const { dataDir } = await usedDataDir()
  const backup = launch(['backup', join(openFolder(), 'b')], dataDir)
  const postmasters = () =>
    scratchIn(dataDir)
      .map((name) => join(dataDir, name, 'postgres/postmaster.pid'))
      .filter(existsSync)
  await until('it is tried out', () => postmasters().length > 0)
  const pid = postmasterPid(dataDir)
  backup.kill('SIGKILL')
  await backup.ended
  await using service = await startService({ dataDir })
  expect([scratchIn(dataDir), isAlive(pid)]).toEqual([[], false])
  await untilReadyz(service)
}, 600_000)
