import { expect, test } from 'bun:test'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import postgres, { type Sql } from 'postgres'
import { json } from '../support/app'
import { call, run, type Service, setupCodeOf, startService } from '../support/executable'
import { cookieOf } from '../support/used-data'

const email = 'ada@example.org'
const passwords = [
  'zebra seven quartz',
  'walrus eleven onyx',
  'heron nineteen opal',
  'lemur fifteen jade',
  'ibis twelve topaz',
  'newt thirty beryl',
]
const [first = '', second = '', invited = '', wrong = '', guessed = '', ofLink = ''] = passwords
const unknownToken = 'Q7'.repeat(21).concat('w')

/** Uses every secret there is, also where it fails. @returns all of them, by name */
async function useEverything({ url, dataDir }: Service, sql: Sql): Promise<Record<string, string>> {
  const code = setupCodeOf(dataDir)
  await call(`${url}/auth/setup`, { body: { email, password: guessed, code: 'wrong code 0123456789' } })
  const done = await call(`${url}/auth/setup?code=${code}`, { body: { email, password: first, code } })
  const cookie = cookieOf(done)
  const token = await newToken(url, cookie)
  const revoked = await newToken(url, cookie)
  for (const secret of [wrong, first]) await call(`${url}/auth/login`, { body: { email, password: secret } })
  await call(`${url}/auth/login`, { body: { email: 'nobody@example.org', password: guessed, extra: guessed } })
  await call(`${url}/auth/login`, { body: { email: 'nobody@example.org', password: guessed } })
  await call(`${url}/auth/login?password=${encodeURIComponent(wrong)}`, { body: { email: wrong, password: [wrong] } })
  await call(`${url}/auth/password`, { cookie, body: { currentPassword: wrong, newPassword: second } })
  await call(`${url}/auth/password`, { cookie, body: { currentPassword: first, newPassword: second } })
  const { inviteToken } = await json(call(`${url}/api/v1/users`, { token, body: { email: 'bob@example.org', role: 'viewer' } }))
  await call(`${url}/auth/invite/check`, { body: { inviteToken } })
  const accepted = await call(`${url}/auth/invite`, { body: { inviteToken, password: invited } })
  await call(`${url}/auth/invite`, { body: { inviteToken, password: invited } })
  const { tokens } = await json(call(`${url}/auth/tokens`, { cookie }))
  await call(`${url}/auth/tokens/${tokens[0].id}`, { cookie, method: 'DELETE' })
  for (const secret of [token, revoked, unknownToken]) await sendEverywhere(url, secret)
  await call(`${url}/auth/me`, { cookie: `service_session=${unknownToken}` })
  await call(`${url}/auth/logout`, { cookie, method: 'POST', headers: { 'sec-fetch-site': 'cross-site' } })
  await call(`${url}/auth/logout`, { cookie, method: 'POST' })
  await call(`${url}/auth/me`, { cookie })
  const pending = await json(call(`${url}/api/v1/users`, { token, body: { email: 'eve@example.org', role: 'viewer' } }))
  const link = await useLink(url, sql, token)
  await failInside(url, sql, token)
  const value = (text: string) => text.slice(text.indexOf('=') + 1)
  const secrets = {
    code,
    token,
    revoked,
    unknownToken,
    inviteToken,
    link,
    pending: pending.inviteToken,
    session: value(cookie),
    other: value(cookieOf(accepted)),
  }
  return { ...secrets, ...Object.fromEntries(passwords.map((text, index) => [`password ${index}`, text])) }
}

const newToken = async (url: string, cookie: string): Promise<string> =>
  (await json(call(`${url}/auth/tokens`, { cookie, body: { name: 'test' } }))).token

/** By header and in the query, in several spellings, at addresses that are there, are not there, and are wrong. */
async function sendEverywhere(url: string, secret: string) {
  const spellings = ['token', 'to%6ben', 'to%6Ben', '%74oken', 'TOKEN', 'token[]', 'x=1&token', 'token=&token']
  const paths = [
    '/auth/me',
    '/api/v1/tables',
    '/nothing/here',
    '/api/v1/tables/none/records?limit=x&',
    '/api/v1/tables/%ff',
    '/',
    '/healthz',
  ]
  for (const path of paths) {
    await call(url + path, { token: secret })
    await call(url + path, { headers: { authorization: `Basic ${secret}`, 'x-request-id': 'known' } })
    for (const spelling of spellings) await call(`${url}${path}${path.includes('?') ? '' : '?'}${spelling}=${secret}`)
  }
  await call(`${url}/auth/me?token=${secret}`, { method: 'BREW' })
  await call(`${url}/auth/me`, { headers: { authorization: `Bearer ${secret} ${secret}` } })
  await call(`${url}/auth/logout?token=${secret}`, { method: 'POST', headers: { 'sec-fetch-site': 'cross-site' } })
  await call(`${url}/api/v1/tables?token=${secret}`, { body: { name: 'Bad Name' } })
}

/**
 * A share link that is opened, tried with wrong and right passwords, at addresses that are none, and while it cannot be
 * looked up. @returns its secret
 */
async function useLink(url: string, sql: Sql, token: string): Promise<string> {
  await call(`${url}/api/v1/tables`, { token, body: { name: 'shared', columns: [] } })
  const made = await json(call(`${url}/api/v1/links`, { token, body: { table: 'shared', password: ofLink } }))
  const secret = made.url.slice(-43)
  const enter = (password: string) =>
    fetch(`${url}/s/${secret}`, { method: 'POST', body: new URLSearchParams({ password }), redirect: 'manual' })
  const opened = [await enter(wrong), await enter(ofLink)]
  expect(opened.map(({ status }) => status)).toEqual([404, 303])
  const paths = [
    `/s/${secret}`,
    `/s/${secret}/`,
    `/s/${secret}.`,
    `/s/${secret}/files/x`,
    `/s/${secret}/a/b`,
    `/S/${secret}`,
    `/share/s/${secret}`,
  ]
  for (const path of [...paths, `//s/${secret}`, `/%73/${secret}`, `/s/${secret}?token=${secret}&opening=${secret}`]) {
    for (const method of ['GET', 'HEAD', 'PUT', 'POST', 'OPTIONS']) {
      const headers = { accept: 'application/json', 'x-link-password': ofLink, referer: `${url}/s/${secret}` }
      expect(await (await fetch(url + path, { method, headers, redirect: 'manual' })).text()).not.toContain(ofLink)
    }
  }
  await sql.unsafe('alter table rowhouse.share_links rename to away')
  const failed = await fetch(`${url}/s/${secret}`)
  expect(failed.status).toBe(500)
  expect(await failed.text()).not.toContain(secret)
  await sql.unsafe('alter table rowhouse.away rename to share_links')
  return secret
}

/** A crash while secrets are at hand: the audit log cannot be written, the accounts cannot be read. */
async function failInside(url: string, sql: Sql, token: string) {
  for (const table of ['audit', 'users', 'tokens']) {
    await sql.unsafe(`alter table rowhouse.${table} rename to away`)
    const answers = [
      await call(`${url}/auth/login`, { body: { email, password: second } }),
      await call(`${url}/auth/me?token=${token}`),
      await call(`${url}/auth/tokens?to%6ben=${token}`, { body: { name: 'crash' } }),
    ]
    expect(answers.map(({ status }) => status)).toContain(500)
    for (const answer of answers) expect(await answer.text()).not.toContain(token)
    await sql.unsafe(`alter table rowhouse.away rename to ${table}`)
  }
}

/** Every row of every table of the database, as text. */
async function dump(sql: Sql): Promise<string> {
  const tables = await sql`select format('%I.%I', schemaname, tablename) as name from pg_tables
    where schemaname not in ('pg_catalog', 'information_schema') order by 1`
  const texts = await Promise.all(tables.map(async ({ name }) => sql.unsafe(`select t::text as row from ${name} t`)))
  expect(tables.map(({ name }) => name)).toContain('rowhouse.audit')
  return texts.flatMap((rows, index) => rows.map(({ row }) => `${tables[index]!.name} ${row}`)).join('\n')
}

const filesBelow = (folder: string): string[] =>
  readdirSync(folder, { recursive: true })
    .map((name) => join(folder, String(name)))
    .filter((path) => statSync(path).isFile())

const forms = (secret: string): string[] => {
  const bytes = Buffer.from(secret)
  const raw = [secret, encodeURIComponent(secret), secret.replaceAll(' ', '+')]
  return [
    ...raw,
    bytes.toString('hex'),
    bytes.toString('base64').replace(/=+$/, ''),
    bytes.toString('base64url'),
    Buffer.from(secret, 'base64url').toString('hex'),
  ]
}

test('no secret is left behind: not in the database, not in its files, not in the log', async () => {
  await using service = await startService({
    environment: { LOG_LEVEL: 'trace', ROWHOUSE_ACCESS_LOG: '1', SETUP_CODE: 'a code of the operator 7' },
  })
  const { dataDir } = service
  const sql = postgres({ path: join(dataDir, 'run/.s.PGSQL.5432'), user: 'rowhouse', database: 'rowhouse', max: 2, fetch_types: false })
  const secrets = await useEverything(service, sql)
  const before = await dump(sql)
  for (const kept of [
    'rowhouse.share_links (',
    'rowhouse.tokens (',
    'rowhouse.sessions (',
    'rowhouse.invites (',
    'rowhouse.auth_throttle (',
    'csrf_rejected',
  ]) {
    expect(before).toContain(kept)
  }
  const reset = await run(['users', 'reset-password', email], { environment: { ROWHOUSE_DATA_DIR: dataDir }, input: `${invited} again\n` })
  expect(reset.stdout + reset.stderr).not.toContain(invited)
  expect(Object.values(secrets).filter((secret) => secret.length < 17)).toEqual([])

  const after = await dump(sql)
  await sql.end()
  await service.stop()
  // The start tells the setup code on purpose, in this line alone.
  const log = service.log.filter(({ msg }) => !msg.startsWith('listening on ')).map((line) => JSON.stringify(line))
  expect(log.length).toBeGreaterThan(100)
  expect(log.join()).toContain('/nothing/here')
  expect(log.join()).toContain('"/s/:token"')

  const places: [string, Buffer][] = [
    ['the database', Buffer.from(before + after)],
    ['the log', Buffer.from(log.join('\n'))],
  ]
  for (const path of filesBelow(join(dataDir, 'postgres'))) places.push([path, readFileSync(path)])
  const found = Object.entries(secrets).flatMap(([name, secret]) =>
    places.filter(([, bytes]) => forms(secret).some((form) => bytes.includes(form))).map(([place]) => `${name} in ${place}`),
  )
  expect(found).toEqual([])
})
