import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { contractText } from './types.macro' with { type: 'macro' }

const contract: string = contractText()

const example = (name: string) => `import { endpoint, t } from 'rowhouse/plugin'

/** Open to everybody: nothing asks who is calling. */
const greeting = endpoint({
  method: 'GET',
  path: '/greeting',
  public: true,
  title: 'Says hello',
  query: t.Object({ name: t.Optional(t.String({ maxLength: 100 })) }),
  response: t.Object({ greeting: t.String() }),
  allow: () => true,
  handle: ({ query }) => ({ greeting: \`Hello, \${query.name ?? 'world'}!\` }),
})

/** Needs a login, and then lets only editors and administrators in. */
const whoAmI = endpoint({
  method: 'GET',
  path: '/me',
  public: false,
  title: 'Says who is calling',
  allow: ({ actor }) => actor.user.role !== 'viewer' || 'This is for editors.',
  handle: ({ actor, log }) => {
    log.info('somebody asked who they are')
    return { email: actor.user.email, via: actor.via }
  },
})

// GET /api/v1/custom/${name}/greeting and GET /api/v1/custom/${name}/me
export default [greeting, whoAmI]
`

const tsconfig = {
  compilerOptions: {
    target: 'ESNext',
    module: 'Preserve',
    moduleResolution: 'bundler',
    lib: ['ESNext', 'DOM', 'DOM.Iterable', 'DOM.AsyncIterable'],
    strict: true,
    noEmit: true,
    skipLibCheck: true,
  },
  include: ['*.d.ts', '*/*.ts', '*/*/*.ts'],
}

const contractFile = 'rowhouse-plugin.d.ts'

/**
 * Writes a plugin that works, and beside all plugins what an editor needs. What is there already stays; only the contract is always this
 * version's.
 * @returns the files that were written; null when there is such a plugin already
 */
export function scaffoldPlugin(folder: string, name: string): string[] | null {
  const home = join(folder, name)
  if (existsSync(home)) return null
  mkdirSync(home, { recursive: true })
  const plugin = join(home, 'plugin.ts')
  writeFileSync(plugin, example(name))
  const config = join(folder, 'tsconfig.json')
  const written = [plugin, writeContract(folder)]
  if (existsSync(config)) return written
  writeFileSync(config, `${JSON.stringify(tsconfig, null, 2)}\n`)
  return [...written, config]
}

/** Beside the plugins, always of this version. */
export function writeContract(folder: string): string {
  const file = join(folder, contractFile)
  writeFileSync(file, contract)
  return file
}
