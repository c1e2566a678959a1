import { join, resolve } from 'node:path'

/** Programs that the tests call and Debian has, by the package that brings them. */
const fromDebian = {
  curl: 'curl',
  chromium: 'chromium',
  'chromium-headless-shell': 'chromium-headless-shell',
  nginx: 'nginx',
  pgbouncer: 'pgbouncer',
}

/**
 * The gate: build, types, lint, dead code, tests. Stops at the first that fails.
 * `bun run check --changed` leaves out dead code, and the tests that the change cannot reach.
 */
const root = resolve(import.meta.dir, '../..')
const bin = (name: string) => join(root, 'node_modules/.bin', name)
const isPartial = process.argv.includes('--changed')

const steps: [name: string, command: string[]][] = [
  // First: types and dead code are judged with what the build generates in place.
  ['build', ['bun', 'src/build/executable.ts']],
  ['types', [bin('tsc'), '--noEmit']],
  ['lint and format', [bin('biome'), 'check', '--error-on-warnings', '.']],
  ...(isPartial ? [] : [['dead code', [bin('knip'), '--no-progress']] as [string, string[]]]),
  ['tests', ['bun', 'test/run.ts', ...(isPartial ? ['--changed'] : [])]],
]

await installMissing()
for (const [name, command] of steps) await step(name, () => run(command))

async function installMissing() {
  const packages = Object.entries(fromDebian)
    .filter(([program]) => Bun.which(program) === null)
    .map(([, name]) => name)
  if (packages.length === 0) return
  const canInstall = process.getuid?.() === 0 && Bun.which('apt-get') !== null
  if (!canInstall) {
    console.error(`The tests need these packages: apt-get install ${packages.join(' ')}`)
    process.exit(1)
  }
  await run(['apt-get', 'update', '-qq'])
  await run(['apt-get', 'install', '-y', '-qq', '--no-install-recommends', ...packages])
}

async function step(name: string, work: () => Promise<void>) {
  const startedAt = performance.now()
  console.log(`\n── ${name}`)
  await work()
  console.log(`── ${name}: ${((performance.now() - startedAt) / 1000).toFixed(1)} s`)
}

async function run(command: string[]) {
  const child = Bun.spawn(command, { cwd: root, stdin: 'ignore', stdout: 'inherit', stderr: 'inherit' })
  const code = await child.exited
  if (code !== 0) process.exit(code)
}
