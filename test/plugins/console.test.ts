import { expect, test } from 'bun:test'
import { createEvents, type Event } from '../../src/ops/log/events'
import { captureConsole } from '../../src/plugins/console'
import { loadPlugins, wholePlugins } from '../../src/plugins/load/loaded'
import { endpoints, pluginsWith } from '../support/plugins'

test('what a plugin writes with console is a line of the log with its name, and without its secrets', async () => {
  const said = `console.warn('key', settings.key, { a: [1] })`
  const text = endpoints(`{ method: 'GET', path: '/', public: true, allow: () => true, handle: ({ settings }) => { ${said} } }`)
  const folder = pluginsWith({
    'one/plugin.ts': `import './other'\n${text}`,
    'one/other.ts': `console.log('%s of %d', 'part', 2)`,
    'one/settings.toml': 'key = "key-of-the-plugin"',
  })
  const told: Event[] = []
  const events = createEvents()
  events.subscribe((event) => void told.push(event))
  const before = console.log
  const consoles = captureConsole(events, folder)
  try {
    const loaded = await loadPlugins(folder, {})
    consoles.know(loaded)
    const [one] = wholePlugins(loaded)
    one!.endpoints[0]!.handle({ settings: one!.settings.values } as never)
    console.error('of nobody')
  } finally {
    consoles.release()
  }
  expect(console.log).toBe(before)
  const line = (plugin: string, level: string, message: string, method: string) =>
    expect.objectContaining({ kind: 'plugin_log', plugin, level, message, fields: { console: method } })
  expect(told).toEqual([
    line('one', 'info', 'part of 2', 'log'),
    line('one', 'warn', 'key [redacted] { a: [ 1 ] }', 'warn'),
    line('unknown', 'error', 'of nobody', 'error'),
  ])
})
