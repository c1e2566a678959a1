import { expect, test } from 'bun:test'
import { run, startService } from '../support/executable'
import { tally } from '../support/guess'
import { startNginx } from '../support/nginx'
import { endpoints, pluginsWith } from '../support/plugins'
import { startPostgres } from '../support/postgres'
import { curl } from '../support/reverse-proxy'

const site = 'https://shop.example'
const plugins = pluginsWith({
  'shop/plugin.ts': endpoints(
    `{ method: 'GET', path: '/stock', public: true, cors: ['${site}'], limit: { perIp: '10/d' }, allow: () => true, handle: ({ address }) => address }`,
  ),
})
const path = '/api/v1/custom/shop/stock'

test('behind nginx an address has one budget at two instances, whichever it reaches, and its own alone', async () => {
  await using server = await startPostgres()
  const environment = {
    DATABASE_URL: await server.createDatabase('limits'),
    ROWHOUSE_PLUGINS_DIR: plugins,
    TRUSTED_PROXIES: '127.0.0.1',
    ROWHOUSE_CORS_ORIGINS: 'https://office.example',
  }
  await using one = await startService({ environment })
  await using two = await startService({ environment })
  const proxies = [await startNginx(one.url), await startNginx(two.url)]
  const ask = async (index: number, from: string, headers: string[] = []) =>
    curl(proxies[index % 2]!.url + path, { from, headers: [`Origin: ${site}`, ...headers] })
  const statuses = async (times: number, from: string, headers?: string[]) =>
    tally((await Promise.all(Array.from({ length: times }, (_, index) => ask(index, from, headers)))).map(({ status }) => status))
  try {
    expect(await statuses(24, '127.0.0.2')).toEqual({ 200: 10, 429: 14 })
    // What a client says of its address is not believed.
    expect(await statuses(4, '127.0.0.2', ['X-Forwarded-For: 192.0.2.1'])).toEqual({ 429: 4 })
    const other = await ask(0, '127.0.0.3')
    expect([other.status, other.body]).toEqual([200, '"127.0.0.3"'])
    for (const index of [0, 1]) {
      const refused = await ask(index, '127.0.0.2')
      expect(refused.headers).toMatch(/^retry-after: \d+\r$/im)
      expect(refused.headers).toContain(`access-control-allow-origin: ${site}`)
      expect(JSON.parse(refused.body)).toMatchObject({ code: 'too_many_requests' })
    }
    const preflight = await curl(`${proxies[0]!.url}/rest/v1/anything`, {
      method: 'OPTIONS',
      headers: ['Origin: https://office.example', 'Access-Control-Request-Method: POST'],
    })
    expect([preflight.status, preflight.headers]).toEqual([204, expect.stringContaining('access-control-allow-methods: GET, HEAD, POST')])
  } finally {
    for (const proxy of proxies) await proxy[Symbol.asyncDispose]()
  }
})

test('the trial of plugins calls an endpoint as all four callers, however few calls it allows', async () => {
  const folder = pluginsWith({
    'few/plugin.ts': endpoints(
      `{ method: 'GET', path: '/one', public: true, limit: { perIp: '1/d' }, allow: () => true, handle: () => 1 }`,
    ),
  })
  const { code, stdout } = await run(['plugins', 'test'], { environment: { ROWHOUSE_PLUGINS_DIR: folder } })
  expect([code, stdout]).toEqual([0, expect.stringContaining('GET\t200\t200\t200\t200\t/api/v1/custom/few/one')])
})
