import { existsSync, readdirSync, statSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { findClash, type PluginEndpoint, readEndpoint } from './declaration'
import { type PluginProblem, placeIn, problemIn, problemsFrom } from './problem'
import { declaredBy, openDoor } from './sdk'
import { type PluginSettings, readSettings } from './settings-file'

/** A plugin that is whole. Its name is that of its folder, so it cannot take another's. */
export type Plugin = { name: string; endpoints: PluginEndpoint[]; settings: PluginSettings }

/** Either of the two: a plugin with a problem is left out as a whole. */
export type LoadedPlugin = { name: string; plugin: Plugin | null; problems: PluginProblem[] }

/** How a plugin is loaded. `folder` is the plugins directory, absolute. */
export type LoadOptions = { folder: string; limitMs: number; environment: Record<string, string | undefined> }

export const longestLoadMs = 10_000

const namePattern = /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/
const longestName = 50

export const isPluginName = (name: string): boolean => namePattern.test(name) && name.length <= longestName

/** Folders of the author's own, and those that tools make. */
const isForeign = (name: string) => name.startsWith('.') || name.startsWith('_') || name === 'node_modules'

/** The names of the folders that want to be plugins, in order; none where there is no such directory. */
export function pluginNames(folder: string): string[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .filter((name) => !isForeign(name) && isFolder(join(folder, name)))
    .sort()
}

const isFolder = (path: string) => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false

/** Loads one plugin by itself. Never throws: what goes wrong is a problem of this plugin. A loop that does not await is not ended by this. */
export async function loadPlugin(name: string, { folder, limitMs, environment }: LoadOptions): Promise<LoadedPlugin> {
  const refused = (...problems: PluginProblem[]): LoadedPlugin => ({ name, plugin: null, problems })
  if (!isPluginName(name))
    return refused(problemIn(name, `A plugin's folder is named by small letters, digits and single hyphens, at most ${longestName}.`))
  const file = ['plugin.ts', 'plugin.js'].map((base) => join(folder, name, base)).find(existsSync)
  if (!file) return refused(problemIn(name, 'There is no plugin.ts or plugin.js in this folder.'))
  const shown = relative(folder, file)
  openDoor()
  try {
    const settings = readSettings(join(folder, name, 'settings.toml'), name, environment)
    const endpoints = read(await within(limitMs, import(file)), folder, shown)
    return Array.isArray(endpoints) ? { name, plugin: { name, endpoints, settings }, problems: [] } : refused(endpoints)
  } catch (error) {
    return refused(...problemsFrom(error, folder, shown))
  }
}

async function within<T>(limitMs: number, loading: Promise<T>): Promise<T> {
  let timer: Timer | undefined
  const limit = new Promise<never>((_, fail) => {
    timer = setTimeout(() => fail(new Error(tooLong(limitMs))), limitMs)
  })
  // What it does later is not waited for, and must not end the process.
  loading.catch(() => {})
  return Promise.race([loading, limit]).finally(() => clearTimeout(timer))
}

export const tooLong = (limitMs: number) => `Loading it took longer than ${limitMs / 1000} s.`

function read(module: { default?: unknown }, folder: string, shown: string): PluginEndpoint[] | PluginProblem {
  const exported = Array.isArray(module.default) ? module.default : [module.default]
  if (exported.length === 0 || module.default === undefined)
    return problemIn(shown, 'It exports nothing by default; write "export default endpoint({ … })", or an array of them.')
  const endpoints: PluginEndpoint[] = []
  for (const value of exported) {
    const declared = declaredBy(value)
    if (!declared) return problemIn(shown, 'What it exports by default was not made by endpoint(…) of "rowhouse/plugin".')
    try {
      endpoints.push(readEndpoint(declared))
    } catch (error) {
      return placed(declared.place, folder, shown, (error as Error).message)
    }
  }
  const clash = findClash(endpoints)
  return clash ? placed(clash.endpoint.place, folder, shown, clash.message) : endpoints
}

function placed(stack: string, folder: string, shown: string, message: string): PluginProblem {
  const at = placeIn(stack, folder)
  return at?.file
    ? { file: relative(folder, at.file), line: at.line ?? null, column: at.column ?? null, message }
    : problemIn(shown, message)
}

/** The plugins directory of a run, as an absolute path. */
export const pluginsFolder = (configured: string): string => resolve(configured)
