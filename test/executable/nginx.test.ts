import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { createReadStream, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { call, newFolder, type Service } from '../support/executable'
import { curl, type Nginx, startNginx } from '../support/nginx'
import { cellPath, largeFile, makePets } from '../support/pets'
import { until } from '../support/processes'
import { startUsed } from '../support/used-data'

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
let nginx: Nginx
let file: string
beforeAll(async () => {
  service = await startUsed({ environment: { TRUSTED_PROXIES: '127.0.0.1' } })
  nginx = await startNginx(service.url)
  file = largeCsv()
  await makePets(service)
})
afterAll(async () => {
  await nginx[Symbol.asyncDispose]()
  await service.stop()
})

const api = (path: string) => `${nginx.url}/api/v1${path}`
const json = async (path: string) => (await call(`${service.url}/api/v1${path}`, { token: service.token })).json()
const counted = async () => (await json('/tables/items/records?limit=1&count=exact')).totalCount as number

describe.each(['1.1', '2'] as const)('behind nginx, by HTTP/%s', (http) => {
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
    const form = [`name=made_${http.replace('.', '_')}`, `file=@${file};filename=large.csv`]
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
    const answer = await curl(`${nginx.url}${cellPath}?name=large.bin`, { token: token(), headers, file: path, http })
    expect(answer).toMatchObject({ status: 201, exitCode: 0 })
    const back = `${path}.back`
    const [stored] = JSON.parse(answer.body).slice(-1)
    expect(await curl(nginx.url + stored.url, { token: token(), output: back, http })).toMatchObject({ status: 200, exitCode: 0 })
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
  ])('20 MB %s are answered %i, and not by nginx with 502', async (_what, status, request) => {
    const { path = '/tables/items/import', ...sent } = request() as { path?: string; headers: string[]; token?: string }
    const answer = await curl(api(path), { ...sent, file, http })
    expect(answer).toMatchObject({ status, exitCode: 0 })
    expect(JSON.parse(answer.body)).toMatchObject({ status, requestId: expect.any(String) })
  })
})

test.each([
  ['of a stranger', 401, () => undefined],
  ['of a token that is none', 401, () => 'x'.repeat(43)],
])('20 MB %s are refused with %i while nginx is still sending them, and not by nginx with 502', async (_whose, status, token) => {
  const attempt = async (http: '1.1' | '2') => {
    const answer = await curl(api('/tables/items/import'), { headers: csv, token: token(), file, http })
    expect(answer).toMatchObject({ status, http, exitCode: 0 })
    expect(JSON.parse(answer.body)).toMatchObject({ status, requestId: expect.any(String) })
  }
  for (let time = 0; time < 5; time++) await Promise.all([attempt('1.1'), attempt('2')])
})

test('what is larger than client_max_body_size is nginx’s to refuse, and a word of the docs', async () => {
  await using strict = await startNginx(service.url, (block) => block.replace(/client_max_body_size .*;/, 'client_max_body_size 1m;'))
  const answer = await curl(`${strict.url}/api/v1/tables/items/import`, { token: service.token, headers: csv, file })
  expect(answer.status).toBe(413)
  expect(answer.body).toContain('nginx')
})
