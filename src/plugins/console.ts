import { format } from 'node:util'
import type { Events } from '../ops/events'
import { isPluginName, pluginsFolder } from './load/load'
import { type LoadedPlugins, wholePlugins } from './load/loaded'
import { loggerFor } from './logger'

const levels = { log: 'info', info: 'info', debug: 'debug', trace: 'debug', warn: 'warn', error: 'error' } as const
type Method = keyof typeof levels

/**
 * Makes lines of the log of what plugins write with `console`: between them a bare line would be no JSON.
 * @returns `know` for the settings that are to be made unreadable, and `release`, which gives `console` back
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

/** Whose code stands in a stack; a package that plugins share is nobody's. */
function pluginIn(stack: string, folder: string): string {
  const inside = stack.split('\n').flatMap((line) => line.split(`${folder}/`)[1]?.split('/')[0] ?? [])
  return inside.find((name) => isPluginName(name) && name !== 'node_modules') ?? 'unknown'
}
