import { existsSync } from 'node:fs'
import { relative, resolve } from 'node:path'
import { isRootsAlone } from '../ops/ownership/data-ownership'
import { isRoot } from '../ops/ownership/privileges'
import { isPluginName, pluginsFolder } from '../plugins/load/load'
import { brokenCount, loadPlugins, pluginFolders, wholePlugins } from '../plugins/load/loaded'
import { problemLine } from '../plugins/load/problem'
import { scaffoldPlugin } from '../plugins/sdk/scaffold'
import { type Command, CommandError } from './command'
import { runAsServiceUser } from './service-user'

export const pluginsCheck: Command = {
  name: 'plugins check',
  summary: 'Load the plugins and report their problems.',
  description: 'Prints a line for each endpoint, each template and each problem. Starts nothing. Exits with 1 when there is a problem.',
  settings: ['pluginsDir', 'dataDir', 'user'],
  run: async ({ config: given, environment }) => {
    const folder = resolve(given.pluginsDir)
    if (!existsSync(folder)) {
      throw new CommandError(
        `There is no folder ${folder}. Go to the folder of the service, or name the plugins directory in ROWHOUSE_PLUGINS_DIR.`,
      )
    }
    const config = runAsServiceUser(given, { data: 'none', environment })
    const loaded = await loadPlugins(config.pluginsDir, environment)
    for (const { name, plugin, problems } of loaded.all) {
      for (const { method, path, isPublic, isOwn } of plugin?.endpoints ?? []) {
        const who = isOwn ? 'public, own credentials' : isPublic ? 'public' : 'login'
        console.log(`ok\t${name}\t${method} /api/v1/custom/${name}${path === '/' ? '' : path}\t${who}`)
      }
      for (const template of plugin?.templates ?? []) {
        const formats = Object.keys(template.formats).join(', ')
        console.log(`ok\t${name}\tGET /api/v1/documents/${name}/${template.name} (${formats})\t${template.isPublic ? 'public' : 'login'}`)
      }
      for (const problem of problems) console.log(`failed\t${name}\t${problemLine(problem)}`)
    }
    const [good, broken] = [wholePlugins(loaded).length, brokenCount(loaded)]
    console.log(`${good} of ${good + broken} plugins in ${loaded.folder} can be loaded.`)
    return broken ? 1 : 0
  },
}

export const pluginsInit: Command = {
  name: 'plugins init',
  arguments: '[NAME]',
  summary: 'Create an example plugin with a document template, and its types for an editor.',
  description:
    'Writes <NAME>/plugin.ts and the document template <NAME>/record (NAME is "example" if not given), rowhouse-plugin.d.ts and tsconfig.json into the plugins directory. Never writes over a plugin; the types are brought up to this version.',
  settings: ['pluginsDir', 'dataDir', 'user'],
  run: async ({ config, positionals: [name = 'example'], environment }) => {
    if (!isPluginName(name))
      throw new CommandError('The name of a plugin has small letters, digits and single hyphens, for example stock-prices.')
    const folder = resolve(config.pluginsDir)
    const startFolder = process.cwd()
    // Root would write through links that others have put there.
    if (isRoot() && !isRootsAlone(folder)) {
      runAsServiceUser(config, { data: 'none', environment })
      const problem = problemWith(folder)
      if (problem !== null) throw new CommandError(`The service does not load plugins from there.\n${problem}`)
    }
    const written = scaffoldPlugin(folder, name)
    if (!written) throw new CommandError(`A plugin ${name} already exists in ${folder}.`)
    for (const file of written) console.log(relative(startFolder, file))
    const base = `http://${config.host}:${config.port}`
    console.log(
      `\nStart the service (again), then:\n  curl ${base}/api/v1/custom/${name}/greeting\n  and open ${base}/documents/${name}/record in a browser.`,
    )
    const problem = problemWith(folder)
    if (problem !== null) console.error(`\nThe service will not load it yet:\n${problem}`)
    return problem === null ? 0 : 1
  },
}

/** Why the service loads no plugins of the folder, or null if it does. */
function problemWith(folder: string): string | null {
  const folders = pluginFolders(pluginsFolder(folder))
  return Array.isArray(folders) ? null : folders.message
}
