import { expect, test } from 'bun:test'
import { loadPlugins } from '../../../src/plugins/load/loaded'
import { smokeTestCalls } from '../../../src/plugins/load/smoke-test'
import { endpoints, pluginsWith } from '../../support/plugins'

const endpoint = (path: string, params: string) =>
  `{ method: 'GET', path: '${path}', public: true, ${params && `params: t.Object({ ${params} }),`} allow: () => true, handle: () => 1 }`

test.each([
  ['/stock/:sku', 'sku: t.String()', '/stock/1'],
  ['/stock/:sku', 'sku: t.String({ minLength: 3 })', /^\/stock\/[^/]{3,}$/],
  ['/stock/:sku', '', '/stock/1'],
  ['/page/:n', 'n: t.Integer({ minimum: 5 })', '/page/5'],
  ['/page/:n', 'n: t.Integer()', '/page/0'],
  ['/files/*', '', '/files/1'],
])('%s with %s is called at an address that it has', async (path, params, expected) => {
  const loaded = await loadPlugins(pluginsWith({ 'own/plugin.ts': endpoints(endpoint(path, params)) }), {})
  const [call] = smokeTestCalls(loaded.all.flatMap(({ plugin }) => plugin ?? []))
  expect(call!.url.replace('/api/v1/custom/own', '')).toMatch(
    expected instanceof RegExp ? expected : new RegExp(`^${expected.replaceAll('/', '\\/')}$`),
  )
})
