import { createHandler } from '../app'
import type { Deps } from '../deps'
import type { Handler } from '../http/server/serve'
import { maxLoadMs } from '../plugins/load/load'
import { brokenCount, type LoadedPlugins, pluginProblems, problemLines } from '../plugins/load/loaded'
import { type PluginProblem, problemLine } from '../plugins/load/problem'
import { watchPlugins } from '../plugins/load/watch'
import { CommandError, type Environment } from './command'

/**
 * Replaces the app without plugins by one with them, and with `--watch` again whenever they change. Running requests
 * finish in the app in which they began.
 * @returns a function that ends the watching @throws CommandError with ROWHOUSE_PLUGINS_STRICT
 */
export async function mountPlugins(
  deps: Deps,
  loading: Promise<LoadedPlugins>,
  environment: Environment,
  use: (handler: Handler, plugins: LoadedPlugins) => void,
): Promise<() => void> {
  const { events, config } = deps
  const tell = (problems: PluginProblem[]) => {
    for (const problem of problems) events.emit({ kind: 'plugin_left_out', problem: problemLine(problem) })
  }
  const plugins = await loading
  if (config.pluginsStrict && brokenCount(plugins))
    throw new CommandError(`A plugin cannot be loaded (ROWHOUSE_PLUGINS_STRICT):\n${problemLines(plugins)}`)
  tell(pluginProblems(plugins))
  if (plugins.all.length) use(createHandler(deps, plugins), plugins)
  if (!config.watch) return () => {}
  return watchPlugins(
    plugins,
    { folder: plugins.folder, limitMs: maxLoadMs, environment },
    {
      onChange: (changed) => {
        use(createHandler(deps, changed), changed)
        events.emit({ kind: 'note', message: 'plugins were loaded again' })
      },
      onProblems: tell,
      onUnloadFailed: (plugin, error) => events.emit({ kind: 'background_failed', task: `unloading the plugin ${plugin}`, error }),
    },
  )
}
