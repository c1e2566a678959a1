import { expect, test } from 'bun:test'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { newFolder, startService } from '../support/executable'
import { childrenOf, postmasterPid } from '../support/processes'
import { untilReadyz } from '../support/ready'

/** A folder that would take over a program made with Bun, if it let it. Each trap leaves a file when it snaps. */
function trap() {
  const cwd = newFolder()
  const snapped = join(cwd, 'snapped')
  writeFileSync(join(cwd, 'trap.ts'), `require('node:fs').writeFileSync(${JSON.stringify(snapped)}, 'ran')`)
  writeFileSync(join(cwd, 'bunfig.toml'), 'preload = ["./trap.ts"]\n[test]\npreload = ["./trap.ts"]\n')
  writeFileSync(join(cwd, '.env'), 'SETUP_CODE=code-from-the-folder-0123456789\nLOG_LEVEL=silent\nPORT=1\n')
  writeFileSync(join(cwd, '.env.production'), 'SETUP_CODE=code-from-the-folder-0123456789\n')
  writeFileSync(join(cwd, 'package.json'), '{"name":"rowhouse","imports":{"postgres":"./trap.ts"}}')
  writeFileSync(join(cwd, 'tsconfig.json'), '{"compilerOptions":{"paths":{"*":["./trap.ts"]}}}')
  return { cwd, snapped }
}

/** For libpq, PostgreSQL and the C library. */
const forDatabases = {
  PGHOST: '203.0.113.1',
  PGUSER: 'mallory',
  PGPASSWORD: 'x',
  PGDATABASE: 'elsewhere',
  PGDATA: '/nonexistent',
  PGPORT: '1',
  PGSSL: 'require',
  PGOPTIONS: '-c default_transaction_read_only=on',
  LC_ALL: 'xx_XX',
  TZ: 'Pacific/Kiritimati',
}

test('what lies in the current folder, and what is meant for others in the environment, changes nothing', async () => {
  const { cwd, snapped } = trap()
  const preload = join(cwd, 'trap.ts')
  const forRuntimes = { BUN_CONFIG_PRELOAD: preload, NODE_OPTIONS: `--require ${preload}` }
  await using service = await startService({ cwd, dataDir: join(cwd, 'data'), environment: { ...forDatabases, ...forRuntimes } })
  await untilReadyz(service)
  expect(service.setupUrl).not.toContain('code-from-the-folder')
  expect(existsSync(snapped)).toBe(false)
})

/** The field `policy` of proc_pid_stat(5). */
const policyOf = (pid: number) => Number(readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)!.split(' ')[38])

const SCHED_BATCH = 3

/** Some sandboxes refuse it, and the service goes on without it. */
const mayYield = process.platform === 'linux' && Bun.spawnSync(['chrt', '--batch', '0', 'true']).exitCode === 0

if (mayYield) {
  test('the embedded PostgreSQL takes no processor away from the service', async () => {
    await using service = await startService()
    const postmaster = postmasterPid(service.dataDir)
    const children = childrenOf(postmaster)
    expect(children.length).toBeGreaterThan(3)
    expect([postmaster, ...children].map(policyOf).every((policy) => policy === SCHED_BATCH)).toBe(true)
    expect(policyOf(service.pid)).toBe(policyOf(process.pid))
  })
}
