import { existsSync, readdirSync, realpathSync, statSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { withTimeout } from '../../timeout'
import { findClash, type PluginEndpoint, readEndpoint } from './declaration'
import { type PluginProblem, placeIn, problemIn, problemsFrom } from './problem'
import { declaredBy, openDoor } from './sdk'
import { type PluginSettings, readSettings } from './settings-file'
import { type PluginTemplate, readTemplate } from './template'
import { readTemplateFiles } from './template-files'
import { pluginProblem } from './trust'
import { collectingUnloads, type UnloadWork, unload } from './unloading'

/** A plugin that is loaded. Its name is that of its folder, so two plugins never have the same name. */
export type Plugin = {
  name: string
  endpoints: PluginEndpoint[]
  templates: PluginTemplate[]
  settings: PluginSettings
  unloads: UnloadWork[]
}

/** Either a plugin or its problems: a plugin with a problem is not loaded at all. */
export type LoadedPlugin = { name: string; plugin: Plugin | null; problems: PluginProblem[] }

/** How a plugin is loaded. `folder` is the plugins directory, absolute. */
export type LoadOptions = { folder: string; limitMs: number; environment: Record<string, string | undefined> }

export const maxLoadMs = 10_000

const namePattern = /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/
const maxNameLength = 50

export const isPluginName = (name: string): boolean => namePattern.test(name) && name.length <= maxNameLength

/** Folders that are the author's own, or that tools create. */
const isForeign = (name: string) => name.startsWith('.') || name.startsWith('_') || name === 'node_modules'

/** The sorted names of folders that may be plugins; empty if the directory does not exist. */
export function pluginNames(folder: string): string[] {
  if (!statSync(folder, { throwIfNoEntry: false })) return []
  return readdirSync(folder)
    .filter((name) => !isForeign(name) && isFolder(join(folder, name)))
    .sort()
}

const isFolder = (path: string) => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false

/**
 * Loads one plugin on its own. Never throws: every error is a problem of this plugin. It cannot end a loop without
 * `await`.
 */
export async function loadPlugin(name: string, options: LoadOptions): Promise<LoadedPlugin> {
  const unloads: UnloadWork[] = []
  const loaded = await collectingUnloads(unloads, () => readPlugin(name, options, unloads))
  // Ends timers and connections that the plugin has begun before it failed.
  if (!loaded.plugin) unload(unloads, () => {})
  return loaded
}

async function readPlugin(name: string, { folder, limitMs, environment }: LoadOptions, unloads: UnloadWork[]): Promise<LoadedPlugin> {
  const refused = (...problems: PluginProblem[]): LoadedPlugin => ({ name, plugin: null, problems })
  if (!isPluginName(name))
    return refused(problemIn(name, `The name of a plugin's folder has small letters, digits and single hyphens, at most ${maxNameLength}.`))
  const unsafe = pluginProblem(folder, name)
  if (unsafe) return refused(unsafe)
  const file = codeIn(join(folder, name), 'plugin')
  const templates = templateNames(join(folder, name))
  if (!file && templates.length === 0)
    return refused(problemIn(name, 'There is no plugin.ts or plugin.js in this folder, and no template.'))
  let relativePath = name
  openDoor()
  try {
    const settings = readSettings(join(folder, name, 'settings.toml'), name, environment)
    const plugin: Plugin = { name, endpoints: [], templates: [], settings, unloads }
    if (file) {
      relativePath = relative(folder, file)
      const found = readExports(await loadWithin(limitMs, import(file)), folder, relativePath)
      if (!Array.isArray(found)) return refused(found)
      plugin.endpoints = found
    }
    for (const template of templates) {
      const code = codeIn(join(folder, name, template), 'template')!
      relativePath = relative(folder, code)
      const found = readOne(await loadWithin(limitMs, import(code)), {
        folder,
        relativePath,
        name: template,
        home: join(folder, name, template),
      })
      if ('message' in found) return refused(found)
      plugin.templates.push(found)
    }
    return { name, plugin, problems: [] }
  } catch (error) {
    return refused(...problemsFrom(error, folder, relativePath))
  }
}

const codeIn = (folder: string, base: string) => [`${base}.ts`, `${base}.js`].map((name) => join(folder, name)).find(existsSync)

/** The folders of a plugin that contain a document template. */
const templateNames = (folder: string): string[] =>
  readdirSync(folder)
    .filter((name) => !isForeign(name) && isFolder(join(folder, name)) && codeIn(join(folder, name), 'template'))
    .sort()

type TemplatePlace = { folder: string; relativePath: string; name: string; home: string }

function readOne(module: { default?: unknown }, { folder, relativePath, name, home }: TemplatePlace): PluginTemplate | PluginProblem {
  if (!isPluginName(name)) return problemIn(relativePath, 'The name of a template has small letters, digits and single hyphens.')
  const declared = declaredBy(module.default)
  if (declared?.kind !== 'documentTemplate')
    return problemIn(relativePath, 'It has to export by default what documentTemplate(…) of "rowhouse/plugin" made.')
  try {
    return readTemplate(name, declared, readTemplateFiles(home))
  } catch (error) {
    return placed(declared.stack, folder, relativePath, (error as Error).message)
  }
}

const loadWithin = <T>(limitMs: number, loading: Promise<T>): Promise<T> =>
  withTimeout(loading, limitMs, () => {
    throw new Error(tooLong(limitMs))
  })

export const tooLong = (limitMs: number) => `Loading it took longer than ${limitMs / 1000} s.`

function readExports(module: { default?: unknown }, folder: string, relativePath: string): PluginEndpoint[] | PluginProblem {
  const exported = Array.isArray(module.default) ? module.default : [module.default]
  if (exported.length === 0 || module.default === undefined)
    return problemIn(relativePath, 'It exports nothing by default; write "export default endpoint({ … })", or an array of them.')
  const endpoints: PluginEndpoint[] = []
  for (const value of exported) {
    const declared = declaredBy(value)
    if (declared?.kind !== 'endpoint')
      return problemIn(relativePath, 'What it exports by default was not made by endpoint(…) of "rowhouse/plugin".')
    try {
      endpoints.push(readEndpoint(declared))
    } catch (error) {
      return placed(declared.stack, folder, relativePath, (error as Error).message)
    }
  }
  const clash = findClash(endpoints)
  return clash ? placed(clash.endpoint.stack, folder, relativePath, clash.message) : endpoints
}

function placed(stack: string, folder: string, relativePath: string, message: string): PluginProblem {
  const at = placeIn(stack, folder)
  return at?.file
    ? { file: relative(folder, at.file), line: at.line ?? null, column: at.column ?? null, message }
    : problemIn(relativePath, message)
}

/** The plugins directory as an absolute path without symbolic links, which is how the paths in errors begin. */
export function pluginsFolder(configured: string): string {
  const folder = resolve(configured)
  return existsSync(folder) ? realpathSync(folder) : folder
}
