import { existsSync, watch } from 'node:fs'
import { loadIsolated } from './isolated-load'
import { type LoadOptions, loadPlugin, pluginNames, pluginsFolder } from './load'
import type { LoadedPlugins } from './loaded'
import { type PluginProblem, problemIn } from './problem'
import { folderProblem } from './trust'
import { unload } from './unloading'

/** Editors write a file in several steps, so wait until the folder is quiet. */
const quietMs = 200

type WatchEvents = {
  onChange: (plugins: LoadedPlugins) => void
  onProblems: (problems: PluginProblem[]) => void
  onUnloadFailed: (plugin: string, error: unknown) => void
}

/** How often to check whether a missing directory now exists. */
const pollIntervalMs = 500

/**
 * Loads a plugin again when a file in its folder has changed, and all plugins when shared code has. A plugin that fails
 * to load keeps running in its old version.
 * @returns a function that ends the watch
 */
export function watchPlugins(loaded: LoadedPlugins, options: LoadOptions, events: WatchEvents): () => void {
  if (existsSync(options.folder)) return watchFolder(loaded, options, events, [])
  let end = () => clearInterval(looking)
  const looking = setInterval(() => {
    if (!existsSync(options.folder)) return
    clearInterval(looking)
    const folder = pluginsFolder(options.folder)
    end = watchFolder({ ...loaded, folder }, { ...options, folder }, events, pluginNames(folder))
  }, pollIntervalMs)
  return () => end()
}

/** Code beside the plugins that several of them use. */
const isShared = (name: string) => name.startsWith('_') || (/\.[cm]?[jt]s$/.test(name) && !name.endsWith('.d.ts'))

function watchFolder(
  loaded: LoadedPlugins,
  options: LoadOptions,
  { onChange, onProblems, onUnloadFailed }: WatchEvents,
  fresh: string[],
): () => void {
  let current = loaded
  let timer: Timer | undefined
  const changed = new Set(fresh)
  let working: Promise<void> = Promise.resolve()
  const reload = async () => {
    const names = [...changed].some(isShared) ? pluginNames(options.folder) : [...changed]
    if ([...changed].some(isShared)) forget(`${options.folder}/`)
    changed.clear()
    const next = await reloaded(current, names, options, onProblems)
    if (next === current) return
    const gone = current.all.filter(({ plugin }) => !next.all.some((each) => each.plugin === plugin))
    current = next
    onChange(next)
    for (const { name, plugin } of gone) unload(plugin?.unloads ?? [], (error) => onUnloadFailed(name, error))
  }
  const soon = () => {
    clearTimeout(timer)
    timer = setTimeout(() => {
      working = working.then(reload).catch((error) => onProblems([problemIn('.', String(error?.message ?? error))]))
    }, quietMs)
  }
  if (fresh.length) soon()
  const watcher = watch(options.folder, { recursive: true }, (_kind, path) => {
    const name = String(path ?? '').split('/')[0]
    if (!name) return
    changed.add(name)
    soon()
  })
  return () => {
    clearTimeout(timer)
    watcher.close()
  }
}

/** @returns `current` itself when nothing has changed */
async function reloaded(
  current: LoadedPlugins,
  changed: string[],
  options: LoadOptions,
  onProblems: WatchEvents['onProblems'],
): Promise<LoadedPlugins> {
  const { folder, all } = current
  const there = pluginNames(folder)
  const unsafe = folderProblem(folder, (name) => there.includes(name))
  if (unsafe) {
    onProblems([unsafe])
    return current
  }
  const existing = changed.filter((name) => there.includes(name))
  const problems = await loadIsolated(existing, options)
  const next = new Map(all.filter(({ name }) => there.includes(name)).map((each) => [each.name, each]))
  let isChanged = next.size < all.length
  for (const name of existing) {
    const found = problems.get(name)
    forget(`${folder}/${name}/`)
    const fresh = found ? { name, plugin: null, problems: found } : await loadPlugin(name, options)
    onProblems(fresh.problems)
    // The old version keeps running.
    if (!fresh.plugin && next.get(name)?.plugin) continue
    next.set(name, fresh)
    isChanged = true
  }
  if (!isChanged) return current
  return { folder, all: [...next.values()].sort((a, b) => (a.name < b.name ? -1 : 1)) }
}

/** Clears the module cache, so that the next import reads the files again. */
function forget(home: string) {
  for (const path of Object.keys(require.cache)) if (path.startsWith(home)) delete require.cache[path]
}
