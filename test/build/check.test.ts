import { expect, test } from 'bun:test'
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { newFolder } from '../support/executable'
import { isRoot } from '../support/scratch'

const root = resolve(import.meta.dir, '../..')
const required = ['caddy', 'chromium', 'curl', 'git', 'ip', 'nginx', 'pg_dump', 'pgbouncer', 'ps', 'systemd-analyze', 'zstd']

/** Runs the check with a PATH that holds nothing but these programs, each with its script. */
async function check(programs: Record<string, string>) {
  const path = newFolder()
  const calls = join(path, 'calls')
  for (const [name, script] of Object.entries(programs)) {
    writeFileSync(join(path, name), `#!/bin/sh\necho "${name} $*" >> '${calls}'\n${script}\n`)
    chmodSync(join(path, name), 0o755)
  }
  const child = Bun.spawn([process.execPath, 'src/build/check.ts'], { cwd: root, env: { PATH: path }, stdout: 'pipe', stderr: 'pipe' })
  const [code, errors] = await Promise.all([child.exited, new Response(child.stderr).text()])
  return { code, errors, calls: existsSync(calls) ? readFileSync(calls, 'utf8').trim().split('\n') : [] }
}

const quiet = 'apt-get install -y -qq --no-install-recommends'
const packages = 'caddy chromium curl git iproute2 nginx postgresql-client pgbouncer procps systemd zstd'

test('on a machine with none of the programs it installs them, or lists them to a user who cannot', async () => {
  const { code, errors, calls } = await check({ 'apt-get': '[ "$1" = update ] || exit 100' })
  if (isRoot) expect([code, calls]).toEqual([100, ['apt-get update -qq', `${quiet} ${packages}`]])
  else expect([code, errors, calls]).toEqual([1, `The tests need these packages: apt-get install ${packages}\n`, []])
})

test('goes on to the build where all of them are installed, with or without Chromium’s headless shell', async () => {
  const all = Object.fromEntries(required.map((name) => [name, '']))
  const { code, errors, calls } = await check({ ...all, 'apt-get': '[ "$1" = update ] || exit 100', bun: 'exit 7' })
  const shell = ['apt-get update -qq', `${quiet} chromium-headless-shell`]
  expect([code, errors, calls]).toEqual([7, '', [...(isRoot ? shell : []), 'bun src/build/executable.ts']])
})
