import { loadIsolated } from './isolated-load'
import { type LoadedPlugin, type LoadOptions, loadPlugin, maxLoadMs, type Plugin, pluginNames, pluginsFolder } from './load'
import { type PluginProblem, problemIn, problemLine } from './problem'
import { folderProblem, unreadable } from './trust'

/** The plugins of the plugins directory. */
export type LoadedPlugins = { folder: string; all: LoadedPlugin[] }

export const noPlugins: LoadedPlugins = { folder: '', all: [] }

export const wholePlugins = ({ all }: LoadedPlugins): Plugin[] => all.flatMap(({ plugin }) => (plugin ? [plugin] : []))

export const pluginProblems = ({ all }: LoadedPlugins): PluginProblem[] => all.flatMap(({ problems }) => problems)

/** The number of plugins that are not loaded, for /readyz. */
export const brokenCount = ({ all }: LoadedPlugins): number => all.filter(({ plugin }) => plugin === null).length

/** A text with one line for each problem and its place. */
export const problemLines = (loaded: LoadedPlugins): string => pluginProblems(loaded).map(problemLine).join('\n')

/** Loads every plugin of the directory, each on its own. Never throws for an error in a plugin. */
export async function loadPlugins(
  configured: string,
  environment: LoadOptions['environment'],
  limitMs = maxLoadMs,
): Promise<LoadedPlugins> {
  const folder = pluginsFolder(configured)
  const options: LoadOptions = { folder, limitMs, environment }
  const names = pluginFolders(folder)
  if (!Array.isArray(names)) return { folder, all: [{ name: '', plugin: null, problems: [names] }] }
  const problems = names.length ? await loadIsolated(names, options) : new Map<string, PluginProblem[]>()
  const all: LoadedPlugin[] = []
  for (const name of names) {
    const found = problems.get(name)
    all.push(found ? { name, plugin: null, problems: found } : await loadPlugin(name, options))
  }
  return { folder, all }
}

/**
 * The names of the plugins in the plugins directory, or why the directory must not be used.
 * @param folder absolute
 */
export function pluginFolders(folder: string): string[] | PluginProblem {
  try {
    const names = pluginNames(folder)
    return (names.length ? folderProblem(folder, (name) => names.includes(name)) : null) ?? names
  } catch (error) {
    const { code = 'unknown' } = error as { code?: string }
    return problemIn('.', code === 'EACCES' ? unreadable(folder, process.getuid?.()) : `The plugins directory cannot be read (${code}).`)
  }
}
