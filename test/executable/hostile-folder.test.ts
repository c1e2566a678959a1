import { describe, expect, test } from 'bun:test'
import { chmodSync, copyFileSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { call, executable, newFolder, run, startService } from '../support/executable'
import { postmasterPid, until } from '../support/processes'
import { untilReadyz } from '../support/ready'
import { isRoot } from '../support/scratch'

const ready = async (url: string) => (await call(`${url}/readyz`)).status

test('a lock file of PostgreSQL that was cut short by a full disk does not stand in the way', async () => {
  const first = await startService()
  await first.stop()
  writeFileSync(join(first.dataDir, 'postgres/postmaster.pid'), '')
  await using second = await startService({ dataDir: first.dataDir })
  await untilReadyz(second)
})

test('while PostgreSQL cannot be started again it is tried again, and a signal still ends the service', async () => {
  const cwd = newFolder()
  const file = join(cwd, 'rowhouse')
  copyFileSync(executable(), file)
  const service = await startService({ cwd, file })
  renameSync(file, `${file}.away`)
  process.kill(postmasterPid(service.dataDir), 'SIGKILL')
  await until('it says so', async () => (await ready(service.url)) === 503)
  await Bun.sleep(500)
  renameSync(`${file}.away`, file)
  await untilReadyz(service)
  renameSync(file, `${file}.away`)
  process.kill(postmasterPid(service.dataDir), 'SIGKILL')
  await until('it says so again', async () => (await ready(service.url)) === 503)
  expect(await service.stop()).toBe(0)
})

test('a data directory behind a link is the one that it leads to', async () => {
  const cwd = newFolder()
  mkdirSync(join(cwd, 'real'))
  symlinkSync(join(cwd, 'real'), join(cwd, 'link'))
  await using service = await startService({ cwd, dataDir: join(cwd, 'link/data') })
  const second = await run([], { environment: { PORT: '0', ROWHOUSE_DATA_DIR: join(cwd, 'real/data') } })
  expect({ code: second.code, said: second.stderr.includes(`process ${service.pid}`) }).toEqual({ code: 1, said: true })
})

test('commands find a running service whatever its TMPDIR, also where the socket lies there', async () => {
  const dataDir = join(newFolder(), 'long'.repeat(30), 'data')
  await using service = await startService({ dataDir })
  const environment = { ROWHOUSE_DATA_DIR: service.dataDir, TMPDIR: newFolder() }
  expect(await run(['users', 'list'], { environment })).toMatchObject({ code: 0 })
})

if (isRoot) {
  describe('started by root', () => {
    test('nothing that PostgreSQL’s user puts into its folder makes the next start write elsewhere', async () => {
      const first = await startService()
      await first.stop()
      const cluster = join(first.dataDir, 'postgres')
      const { uid, gid } = statSync(cluster)
      const victim = join(newFolder(), 'victim')
      const text = '1\nsecret of root\n'
      writeFileSync(victim, text, { mode: 0o600 })
      for (const name of ['postgresql.conf', 'pg_hba.conf', 'pg_ident.conf', 'custom.conf', 'postmaster.pid', 'postmaster.pid.new']) {
        rmSync(join(cluster, name), { force: true })
        symlinkSync(victim, join(cluster, name))
      }
      await using second = await startService({ dataDir: first.dataDir })
      await untilReadyz(second)
      expect(readFileSync(victim, 'utf8')).toBe(text)
      expect(statSync(victim)).toMatchObject({ uid: 0, mode: 0o100600 })
      expect([uid, gid]).not.toContain(0)
    })

    test('a data directory that may be changed by all is refused, and nothing in it is touched', async () => {
      const dataDir = join(newFolder(), 'data')
      mkdirSync(dataDir)
      chmodSync(dataDir, 0o777)
      const { code, stderr } = await run([], { environment: { PORT: '0', ROWHOUSE_DATA_DIR: dataDir } })
      expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('chmod go-w') })
      expect(Bun.spawnSync(['ls', '-A', dataDir]).stdout.toString()).toBe('')
    })
  })
}
