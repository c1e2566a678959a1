import { join, resolve } from 'node:path'
import { installMissingPackages } from './debian-packages'

/**
 * The gate: build, types, lint, dead code, tests. Stops at the first failure.
 * `bun run check --changed` skips the dead code check, and the tests that the change cannot affect.
 */
const root = resolve(import.meta.dir, '../..')
const bin = (name: string) => join(root, 'node_modules/.bin', name)
const isPartial = process.argv.includes('--changed')

const steps: [name: string, command: string[]][] = [
  // First: types and dead code are checked with the generated files in place.
  ['build', ['bun', 'src/build/executable.ts']],
  ['types', [bin('tsc'), '--noEmit']],
  ['lint and format', [bin('biome'), 'check', '--error-on-warnings', '.']],
  ...(isPartial ? [] : [['dead code', [bin('knip'), '--no-progress']] as [string, string[]]]),
  ['tests', ['bun', 'test/run.ts', ...(isPartial ? ['--changed'] : [])]],
]

await installMissingPackages()
for (const [name, command] of steps) await step(name, command)

async function step(name: string, command: string[]) {
  const startedAt = performance.now()
  console.log(`\n── ${name}`)
  // The first step builds, so the tests do not have to.
  const env = { ...process.env, TEST_BUILT: '1' }
  const child = Bun.spawn(command, { cwd: root, env, stdin: 'ignore', stdout: 'inherit', stderr: 'inherit' })
  const code = await child.exited
  if (code !== 0) process.exit(code)
  console.log(`── ${name}: ${((performance.now() - startedAt) / 1000).toFixed(1)} s`)
}
