import { format } from 'node:util'
import type { Events } from '../ops/log/events'
import { isPluginName, pluginsFolder } from './load/load'
import { type LoadedPlugins, wholePlugins } from './load/loaded'
import { loggerFor } from './logger'

const levels = { log: 'info', info: 'info', debug: 'debug', trace: 'debug', warn: 'warn', error: 'error' } as const
type Method = keyof typeof levels

/**
 * Turns the output of plugins to `console` into lines of the log, where every line is JSON.
 * @returns `know`, which adds a plugin's settings to the values to redact, and `release`, which restores `console`
 */
export function captureConsole(events: Events, configured: string) {
  const folder = pluginsFolder(configured)
  let secrets: string[] = []
  const capture = (method: Method) => {
    return (...given: unknown[]) => {
      const name = pluginIn(new Error('here').stack ?? '', folder)
      loggerFor(events, { name, settings: { values: {}, secrets } })[levels[method]](format(...given), { console: method })
    }
  }
  const methods = Object.keys(levels) as Method[]
  const own = Object.fromEntries(methods.map((method) => [method, console[method]]))
  Object.assign(console, Object.fromEntries(methods.map((method) => [method, capture(method)])))
  return {
    know: (loaded: LoadedPlugins) => {
      const all = wholePlugins(loaded).flatMap(({ settings }) => settings.secrets)
      secrets = all.sort((one, other) => other.length - one.length)
    },
    release: () => void Object.assign(console, own),
  }
}

/** The plugin whose code is in a stack trace; `unknown` for a package that several plugins share. */
function pluginIn(stack: string, folder: string): string {
  const inside = stack.split('\n').flatMap((line) => line.split(`${folder}/`)[1]?.split('/')[0] ?? [])
  return inside.find((name) => isPluginName(name) && name !== 'node_modules') ?? 'unknown'
}
