import { join, resolve } from 'node:path'

/** Programs that the tests call and Debian has, by the package that brings them. */
const fromDebian = { curl: 'curl', chromium: 'chromium', nginx: 'nginx', pgbouncer: 'pgbouncer' }

/** The gate: build, types, lint, dead code, tests. Stops at the first that fails. */
const root = resolve(import.meta.dir, '../..')
const bin = (name: string) => join(root, 'node_modules/.bin', name)

const steps: [name: string, command: string[]][] = [
  // First: types and dead code are judged with what the build generates in place.
  ['build', ['bun', 'src/build/executable.ts']],
  ['types', [bin('tsc'), '--noEmit']],
  ['lint and format', [bin('biome'), 'check', '--error-on-warnings', '.']],
  ['dead code', [bin('knip'), '--no-progress']],
]

await installMissing()
for (const [name, command] of steps) await step(name, () => run(command))
const summary = await step('tests', () => test())
console.log(summary)

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

async function step<T>(name: string, work: () => Promise<T>): Promise<T> {
  const startedAt = performance.now()
  console.log(`\n── ${name}`)
  const result = await work()
  console.log(`── ${name}: ${((performance.now() - startedAt) / 1000).toFixed(1)} s`)
  return result
}

async function run(command: string[]) {
  const child = Bun.spawn(command, { cwd: root, stdin: 'ignore', stdout: 'inherit', stderr: 'inherit' })
  const code = await child.exited
  if (code !== 0) process.exit(code)
}

/** @returns the closing line: how many passed, how many failed */
async function test(): Promise<string> {
  const child = Bun.spawn(['bun', 'run', 'test'], { cwd: root, stdin: 'ignore', stdout: 'inherit', stderr: 'pipe' })
  const decoder = new TextDecoder()
  let output = ''
  for await (const chunk of child.stderr) {
    process.stderr.write(chunk)
    output += decoder.decode(chunk, { stream: true })
  }
  const code = await child.exited
  const count = (word: string) => Number(new RegExp(`^ *(\\d+) ${word}$`, 'm').exec(output)?.[1] ?? 0)
  const closing = `${count('pass')} passed, ${count('fail')} failed`
  if (code !== 0 || count('pass') === 0) {
    console.log(closing)
    process.exit(code || 1)
  }
  return closing
}
