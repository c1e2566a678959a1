import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { variablePrefix } from '../load/settings-file'
import { contractText, exampleText } from './contract.macro' with { type: 'macro' }

export const contractOfPlugins: string = contractText()

/** The shipped one: a plugin for everybody, with a login, and by its own decision. */
const example: string = exampleText()

const tsconfig = {
  compilerOptions: {
    target: 'ESNext',
    module: 'Preserve',
    moduleResolution: 'bundler',
    lib: ['ESNext', 'DOM', 'DOM.Iterable', 'DOM.AsyncIterable'],
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    // TypeScript 7 takes no types by itself, and refuses a name that it does not find.
    typeRoots: ['node_modules/@types', '_types'],
    types: ['bun'],
  },
  include: ['*.d.ts', '*/*.ts', '*/*/*.ts'],
}

/** Found where `@types/bun` is not installed. */
const noTypes = '/** Stands in for @types/bun until `npm install --save-dev @types/bun`. */\nexport {}\n'

export const contractFile = 'rowhouse-plugin.d.ts'

/**
 * Writes a plugin that works, and beside all plugins what an editor needs. What is there already stays; only the
 * contract is always this version's.
 * @returns the files that were written; null when there is such a plugin already
 */
export function scaffoldPlugin(folder: string, name: string): string[] | null {
  const home = join(folder, name)
  if (existsSync(home)) return null
  mkdirSync(home, { recursive: true })
  const plugin = join(home, 'plugin.ts')
  writeFileSync(plugin, example.replace('ROWHOUSE_PLUGIN_HELLO__', variablePrefix(name)))
  const config = join(folder, 'tsconfig.json')
  const written = [plugin, writeContract(folder)]
  if (existsSync(config)) return written
  writeFileSync(config, `${JSON.stringify(tsconfig, null, 2)}\n`)
  const types = join(folder, '_types/bun')
  mkdirSync(types, { recursive: true })
  writeFileSync(join(types, 'index.d.ts'), noTypes)
  return [...written, config, join(types, 'index.d.ts')]
}

/** Beside the plugins, always of this version. */
function writeContract(folder: string): string {
  const file = join(folder, contractFile)
  writeFileSync(file, contractOfPlugins)
  return file
}
