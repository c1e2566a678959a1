import { watch } from 'node:fs'
import { type LoadOptions, loadPlugin, pluginNames } from './load'
import type { LoadedPlugins } from './loaded'
import { probePlugins } from './probe'
import type { PluginProblem } from './problem'

/** Editors write a file in several steps. */
const quietMs = 200

type Told = { onChange: (plugins: LoadedPlugins) => void; onProblems: (problems: PluginProblem[]) => void }

/**
 * Loads a plugin again when something in its folder has changed. One that is broken now goes on as it was.
 * @returns how to end it
 */
export function watchPlugins(loaded: LoadedPlugins, options: LoadOptions, { onChange, onProblems }: Told): () => void {
  let current = loaded
  let timer: Timer | undefined
  const changed = new Set<string>()
  let working: Promise<void> = Promise.resolve()
  const reload = async () => {
    const names = [...changed]
    changed.clear()
    const next = await reloaded(current, names, options, onProblems)
    if (next === current) return
    current = next
    onChange(next)
  }
  const watcher = watch(options.folder, { recursive: true }, (_kind, path) => {
    const name = String(path ?? '').split('/')[0]
    if (!name) return
    changed.add(name)
    clearTimeout(timer)
    timer = setTimeout(() => {
      working = working.then(reload).catch(() => {})
    }, quietMs)
  })
  return () => {
    clearTimeout(timer)
    watcher.close()
  }
}

async function reloaded(
  { folder, all }: LoadedPlugins,
  changed: string[],
  options: LoadOptions,
  onProblems: Told['onProblems'],
): Promise<LoadedPlugins> {
  const there = pluginNames(folder)
  const wanted = changed.filter((name) => there.includes(name))
  const problems = await probePlugins(wanted, options)
  const next = new Map(all.filter(({ name }) => there.includes(name)).map((each) => [each.name, each]))
  for (const name of wanted) {
    const found = problems.get(name)
    forget(`${folder}/${name}/`)
    const fresh = found ? { name, plugin: null, problems: found } : await loadPlugin(name, options)
    onProblems(fresh.problems)
    // What ran goes on running.
    if (fresh.plugin || !next.get(name)?.plugin) next.set(name, fresh)
  }
  return { folder, all: [...next.values()].sort((a, b) => (a.name < b.name ? -1 : 1)) }
}

/** So that the next import reads the files again. */
function forget(home: string) {
  for (const path of Object.keys(require.cache)) if (path.startsWith(home)) delete require.cache[path]
}
