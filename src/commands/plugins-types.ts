import { mkdirSync, writeFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { writeContract } from '../plugins/sdk/scaffold'
import { tableTypes } from '../plugins/sdk/table-types'
import { type Command, databaseSettings } from './command'
import { withDeps } from './with-deps'

export const pluginsTypes: Command = {
  name: 'plugins types',
  summary: 'Write the types of the tables that there are, for an editor.',
  description:
    'Writes tables.d.ts and rowhouse-plugin.d.ts into the plugins directory, so that records("name") knows the columns. Uses the running service’s database, or starts it.',
  settings: [...databaseSettings, 'pluginsDir', 'schemas', 'databasePoolSize', 'queryTimeoutMs'],
  run: ({ config }) =>
    withDeps(config, async ({ catalog }) => {
      const { list } = await catalog.reread()
      const folder = resolve(config.pluginsDir)
      mkdirSync(folder, { recursive: true })
      const file = join(folder, 'tables.d.ts')
      writeFileSync(file, tableTypes(list))
      for (const written of [file, writeContract(folder)]) console.log(relative(process.cwd(), written))
      return 0
    }),
}
