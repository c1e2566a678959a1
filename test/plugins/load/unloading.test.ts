import { afterAll, expect, test } from 'bun:test'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { loadPlugins, pluginProblems, wholePlugins } from '../../../src/plugins/load/loaded'
import { watchPlugins } from '../../../src/plugins/load/watch'
import { endpoints, pluginsWith } from '../../support/plugins'
import { until } from '../../support/processes'

const unloaded: string[] = []
const failures: unknown[] = []
Object.assign(globalThis, { unloadedHere: unloaded })
const hooks: (() => void)[] = []
afterAll(() => {
  for (const end of hooks) end()
})

const version = (name: string, rest = '') =>
  `import { onUnload } from 'rowhouse/plugin'\nonUnload(() => void globalThis.unloadedHere?.push('${name}'))\n${rest}\n${endpoints(
    `{ method: 'GET', path: '/', public: true, allow: () => true, handle: () => onUnload(() => {}) }`,
  )}`

test('what a version has begun ends when another one takes its place, when that fails, and when the plugin is taken away', async () => {
  const folder = pluginsWith({ 'one/plugin.ts': version('first'), 'two/plugin.ts': version('other') })
  const loaded = await loadPlugins(folder, {})
  expect(wholePlugins(loaded).map(({ name }) => name)).toEqual(['one', 'two'])
  const problems: unknown[] = []
  const end = watchPlugins(
    loaded,
    { folder, limitMs: 5000, environment: {} },
    {
      onChange: () => {},
      onProblems: (found) => void problems.push(...found),
      onUnloadFailed: (plugin, error) => void failures.push([plugin, String(error)]),
    },
  )
  hooks.push(end)
  const file = join(folder, 'one/plugin.ts')
  writeFileSync(file, version('second', `onUnload(() => { throw new Error('no end') })`))
  await until('the first is unloaded', async () => unloaded.join() === 'first')
  writeFileSync(file, version('third'))
  await until('the second is unloaded', async () => unloaded.join() === 'first,second' && failures.length === 1)
  expect(failures).toEqual([['one', 'Error: no end']])
  rmSync(join(folder, 'one'), { recursive: true })
  await until('the third is unloaded', async () => unloaded.join() === 'first,second,third')
})

test('what began before loading failed is ended, and nothing can be said later', async () => {
  unloaded.length = 0
  // Its own process has no list to write to, where it goes well.
  const rest = `if (globalThis.unloadedHere) throw new Error('not here')`
  const folder = pluginsWith({ 'bad/plugin.ts': version('bad', rest), 'good/plugin.ts': version('good') })
  const loaded = await loadPlugins(folder, {})
  expect(pluginProblems(loaded).map(({ message }) => message)).toEqual(['not here'])
  await until('it is unloaded', async () => unloaded.join() === 'bad')
  const [good] = wholePlugins(loaded)
  expect(() => good!.endpoints[0]!.handle({} as never)).toThrow('when the plugin is loaded')
})
