import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { changedFiles, testsFor } from './changed'
import { startBrowserServer } from './support/browser-server'
import { cleanUp, executable, newFolder } from './support/executable'
import { packGenerated } from './support/generated-files'
import { prepare } from './support/prepared-data'
import { runInMemory } from './support/scratch'
import { startTestServer } from './support/test-server'
import { sampleData } from './support/ui'
import { used } from './support/used-data'

/**
 * Runs test files side by side, each in a process of its own: `bun run test [FILE|FOLDER …]`, or `--changed`.
 * All of them share one PostgreSQL (a database for each file) and one Chromium (a context for each window).
 */
const root = resolve(import.meta.dir, '..')

/** More than there are cores: a test waits for browsers and processes as much as it works. */
const laneCount = Number(process.env.TEST_LANES ?? availableParallelism() + 1)

/** What hangs ends here. It is no measure of speed: a busy machine may take many times as long as a quiet one. */
const testTimeoutMs = 180_000

/**
 * Wall time of each file in the last run here: the longest go first, so that no lane is left alone with one at the end.
 */
const durationsPath = join(root, '.build/test-durations.json')

const running = new Set<Bun.Subprocess>()

type Finished = { file: string; code: number; ms: number; cpuMs: number; passed: number; failed: number; output: string }

async function main(words: string[]): Promise<number> {
  const files = sortBySlowness(await chooseFiles(words))
  if (files.length === 0) throw new Error(`There is no test file in ${words.join(' ')}.`)
  // Not an executable of yesterday's sources.
  if (files.some(usesExecutable)) await build()
  else await packGenerated()
  const [server, browser] = await Promise.all([startTestServer(), startBrowserServer()])
  const stop = async () => {
    await Promise.all([server.stop(), browser.stop()])
    cleanUp()
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void abort(stop))
  const environment = {
    ...process.env,
    TEST_SERVER: server.address,
    TEST_BROWSER: browser.address,
    TEST_PREPARED: await prepareData(files),
    TEST_GENERATED: '1',
    ...(files.some(usesExecutable) ? { TEST_EXECUTABLE: executable() } : {}),
  }
  const finished: Finished[] = []
  const lane = async () => {
    for (let file = files.shift(); file; file = files.shift()) {
      const all = finished.length + files.length + running.size + 1
      const result = await runFile(file, environment)
      finished.push(result)
      report(result, finished.length, all)
    }
  }
  await Promise.all(Array.from({ length: laneCount }, lane)).finally(stop)
  remember(finished)
  return summarize(finished)
}

async function build() {
  const child = Bun.spawn([process.execPath, 'src/build/executable.ts'], {
    cwd: root,
    stdin: 'ignore',
    stdout: 'inherit',
    stderr: 'inherit',
  })
  if ((await child.exited) !== 0) process.exit(1)
}

/** Ends the tests first, so that each can end what it started. */
async function abort(stop: () => Promise<void>) {
  for (const child of running) child.kill('SIGTERM')
  await Promise.all([...running].map(({ exited }) => exited))
  await stop()
  process.exit(130)
}

async function chooseFiles(words: string[]): Promise<string[]> {
  if (!words.includes('--changed')) return findFiles(words)
  const changed = await changedFiles()
  const files = testsFor(changed)
  console.log(
    `${changed.length} changed files reach ${files.length} of ${findFiles([]).length} test files. The whole gate has the last word.`,
  )
  return files
}

const usesExecutable = (file: string) => /^test\/(executable|web)\//.test(file)

/** @returns the folder with the data directories that tests of the executable copy */
async function prepareData(files: string[]): Promise<string> {
  process.env.TEST_PREPARED = newFolder()
  if (files.some(usesExecutable)) for (const maker of [used, sampleData]) await prepare(maker)
  return process.env.TEST_PREPARED
}

function findFiles(paths: string[]): string[] {
  const wanted = paths.map((path) => relative(root, resolve(path)))
  const isWanted = (file: string) => wanted.length === 0 || wanted.some((path) => file === path || file.startsWith(`${path}/`))
  return [...new Bun.Glob('test/**/*.test.ts').scanSync({ cwd: root })].filter(isWanted)
}

function sortBySlowness(files: string[]): string[] {
  const durations = readDurations()
  // Where nothing is known yet: what starts executables and browsers takes longest.
  const guess = (file: string) => durations[file] ?? (usesExecutable(file) ? 20_000 : 2000)
  return files.toSorted((one, other) => guess(other) - guess(one))
}

function readDurations(): Record<string, number> {
  try {
    return JSON.parse(readFileSync(durationsPath, 'utf8'))
  } catch {
    return {}
  }
}

function remember(finished: Finished[]) {
  mkdirSync(join(root, '.build'), { recursive: true })
  const durations = { ...readDurations(), ...Object.fromEntries(finished.map(({ file, ms }) => [file, Math.round(ms)])) }
  writeFileSync(durationsPath, JSON.stringify(durations))
}

async function runFile(file: string, env: Record<string, string | undefined>): Promise<Finished> {
  const startedAt = performance.now()
  const child = Bun.spawn([process.execPath, 'test', '--timeout', String(testTimeoutMs), `./${file}`], {
    cwd: root,
    env,
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  })
  running.add(child)
  const [stdout, stderr, code] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text(), child.exited])
  running.delete(child)
  // Bun prints its summary to stderr.
  const count = (word: string) => Number(new RegExp(`^ *(\\d+) ${word}$`, 'm').exec(stderr)?.[1] ?? 0)
  const [passed, failed] = [count('pass'), count('fail')]
  const cpuMs = Number(child.resourceUsage()?.cpuTime.total ?? 0) / 1000
  return { file, code, ms: performance.now() - startedAt, cpuMs, passed, failed, output: stdout + stderr }
}

const isGood = ({ code, passed, failed }: Finished) => code === 0 && failed === 0 && passed > 0

function report(result: Finished, done: number, all: number) {
  const { file, ms, passed, output } = result
  const line = `${isGood(result) ? 'ok  ' : 'FAIL'} ${file}  ${passed} tests, ${(ms / 1000).toFixed(1)} s  (${done}/${all})`
  console.log(isGood(result) ? line : `${line}\n${output.trimEnd()}\n`)
}

/** @returns the exit code */
function summarize(finished: Finished[]): number {
  const bad = finished.filter((result) => !isGood(result))
  console.log('\nThe 20 slowest files, with the processor time of each (without Chromium and the shared PostgreSQL):')
  const seconds = (ms: number) => `${(ms / 1000).toFixed(1).padStart(6)} s`
  for (const { file, ms, cpuMs } of finished.toSorted((one, other) => other.ms - one.ms).slice(0, 20))
    console.log(`${seconds(ms)} ${seconds(cpuMs)}  ${file}`)
  if (bad.length > 0) console.log(`\nFailed:\n${bad.map(({ file }) => `  ${file}`).join('\n')}`)
  const sum = (pick: (result: Finished) => number) => finished.reduce((total, result) => total + pick(result), 0)
  // A file that ended without a summary counts as one failure.
  const failed = sum((result) => (isGood(result) ? 0 : Math.max(result.failed, 1)))
  console.log(`\n${sum(({ passed }) => passed)} passed, ${failed} failed`)
  return failed === 0 ? 0 : 1
}

process.exit((await runInMemory([process.execPath, ...process.argv.slice(1)])) ?? (await main(process.argv.slice(2))))
