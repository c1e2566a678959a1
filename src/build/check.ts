import { join, resolve } from 'node:path'

/** Programs that the tests call and Debian has, by the package that brings them. */
const fromDebian = {
  caddy: 'caddy',
  chromium: 'chromium',
  curl: 'curl',
  ip: 'iproute2',
  nginx: 'nginx',
  pgbouncer: 'pgbouncer',
  'systemd-analyze': 'systemd',
}

/** Chromium without a window: the tests take half of the time with it, and pass without it. Not every Debian has it. */
const headlessShell = 'chromium-headless-shell'

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

// Above the call: a function may be called before its line, and a constant not.
const install = ['apt-get', 'install', '-y', '-qq', '--no-install-recommends']

await installMissing()
for (const [name, command] of steps) await step(name, () => run(command))

async function installMissing() {
  const packages = Object.entries(fromDebian)
    .filter(([program]) => Bun.which(program) === null)
    .map(([, name]) => name)
  const canInstall = process.getuid?.() === 0 && Bun.which('apt-get') !== null
  if (packages.length > 0 && !canInstall) {
    console.error(`The tests need these packages: apt-get install ${packages.join(' ')}`)
    process.exit(1)
  }
  if (!canInstall || (packages.length === 0 && Bun.which(headlessShell))) return
  const update = await Bun.spawn(['apt-get', 'update', '-qq'], { stdin: 'ignore' }).exited
  if (packages.length > 0) await run([...install, ...packages])
  if (update === 0 && !Bun.which(headlessShell)) await Bun.spawn([...install, headlessShell], { stdin: 'ignore', stdout: 'ignore' }).exited
}

async function step(name: string, work: () => Promise<void>) {
  const startedAt = performance.now()
  console.log(`\n── ${name}`)
  await work()
  console.log(`── ${name}: ${((performance.now() - startedAt) / 1000).toFixed(1)} s`)
}

async function run(command: string[]) {
  // The first step builds, so the tests need not.
  const env = { ...process.env, TEST_BUILT: '1' }
  const child = Bun.spawn(command, { cwd: root, env, stdin: 'ignore', stdout: 'inherit', stderr: 'inherit' })
  const code = await child.exited
  if (code !== 0) process.exit(code)
}
