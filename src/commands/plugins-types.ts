import { closeSync, constants, ftruncateSync, mkdirSync, openSync, writeFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { isRootsAlone } from '../ops/ownership/data-ownership'
import { isRoot } from '../ops/ownership/privileges'
import { contractFile, contractOfPlugins } from '../plugins/sdk/scaffold'
import { tableTypes } from '../plugins/sdk/table-types'
import { type Command, databaseSettings } from './command'
import { withDeps } from './with-deps'

const tablesFile = 'tables.d.ts'

export const pluginsTypes: Command = {
  name: 'plugins types',
  summary: 'Write the types of the existing tables, for an editor.',
  description:
    'Writes tables.d.ts and rowhouse-plugin.d.ts into the plugins directory, so that records("name") knows the columns. Uses the running service’s database, or starts it.',
  settings: [...databaseSettings, 'pluginsDir', 'schemas', 'databasePoolSize', 'queryTimeoutMs'],
  run: (context) => {
    const folder = resolve(context.config.pluginsDir)
    const relativeFolder = relative(process.cwd(), folder)
    const write = writerIn(folder)
    return withDeps(context, async ({ catalog }) => {
      const { list } = await catalog.refresh()
      write({ [tablesFile]: tableTypes(list), [contractFile]: contractOfPlugins })
      for (const name of [tablesFile, contractFile]) console.log(join(relativeFolder, name))
      return 0
    })
  },
}

/**
 * Only root can write to a folder of root's: the files are opened now, because the rest of the command does not run as
 * root (`service-user.ts`).
 */
function writerIn(folder: string): (texts: Record<string, string>) => void {
  if (!isRoot() || !isRootsAlone(folder)) {
    return (texts) => {
      mkdirSync(folder, { recursive: true })
      for (const [name, text] of Object.entries(texts)) writeFileSync(join(folder, name), text)
    }
  }
  mkdirSync(folder, { recursive: true })
  const { O_WRONLY, O_CREAT, O_NOFOLLOW } = constants
  const opened = [tablesFile, contractFile].map((name) => ({
    name,
    descriptor: openSync(join(folder, name), O_WRONLY | O_CREAT | O_NOFOLLOW, 0o644),
  }))
  return (texts) => {
    for (const { name, descriptor } of opened) {
      ftruncateSync(descriptor)
      writeFileSync(descriptor, texts[name] ?? '')
      closeSync(descriptor)
    }
  }
}
