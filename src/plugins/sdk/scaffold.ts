import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { variablePrefix } from '../load/settings-file'
import { contractText, exampleTexts } from './contract.macro' with { type: 'macro' }

export const contractOfPlugins: string = contractText()

/**
 * The example that is shipped: a plugin with a public endpoint, one that requires sign-in, one that decides by itself,
 * and a document template.
 */
export const example: Record<string, string> = exampleTexts()

const tsconfig = {
  compilerOptions: {
    target: 'ESNext',
    module: 'Preserve',
    moduleResolution: 'bundler',
    lib: ['ESNext', 'DOM', 'DOM.Iterable', 'DOM.AsyncIterable'],
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    // TypeScript 7 includes no types by itself, and reports an error for a name that it does not find.
    typeRoots: ['node_modules/@types', '_types'],
    types: ['bun'],
  },
  include: ['*.d.ts', '*/*.ts', '*/*/*.ts'],
}

/** Used if `@types/bun` is not installed. */
const noTypes = '/** Stands in for @types/bun until `npm install --save-dev @types/bun`. */\nexport {}\n'

export const contractFile = 'rowhouse-plugin.d.ts'

/**
 * Writes a working plugin, and the files that an editor needs beside all plugins. Existing files stay; only the
 * contract is always replaced by this version's.
 * @returns the files written; null if the plugin exists already
 */
export function scaffoldPlugin(folder: string, name: string): string[] | null {
  const home = join(folder, name)
  if (existsSync(home)) return null
  const files = Object.entries(example).map(([path, text]) => {
    const file = join(home, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text.replace('ROWHOUSE_PLUGIN_HELLO__', variablePrefix(name)))
    return file
  })
  const config = join(folder, 'tsconfig.json')
  const written = [...files, writeContract(folder)]
  if (existsSync(config)) return written
  writeFileSync(config, `${JSON.stringify(tsconfig, null, 2)}\n`)
  const types = join(folder, '_types/bun')
  mkdirSync(types, { recursive: true })
  writeFileSync(join(types, 'index.d.ts'), noTypes)
  return [...written, config, join(types, 'index.d.ts')]
}

/** Beside the plugins, always the contract of this version. */
function writeContract(folder: string): string {
  const file = join(folder, contractFile)
  writeFileSync(file, contractOfPlugins)
  return file
}
