import { describe, expect, test } from 'bun:test'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { json } from '../support/app'
import { call, newFolder, run, type Service, setupCodeOf, startService } from '../support/executable'
import { tally } from '../support/guess'
import { startTwo } from '../support/instances'
import { startPostgres } from '../support/postgres'
import { copyPrepared, unclaimed } from '../support/prepared-data'
import { administrator, setUp } from '../support/used-data'

const { email, password } = administrator

function passwordFile(text: string): string {
  const path = join(newFolder(), 'password')
  writeFileSync(path, text)
  return path
}

const signIn = ({ url }: Service, secret = password) => call(`${url}/auth/login`, { body: { email, password: secret } })

test('thirty callers with the code, on two instances: one makes the administrator, and it is done for ever', async () => {
  await using instances = await startTwo()
  const { one, two } = instances
  const attempt = async (index: number): Promise<Response> => {
    const [to, code] = [index % 2 ? one : two, setupCodeOf((index % 4 < 2 ? one : two).dataDir)]
    const answer = await call(`${to.url}/auth/setup`, { body: { email: `ada${index}@example.org`, password, code } })
    // On a slow machine the last ones do not get their turn to hash, and are asked to try again.
    return answer.status === 503 ? attempt(index) : answer
  }
  const codes = [one, two].map(({ dataDir }) => setupCodeOf(dataDir))
  const answers = await Promise.all(Array.from({ length: 30 }, (_, index) => attempt(index)))
  expect(tally(answers.map(({ status }) => status))).toEqual({ 201: 1, 409: 29 })
  const winner = answers.find(({ status }) => status === 201)!
  const cookie = winner.headers.getSetCookie()[0]!.split(';')[0]
  for (const { url } of [one, two]) {
    expect((await json(call(`${url}/api/v1/users`, { cookie }))).users).toHaveLength(1)
    expect(await json(call(`${url}/auth/setup-status`))).toEqual({ setupRequired: false })
    for (const code of codes) expect((await call(`${url}/auth/setup`, { body: { ...administrator, code } })).status).toBe(409)
  }
})

test('the printed link carries the code whole, whatever is in it', async () => {
  const code = 'a+b/c=d&e%20f#g h"i'
  await using service = await startService({ environment: { SETUP_CODE: code } })
  // As the page behind the link reads it.
  const taken = new URLSearchParams(new URL(service.setupUrl!).hash.slice(1)).get('code')
  expect(taken).toBe(code)
  expect((await call(`${service.url}/auth/setup`, { body: { ...administrator, code: taken } })).status).toBe(201)
})

describe('unattended set-up', () => {
  /** Of starts that are refused: each finds it without an administrator, as the one before has. */
  const untouched = copyPrepared(unclaimed)

  test('two instances that start together make one administrator, who can sign in at both', async () => {
    const environment = {
      ROWHOUSE_ADMIN_EMAIL: ' Ada@Example.org',
      ROWHOUSE_ADMIN_PASSWORD_FILE: passwordFile(`${password}\nnot this line\n`),
    }
    await using instances = await startTwo(environment)
    const { one, two, uri } = instances
    for (const service of [one, two]) {
      expect((await signIn(service)).status).toBe(200)
      expect(await json(call(`${service.url}/auth/setup-status`))).toEqual({ setupRequired: false })
      expect(service.setupUrl).toBeUndefined()
      expect(JSON.stringify(service.log)).not.toContain(password)
    }
    expect([one, two].flatMap(({ log }) => log.filter(({ msg }) => msg.startsWith('Made the first administrator')))).toHaveLength(1)
    const cookie = (await signIn(one)).headers.getSetCookie()[0]!.split(';')[0]
    expect((await json(call(`${two.url}/api/v1/users`, { cookie }))).users).toHaveLength(1)
    const { entries } = await json(call(`${two.url}/api/v1/audit?kind=setup`, { cookie }))
    expect(entries).toEqual([expect.objectContaining({ result: 'ok', credential: 'command' })])

    const later = { ...environment, DATABASE_URL: uri, ROWHOUSE_ADMIN_PASSWORD_FILE: passwordFile('quite another one') }
    await using third = await startService({ environment: later })
    expect((await signIn(third, 'quite another one')).status).toBe(401)
    expect((await signIn(third)).status).toBe(200)
  })

  test('with the embedded database', async () => {
    const environment = { ROWHOUSE_ADMIN_EMAIL: email, ROWHOUSE_ADMIN_PASSWORD_FILE: passwordFile(password) }
    await using service = await startService({ environment })
    expect((await signIn(service)).status).toBe(200)
    expect(await Bun.file(join(service.dataDir, 'setup-code')).exists()).toBe(false)
  })

  test('needs its file only until there is an administrator: a secret that is deleted afterwards stops no start', async () => {
    const file = passwordFile(password)
    const environment = { ROWHOUSE_ADMIN_EMAIL: email, ROWHOUSE_ADMIN_PASSWORD_FILE: file }
    const first = await startService({ environment })
    await first.stop()
    rmSync(file)
    await using second = await startService({ dataDir: first.dataDir, environment })
    expect((await signIn(second)).status).toBe(200)
  })

  test.each([
    ['that is not there', '/nonexistent', 'names a file that cannot be read'],
    ['that is empty', '/dev/null', 'names a file whose first line is empty'],
  ])('with a file %s the start ends with one sentence', async (_what, file, reason) => {
    const environment = {
      PORT: '0',
      ROWHOUSE_DATA_DIR: (await untouched).dataDir,
      ROWHOUSE_ADMIN_EMAIL: email,
      ROWHOUSE_ADMIN_PASSWORD_FILE: file,
    }
    const { code, stderr } = await run([], { environment })
    expect({ code, stderr }).toEqual({ code: 1, stderr: `rowhouse: ROWHOUSE_ADMIN_PASSWORD_FILE ${reason}.\n` })
  })

  test('leaves alone what was set up by hand', async () => {
    await using server = await startPostgres()
    const DATABASE_URL = await server.createDatabase('byhand')
    await using first = await startService({ environment: { DATABASE_URL } })
    await setUp(first)
    const environment = { DATABASE_URL, ROWHOUSE_ADMIN_EMAIL: 'eve@example.org', ROWHOUSE_ADMIN_PASSWORD_FILE: passwordFile('letmein') }
    await using second = await startService({ environment })
    expect((await signIn(second)).status).toBe(200)
  })

  test.each([
    ['a common password', email, 'password123', 'most common'],
    ['a short password', email, 'short', '8 to 256'],
    ['a password of their own name', email, 'ada.2026', 'your name'],
    ['no address', 'ada', password, 'e-mail address'],
  ])('with %s the start ends with a sentence that names the settings', async (_what, address, secret, reason) => {
    const settings = { ROWHOUSE_ADMIN_EMAIL: address, ROWHOUSE_ADMIN_PASSWORD_FILE: passwordFile(secret) }
    const { code, stdout, stderr } = await run([], {
      environment: { PORT: '0', ROWHOUSE_DATA_DIR: (await untouched).dataDir, ...settings },
    })
    expect(code).toBe(1)
    expect(stderr).toMatch(new RegExp(`^rowhouse: ROWHOUSE_ADMIN_EMAIL and ROWHOUSE_ADMIN_PASSWORD_FILE .*(${reason}).*\\.\n$`))
    expect(stderr + stdout).not.toContain(secret)
    expect(stdout).not.toContain('listening on')
  })
})
