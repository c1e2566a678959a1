import { join, resolve } from 'node:path'

/** The gate: types, lint, dead code, build, tests, in the order of their cost. Stops at the first that fails. */
const root = resolve(import.meta.dir, '../..')
const bin = (name: string) => join(root, 'node_modules/.bin', name)

const steps: [name: string, command: string[]][] = [
  ['types', [bin('tsc'), '--noEmit']],
  ['lint and format', [bin('biome'), 'check', '--error-on-warnings', '.']],
  // After the build: what is generated counts as there.
  ['build', ['bun', 'src/build/executable.ts']],
  ['dead code', [bin('knip'), '--no-progress']],
]

for (const [name, command] of steps) await step(name, () => run(command))
const summary = await step('tests', () => test())
console.log(summary)

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
  const child = Bun.spawn(['bun', 'test', '--timeout', '60000'], { cwd: root, stdin: 'ignore', stdout: 'inherit', stderr: 'pipe' })
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
