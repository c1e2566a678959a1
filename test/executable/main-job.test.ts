import { expect, test } from 'bun:test'
import { chownSync, copyFileSync, existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { json } from '../support/app'
import { call, executable, newFolder, type Service, setupCodeOf, startService } from '../support/executable'
import { isRoot } from '../support/scratch'
import { administrator, cookieOf } from '../support/used-data'

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8)

test.each([
  ['the user who runs the tests', false],
  // As root there is somebody else to try; an ordinary user has just been tried.
  ...(isRoot ? [['an ordinary user', true] as const] : []),
] as const)('as %s: copied alone into an empty folder it starts, is set up, and does the main job', async (_who, asNobody) => {
  const cwd = newFolder()
  const dataDir = join(newFolder(), 'data')
  if (asNobody) chownSync(join(dataDir, '..'), 65534, 65534)
  copyFileSync(executable(), join(cwd, 'rowhouse'))
  expect(readdirSync(cwd)).toEqual(['rowhouse'])
  await using service = await startService({ cwd, dataDir, asNobody })
  expect(existsSync(join(dataDir, 'postgres/PG_VERSION'))).toBe(true)
  expect(modeOf(join(dataDir, 'run'))).toBe('700')
  expect(modeOf(join(dataDir, 'postgres'))).toBe('700')
  expect(modeOf(join(dataDir, 'setup-code'))).toBe('600')
  const cookie = await setUpOnce(service)
  await signInAndOut(service)
  await readAndWrite(service, cookie)
})

/** @returns the session that setting up begins */
async function setUpOnce({ url, setupUrl, dataDir }: Service): Promise<string> {
  const code = setupCodeOf(dataDir)
  expect(setupUrl).toBe(`${url}/setup#code=${code}`)
  expect(await json(call(`${url}/auth/setup-status`))).toEqual({ setupRequired: true })
  expect((await call(`${url}/auth/setup`, { body: { ...administrator, code: 'wrong' } })).status).toBe(403)
  const done = await call(`${url}/auth/setup`, { body: { ...administrator, code } })
  expect(done.status).toBe(201)
  const again = await call(`${url}/auth/setup`, { body: { ...administrator, email: 'eve@example.org', code } })
  expect([again.status, (await json(again)).code]).toEqual([409, 'setup_done'])
  expect(await json(call(`${url}/auth/setup-status`))).toEqual({ setupRequired: false })
  return cookieOf(done)
}

async function signInAndOut({ url }: Service) {
  expect((await call(`${url}/auth/login`, { body: { ...administrator, password: 'wrong password' } })).status).toBe(401)
  const signedIn = await call(`${url}/auth/login`, { body: administrator })
  const cookie = cookieOf(signedIn)
  expect(signedIn.status).toBe(200)
  expect(cookie).toStartWith('service_session=')
  expect(await json(call(`${url}/auth/me`, { cookie }))).toMatchObject({
    user: { email: administrator.email, role: 'admin' },
    via: 'cookie',
  })
  expect((await call(`${url}/auth/logout`, { cookie, method: 'POST' })).status).toBe(204)
  expect((await call(`${url}/auth/me`, { cookie })).status).toBe(401)
}

async function readAndWrite({ url }: Service, cookie: string) {
  const books = { name: 'books', columns: [{ name: 'title', type: 'text', required: true }] }
  expect((await call(`${url}/api/v1/tables`, { cookie, body: books })).status).toBe(201)
  const { token } = await json(call(`${url}/auth/tokens`, { cookie, body: { name: 'script' } }))
  const records = `${url}/api/v1/tables/books/records`
  expect((await call(records, { body: { title: 'Dune' } })).status).toBe(401)
  const made = await call(records, { token, body: { title: 'Dune' } })
  expect([made.status, await made.json()]).toEqual([201, { id: 1, title: 'Dune' }])
  expect(await json(call(`${records}/1`, { token }))).toEqual({ id: 1, title: 'Dune' })
  expect(await json(call(`${records}/1?token=${token}`))).toEqual({ id: 1, title: 'Dune' })
  expect(await json(call(`${records}/1`, { token, method: 'PATCH', body: { title: 'Emma' } }))).toEqual({ id: 1, title: 'Emma' })
  expect(await json(call(records, { token }))).toEqual({ records: [{ id: 1, title: 'Emma' }], nextCursor: null })
  expect((await call(`${records}/1`, { token, method: 'DELETE' })).status).toBe(204)
  expect((await call(`${records}/1`, { token })).status).toBe(404)
}

test('after the setup a start makes no new code and removes the file', async () => {
  await using first = await startService()
  const code = setupCodeOf(first.dataDir)
  await setUpOnce(first)
  expect(existsSync(join(first.dataDir, 'setup-code'))).toBe(false)
  await first.stop()
  await using second = await startService({ dataDir: first.dataDir })
  expect(second.setupUrl).toBeUndefined()
  expect(existsSync(join(first.dataDir, 'setup-code'))).toBe(false)
  expect((await call(`${second.url}/auth/setup`, { body: { ...administrator, code } })).status).toBe(409)
})

test('before the setup every start shows the same code', async () => {
  await using first = await startService()
  const code = setupCodeOf(first.dataDir)
  await first.stop()
  await using second = await startService({ dataDir: first.dataDir })
  expect(setupCodeOf(second.dataDir)).toBe(code)
  expect(second.setupUrl).toEndWith(`#code=${code}`)
})
