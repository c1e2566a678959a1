import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { createReadStream, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startCaddy } from '../support/caddy'
import { isDrilling, rounds } from '../support/drill'
import { call, newFolder, type Service } from '../support/executable'
import { startNginx } from '../support/nginx'
import { cellPath, largeFile, makePets } from '../support/pets'
import { until } from '../support/processes'
import { curl, type ReverseProxy } from '../support/reverse-proxy'
import { administrator, startUsed } from '../support/used-data'

const csv = ['Content-Type: text/csv']
const lines = 100_000

/** 20 MB: more than all buffers on the way hold. What counts is the bytes, so the lines are long and few. */
function largeCsv(): string {
  const path = join(newFolder(), 'large.csv')
  const note = 'a note of some length '.repeat(9)
  writeFileSync(path, `number,note\n${Array.from({ length: lines }, (_, index) => `${index},${note}\n`).join('')}`)
  return path
}

async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer)
  return hash.digest('hex')
}

let service: Service & { token: string }
const proxies = { nginx: startNginx, Caddy: startCaddy }
type Name = keyof typeof proxies
let started: Record<Name, ReverseProxy>
let file: string
beforeAll(async () => {
  service = await startUsed({ environment: { TRUSTED_PROXIES: '127.0.0.1' } })
  started = { nginx: await startNginx(service.url), Caddy: await startCaddy(service.url) }
  file = largeCsv()
  await makePets(service)
})
afterAll(async () => {
  for (const proxy of Object.values(started)) await proxy[Symbol.asyncDispose]()
  await service.stop()
})

const json = async (path: string) => (await call(`${service.url}/api/v1${path}`, { token: service.token })).json()
const counted = async () => (await json('/tables/items/records?limit=1&count=exact')).totalCount as number

/** Each proxy and each protocol; in drills each with each. */
const pairs: [Name, '1.1' | '2'][] = [
  ['nginx', '1.1'],
  ['Caddy', '2'],
]
const otherPairs: typeof pairs = [
  ['nginx', '2'],
  ['Caddy', '1.1'],
]

describe.each(isDrilling ? [...pairs, ...otherPairs] : pairs)('behind %s, by HTTP/%s', (name, http) => {
  const api = (path: string) => `${started[name].url}/api/v1${path}`
  const token = () => service.token

  test('an import of 20 MB is answered once it is read, whatever is accepted: nginx stops sending at the first byte of an answer', async () => {
    const headers = [...csv, 'Accept: application/x-ndjson']
    const answer = await curl(api('/tables/items/import?dryRun=true'), { token: token(), headers, file, http })
    expect(answer).toMatchObject({ status: 200, http, exitCode: 0 })
    expect(JSON.parse(answer.body)).toMatchObject({ inserted: lines, dryRun: true })
  })

  test('an import of 20 MB goes on as a job, can be asked for, and is whole', async () => {
    const before = await counted()
    const answer = await curl(api('/tables/items/import'), { token: token(), headers: [...csv, 'Prefer: respond-async'], file, http })
    expect(answer).toMatchObject({ status: 202, http, exitCode: 0 })
    const { id } = JSON.parse(answer.body)
    expect(answer.headers).toContain(`ocation: /api/v1/imports/${id}`)
    await until('the import is complete', async () => (await json(`/imports/${id}`)).state === 'complete')
    expect(await json(`/imports/${id}`)).toMatchObject({ rows: lines, result: { inserted: lines } })
    expect(await counted()).toBe(before + lines)
  })

  test('a table is made from a form of 20 MB, and a look at its beginning is answered', async () => {
    const form = [`name=made_${name}_${http.replace('.', '_')}`, `file=@${file};filename=large.csv`]
    const look = await curl(api('/tables/import?dryRun=true'), { token: token(), form, http })
    expect(look).toMatchObject({ status: 200, exitCode: 0 })
    const answer = await curl(api('/tables/import'), { token: token(), form, headers: ['Prefer: respond-async'], http })
    expect(answer).toMatchObject({ status: 202, exitCode: 0 })
    const { id } = JSON.parse(answer.body)
    await until('the table is made', async () => (await json(`/imports/${id}`)).state === 'complete')
    expect(await json(`/imports/${id}`)).toMatchObject({ result: { inserted: lines } })
  })

  test('an attachment of 20 MB comes back as it was', async () => {
    const path = largeFile(20)
    const headers = ['Content-Type: application/octet-stream']
    const answer = await curl(`${started[name].url}${cellPath}?name=large.bin`, { token: token(), headers, file: path, http })
    expect(answer).toMatchObject({ status: 201, exitCode: 0 })
    const back = `${path}.back`
    const [stored] = JSON.parse(answer.body).slice(-1)
    expect(await curl(started[name].url + stored.url, { token: token(), output: back, http })).toMatchObject({ status: 200, exitCode: 0 })
    expect(await sha256Of(back)).toBe(await sha256Of(path))
  })

  test('a large export is whole, by its own word', async () => {
    const path = join(newFolder(), 'export.csv')
    const answer = await curl(api('/tables/items/export.csv'), { token: token(), output: path, http })
    expect(answer).toMatchObject({ status: 200, exitCode: 0 })
    const [, id] = /^x-export-id: (\S+)/im.exec(answer.headers) ?? []
    expect(await json(`/exports/${id}`)).toMatchObject({ state: 'complete', sha256: await sha256Of(path) })
  })

  test.each([
    ['into no table', 404, () => ({ headers: csv, token: token(), path: '/tables/nothing/import' })],
    ['that is no CSV', 415, () => ({ headers: ['Content-Type: image/png'], token: token() })],
    ['with an unknown column', 422, () => ({ headers: csv, token: token(), path: '/tables/pets/import' })],
  ])('20 MB %s are answered %i, and not by the proxy with 502', async (_what, status, request) => {
    const { path = '/tables/items/import', ...sent } = request() as { path?: string; headers: string[]; token?: string }
    const answer = await curl(api(path), { ...sent, file, http })
    expect(answer).toMatchObject({ status, exitCode: 0 })
    expect(JSON.parse(answer.body)).toMatchObject({ status, requestId: expect.any(String) })
  })
})

describe.each(['nginx', 'Caddy'] as const)('behind %s', (name) => {
  test.each([
    ['of a stranger', 401, () => undefined],
    ['of a token that is none', 401, () => 'x'.repeat(43)],
  ])('20 MB %s are refused with %i while the proxy is still sending them, and not by the proxy with 502', async (_whose, status, token) => {
    const attempt = async (http: '1.1' | '2') => {
      const url = `${started[name].url}/api/v1/tables/items/import`
      const answer = await curl(url, { headers: csv, token: token(), file, http })
      expect(answer).toMatchObject({ status, http, exitCode: 0 })
      expect(JSON.parse(answer.body)).toMatchObject({ status, requestId: expect.any(String) })
    }
    for (let time = 0; time < rounds(2, 5); time++) await Promise.all([attempt('1.1'), attempt('2')])
  })

  test('the caller is who has reached the proxy, whatever it claims to be, and its cookie is for https', async () => {
    const claims = [
      'X-Forwarded-For: 198.51.100.7',
      'X-Forwarded-Host: evil.example',
      'X-Forwarded-Proto: http',
      'Forwarded: for=198.51.100.7',
    ]
    const body = join(newFolder(), 'login.json')
    writeFileSync(body, JSON.stringify(administrator))
    // From an address of its own, since the proxy's is trusted.
    const sent = { headers: ['Content-Type: application/json', ...claims], file: body, from: '127.0.0.2' }
    const answer = await curl(`${started[name].url}/auth/login`, sent)
    expect(answer).toMatchObject({ status: 200, exitCode: 0 })
    expect(answer.headers).toMatch(/^set-cookie: service_session=.*; Secure/im)
    const cookie = /service_session=[^;]+/.exec(answer.headers)![0]
    const { sessions } = (await (await call(`${service.url}/auth/sessions`, { cookie })).json()) as { sessions: object[] }
    expect(sessions).toContainEqual(expect.objectContaining({ current: true, address: '127.0.0.2' }))
  })

  test('a request by another site is refused though it names itself as the host, and one by our own page is not', async () => {
    const { url } = started[name]
    const attempt = async (origin: string) => {
      const body = join(newFolder(), 'login.json')
      writeFileSync(body, JSON.stringify(administrator))
      const headers = ['Content-Type: application/json', `Origin: ${origin}`, 'X-Forwarded-Host: evil.example']
      return curl(`${url}/auth/login`, { headers, file: body })
    }
    expect((await attempt(url)).status).toBe(200)
    expect((await attempt('https://evil.example')).status).toBe(403)
  })
})

test('what is larger than client_max_body_size is nginx’s to refuse, and a word of the docs', async () => {
  await using strict = await startNginx(service.url, (block) => block.replace(/client_max_body_size .*;/, 'client_max_body_size 1m;'))
  const answer = await curl(`${strict.url}/api/v1/tables/items/import`, { token: service.token, headers: csv, file })
  expect(answer.status).toBe(413)
  expect(answer.body).toContain('nginx')
})
