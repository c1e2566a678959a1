import { afterAll, expect, test } from 'bun:test'
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { call, executable, newFolder } from '../support/executable'
import { freePort } from '../support/ports'
import { postmasterPid, until, wasShutDown } from '../support/processes'
import { usedDataDir } from '../support/used-data'

const started: ChildProcess[] = []
afterAll(() => {
  for (const child of started) child.kill('SIGKILL')
})

/** The service with a standard output that `startService` could not read. */
async function startWith(stdout: number | 'pipe', stderr: number | 'pipe', environment: Record<string, string> = {}) {
  const { dataDir, token } = await usedDataDir()
  const url = `http://127.0.0.1:${freePort()}`
  const env = { PATH: process.env.PATH, PORT: new URL(url).port, ROWHOUSE_DATA_DIR: dataDir, ...environment }
  const child = spawn(executable(), [], { cwd: newFolder(), env, stdio: ['ignore', stdout, stderr] })
  started.push(child)
  const exited = new Promise<number | string>((done) => child.once('exit', (code, signal) => done(code ?? signal ?? 'unknown')))
  const isReady = () =>
    call(`${url}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    )
  await until('it is ready', isReady)
  return { child, url, token, dataDir, isReady, exited }
}

test.each(['json', 'text'])(
  'with a full disk under its log (%s) it serves, starts a dead database again, and ends cleanly',
  async (format) => {
    const environment = { LOG_LEVEL: 'debug', LOG_FORMAT: format }
    const { child, url, token, dataDir, isReady, exited } = await startWith(openSync('/dev/full', 'w'), 'pipe', environment)
    const errors = text(child.stderr!)
    for (let index = 0; index < 5; index++) expect((await call(`${url}/api/v1/tables`, { token })).status).toBe(200)
    const postmaster = postmasterPid(dataDir)
    process.kill(postmaster, 'SIGKILL')
    await until('another PostgreSQL runs', async () => isAnother(dataDir, [postmaster, child.pid!]) && (await isReady()))
    child.kill('SIGTERM')
    expect(await exited).toBe(0)
    expect(wasShutDown(dataDir)).toBe(true)
    expect(await errors).toBe('rowhouse: The log cannot be written (ENOSPC); the service goes on without it.\n')
  },
)

/** Between the two there is no file, or one in which our own number stands. */
const isAnother = (dataDir: string, others: number[]): boolean =>
  existsSync(join(dataDir, 'postgres/postmaster.pid')) && !others.includes(postmasterPid(dataDir))

test('also when nothing at all can be written', async () => {
  const full = openSync('/dev/full', 'w')
  const { child, url, token, exited } = await startWith(full, full, { LOG_LEVEL: 'debug' })
  expect((await call(`${url}/api/v1/tables`, { token })).status).toBe(200)
  child.kill('SIGTERM')
  expect(await exited).toBe(0)
})

test('a reader that stalls holds up no request, and not the end', async () => {
  const { child, url, token, dataDir, exited } = await startWith('pipe', 'pipe', { LOG_LEVEL: 'debug' })
  child.stdout!.pause()
  const path = `/api/v1/tables?${'x'.repeat(2000)}=1`
  for (let round = 0; round < 40; round++) {
    const answers = Array.from({ length: 50 }, () => call(url + path, { token }))
    for (const answer of await Promise.all(answers)) expect(answer.status).toBeLessThan(500)
  }
  child.kill('SIGTERM')
  expect(await exited).toBe(0)
  expect(wasShutDown(dataDir)).toBe(true)
})

test('its last lines are there, in a file and in a pipe', async () => {
  const file = join(newFolder(), 'log')
  const toFile = await startWith(openSync(file, 'w'), 'pipe')
  toFile.child.kill('SIGTERM')
  await toFile.exited
  const toPipe = await startWith('pipe', 'pipe')
  const piped = text(toPipe.child.stdout!)
  toPipe.child.kill('SIGTERM')
  for (const log of [await Bun.file(file).text(), await piped]) {
    const messages = log
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).msg)
    expect(messages.slice(-2)).toEqual(['stopping: SIGTERM', 'stopped'])
  }
})
