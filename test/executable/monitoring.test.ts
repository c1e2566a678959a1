import { afterAll, beforeAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import { json } from '../support/app'
import { call, newFolder, type Service, startService } from '../support/executable'
import { pluginsWith } from '../support/plugins'
import { until } from '../support/processes'
import { administrator, setUp } from '../support/used-data'

let service: Service
let token: string
let metricsUrl: string
let recordId: string
const environment = { ROWHOUSE_METRICS: '127.0.0.1:0', ROWHOUSE_ACCESS_LOG: '1', LOG_LEVEL: 'info' }

beforeAll(async () => {
  const cwd = newFolder()
  pluginsWith({ 'odd/plugin.ts': 'throw new Error("no")' }, join(cwd, 'plugins'))
  service = await startService({ cwd, environment })
  token = await setUp(service)
  metricsUrl = /http:\S+/.exec(service.log.find(({ msg }) => msg.startsWith('Metrics for Prometheus'))!.msg)![0]
  await call(`${service.url}/api/v1/tables`, { token, body: { name: 'books', columns: [{ name: 'title', type: 'text' }] } })
  recordId = (await json(call(`${service.url}/api/v1/tables/books/records`, { token, body: { title: 'Emma' } }))).id
})
afterAll(() => service.stop())

const scrape = async () => (await fetch(metricsUrl)).text()
/** The value of a metric with exactly these labels, in any order. */
async function metric(name: string, labels: Record<string, string> = {}): Promise<number | undefined> {
  for (const line of (await scrape()).split('\n')) {
    const [, found, shown = '', value] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? []
    const has = Object.fromEntries([...shown.matchAll(/(\w+)="([^"]*)"/g)].map(([, label, text]) => [label!, text!]))
    if (found === name && Bun.deepEquals(has, labels)) return Number(value)
  }
  return undefined
}
type AccessLine = {
  requestId: string
  path: string
  route: string | null
  status: number
  userId?: string
  tokenId?: string
  bytes: number | null
}
async function accessLine(requestId: string): Promise<AccessLine> {
  const find = () => service.log.find((line) => line.msg === 'request' && (line as object as AccessLine).requestId === requestId)
  await until('the request is in the log', async () => find() !== undefined)
  return find() as object as AccessLine
}

test('requests are counted by the pattern of their route, also on the short way of reads by key', async () => {
  const labels = { method: 'GET', route: '/api/v1/tables/:tableId/records/:pk', status: '200' }
  const before = (await metric('rowhouse_http_requests_total', labels)) ?? 0
  for (let time = 0; time < 5; time++) await call(`${service.url}/api/v1/tables/books/records/${recordId}`, { token })
  expect(await metric('rowhouse_http_requests_total', labels)).toBe(before + 5)
  await call(`${service.url}/no-such-page-${recordId}`)
  await fetch(`${service.url}/api/v1/tables`, { method: 'PROPFIND' }).catch(() => null)
  const text = await scrape()
  expect(text).not.toContain(`no-such-page-${recordId}`)
  expect(text).not.toContain('PROPFIND')
  expect(text).not.toContain('books')
})

test('sign-ins, jobs, plugins, the database and the disk are there', async () => {
  await call(`${service.url}/auth/login`, { body: { email: administrator.email, password: 'wrong wrong wrong' } })
  await call(`${service.url}/auth/login`, { body: administrator })
  expect(await metric('rowhouse_sign_ins_total', { outcome: 'failed' })).toBe(1)
  expect(await metric('rowhouse_sign_ins_total', { outcome: 'ok' })).toBe(1)
  await (await call(`${service.url}/api/v1/tables/books/export.csv`, { token })).text()
  await until('the export has ended', async () => (await metric('rowhouse_jobs_total', { job: 'export', outcome: 'ok' })) === 1)
  expect(await metric('rowhouse_jobs_running', { job: 'export' })).toBe(0)
  const body = new Blob(['title\nPersuasion\n'])
  const headers = { 'content-type': 'text/csv', authorization: `Bearer ${token}` }
  const imported = await fetch(`${service.url}/api/v1/tables/books/import`, { method: 'POST', body, headers })
  expect(imported.status).toBe(200)
  expect(await metric('rowhouse_jobs_total', { job: 'import', outcome: 'ok' })).toBe(1)
  expect(await metric('rowhouse_plugins', { state: 'failed' })).toBe(1)
  expect(await metric('rowhouse_database_up')).toBe(1)
  expect(await metric('rowhouse_database_size_bytes')).toBeGreaterThan(1_000_000)
  expect(await metric('rowhouse_disk_free_bytes')).toBeGreaterThan(0)
  expect(await metric('rowhouse_backup_age_seconds')).toBeUndefined()
  expect(await metric('process_resident_memory_bytes')).toBeGreaterThan(10_000_000)
})

test('only summaries have quantiles, as promtool wants it', async () => {
  const text = await scrape()
  for (const [, name] of text.matchAll(/^(\w+)\{[^}]*quantile=/gm)) expect(text).toContain(`# TYPE ${name} summary`)
  expect(text).toMatch(/^rowhouse_event_loop_lag_seconds\{share="0.99"\} /m)
})

const docs = join(import.meta.dir, '../../docs')
type Rule = { alert: string; expr: string }
async function readRules(): Promise<Rule[]> {
  const { groups } = Bun.YAML.parse(await Bun.file(join(docs, 'prometheus-alerts.yml')).text()) as { groups: { rules: Rule[] }[] }
  return groups.flatMap(({ rules }) => rules)
}

test('requests that wait for changes are not slow ones to the rules for alerts', async () => {
  for (const path of ['changes', 'tables/books/changes']) await call(`${service.url}/api/v1/${path}?wait=0`, { token })
  const { expr } = (await readRules()).find(({ alert }) => alert === 'RowhouseSlow')!
  const leftOut = new RegExp(`^(?:${/route!~"([^"]+)"/.exec(expr)?.[1]})$`)
  const routes = new Set([...(await scrape()).matchAll(/^rowhouse_http_requests_total\{.*route="([^"]*)"/gm)].map(([, route]) => route!))
  expect([...routes].filter((route) => leftOut.test(route)).sort()).toEqual(['/api/v1/changes', '/api/v1/tables/:tableId/changes'])
})

test('every metric of the documentation and of the rules for alerts exists', async () => {
  const shown = new Set([...(await scrape()).matchAll(/^# TYPE (\w+)/gm)].map(([, name]) => name!))
  const page = await Bun.file(join(docs, 'monitoring.md')).text()
  const named = (await readRules()).flatMap(({ expr }) => expr.match(/rowhouse_\w+/g) ?? [])
  expect(named.length).toBeGreaterThanOrEqual(8)
  expect(named.map((name) => name.replace(/_bucket$/, '')).filter((name) => !shown.has(name))).toEqual([])
  const listed = [...new Set(page.match(/(?<=`)(rowhouse|process)_\w+(?=`)/g))]
  expect(listed.filter((name) => !shown.has(name))).toEqual([])
  expect([...shown].filter((name) => !listed.includes(name))).toEqual([])
})

test('the access log tells route, user, token and length, and never a secret', async () => {
  const { user } = await json(call(`${service.url}/auth/me`, { token }))
  const { tokens } = await json(call(`${service.url}/api/v1/auth/tokens`, { token }))
  const get = (id: string, path: string, withToken?: string) =>
    call(`${service.url}${path}`, { token: withToken, headers: { 'x-request-id': id } }).then((response) => response.text())
  const path = `/api/v1/tables/books/records/${recordId}`
  const read = await get('by-key', path, token)
  const known = { userId: user.id, tokenId: tokens[0].id }
  expect(await accessLine('by-key')).toMatchObject({
    ...known,
    path,
    route: '/api/v1/tables/:tableId/records/:pk',
    status: 200,
    bytes: Buffer.byteLength(read),
  })
  const listed = await get('list', `/api/v1/tables/books/records?limit=1&token=${token}`)
  expect(await accessLine('list')).toMatchObject({ ...known, path: '/api/v1/tables/books/records', bytes: Buffer.byteLength(listed) })
  const refused = await get('stranger', path, `${token.slice(0, -4)}xxxx`)
  const line = await accessLine('stranger')
  expect([line.status, line.userId, line.bytes]).toEqual([401, undefined, Buffer.byteLength(refused)])
  await get('export', '/api/v1/tables/books/export.csv', token)
  expect(await accessLine('export')).toMatchObject({ ...known, bytes: null })
  expect(JSON.stringify(service.log)).not.toContain(token)
})

test('an address that is taken is a sentence, and the listener answers nothing else', async () => {
  expect((await fetch(metricsUrl.replace('/metrics', '/'))).status).toBe(404)
  expect((await fetch(metricsUrl, { method: 'POST' })).status).toBe(405)
  const { port } = new URL(metricsUrl)
  const ended = await startService({ environment: { ROWHOUSE_METRICS: `127.0.0.1:${port}` } }).catch((error: Error) => error.message)
  expect(String(ended)).toContain('choose another with ROWHOUSE_METRICS')
})
