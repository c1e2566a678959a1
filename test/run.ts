import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { changedFiles, testsFor } from './changed'
import { chooseSecondRun, type FileResult, type Finished, isRed, reportOf, summaryOf } from './results'
import { startBrowserServer } from './support/browser-server'
import { cleanUp, executable, newFolder } from './support/executable'
import { packGenerated } from './support/generated-files'
import { prepare } from './support/prepared-data'
import { runInMemory } from './support/scratch'
import { startTestServer } from './support/test-server'
import { sampleData } from './support/ui'
import { used } from './support/used-data'

/**
 * Runs test files side by side: `bun run test [FILE|FOLDER …]`, or `--changed`. Those with executables and browsers, and
 * slow ones, have a process each; the others share one by the dozen, since each process takes 0.6 s of a processor to
 * read the sources and to become warm. All of them share one PostgreSQL (a database for each file) and one Chromium (a
 * context for each window), but for those that copy and paste. Up to five files that failed run once more, alone, unless
 * `STRICT=1` (docs/decisions/027).
 */
const root = resolve(import.meta.dir, '..')

/**
 * More than there are cores: a test waits for browsers, processes and disks as much as it works. With one lane more than
 * cores, two cores were idle for 38 % of the time.
 */
const laneCount = Number(process.env.TEST_LANES ?? availableParallelism() * 2)

/** What hangs ends here. It is no measure of speed: a busy machine may take many times as long as a quiet one. */
const testTimeoutMs = 180_000
/** The same of a process, whose tests were all over or could not even begin. */
const processTimeoutMs = 20 * 60_000

/**
 * Wall time of each file in the last run here: the longest go first, so that no lane is left alone with one at the end.
 */
const durationsPath = join(root, '.build/test-durations.json')

/** Where nothing is known yet, these must not be the last; what starts executables and browsers takes longest. */
const slow: Record<string, number> = {
  'test/web/screens.test.ts': 150_000,
  'test/tables/definitions/every-conversion.test.ts': 100_000,
  'test/executable/backup.test.ts': 90_000,
  'test/executable/backup-interrupted.test.ts': 90_000,
  'test/executable/attachments.test.ts': 70_000,
  'test/web/grid/editors.test.ts': 55_000,
  'test/web/record/record.test.ts': 55_000,
  'test/executable/data-directory.test.ts': 50_000,
  'test/csv/export/export.test.ts': 35_000,
}

const running = new Set<Bun.Subprocess>()

/** The most that a process of several files is to take, by what is known of them. */
const sharedMs = 30_000
const sharedFiles = 12

async function main(words: string[]): Promise<number> {
  const files = await chooseFiles(words)
  if (files.length === 0) throw new Error(`There is no test file in ${words.join(' ')}.`)
  // Not an executable of yesterday's sources.
  if (!process.env.TEST_BUILT) await (files.some(usesExecutable) ? build() : packGenerated())
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
  const run = (job: string[]) => runFiles(job, environment)
  const { first, second } = await runTwice(files, run).finally(stop)
  remember(first)
  console.log(summaryOf(first, second))
  return isRed(first, second) ? 1 : 0
}

/** All files side by side, and then those that failed alone, one after another, if they may (results.ts). */
async function runTwice(files: string[], run: (job: string[]) => Promise<Finished>): Promise<{ first: Finished[]; second: Finished[] }> {
  const jobs = group(files)
  const first: Finished[] = []
  const second: Finished[] = []
  const lane = async () => {
    for (let job = jobs.shift(); job; job = jobs.shift()) {
      const result = await run(job)
      first.push(result)
      console.log(reportOf(result, first.flatMap((each) => each.files).length, files.length))
    }
  }
  await Promise.all(Array.from({ length: laneCount }, lane))
  const again = chooseSecondRun(first, process.env.STRICT === '1')
  if (again.length > 0) console.log('\nOnce more, each alone:')
  for (const file of again) {
    const result = await run([file])
    second.push(result)
    console.log(reportOf(result, second.length, again.length))
  }
  return { first, second }
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

/** All windows of a Chromium share one clipboard, so these files have one of their own. */
const usesClipboard = (file: string) => /navigator\.clipboard|Control\+[cvx]'/.test(readFileSync(join(root, file), 'utf8'))

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

/** Files by process, the slowest process first. */
function group(files: string[]): string[][] {
  const durations = readDurations()
  const guess = (file: string) => durations[file] ?? slow[file] ?? (usesExecutable(file) ? 20_000 : 2000)
  const total = (job: string[]) => job.reduce((ms, file) => ms + guess(file), 0)
  const jobs: string[][] = []
  let shared: string[] = []
  for (const file of files.toSorted()) {
    if (usesExecutable(file)) {
      jobs.push([file])
      continue
    }
    if (shared.length === sharedFiles || total([...shared, file]) > sharedMs) shared = []
    if (shared.length === 0) jobs.push(shared)
    shared.push(file)
  }
  return jobs.toSorted((one, other) => total(other) - total(one))
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
  const measured = finished.flatMap(({ results }) => results.map(({ file, ms }) => [file, Math.round(ms)]))
  writeFileSync(durationsPath, JSON.stringify({ ...readDurations(), ...Object.fromEntries(measured) }))
}

async function runFiles(files: string[], env: Record<string, string | undefined>): Promise<Finished> {
  const startedAt = performance.now()
  const reportPath = join(newFolder(), 'report.xml')
  const options = ['--timeout', String(testTimeoutMs), '--reporter=junit', `--reporter-outfile=${reportPath}`]
  const child = Bun.spawn([process.execPath, 'test', ...options, ...files.map((file) => `./${file}`)], {
    cwd: root,
    env: files.some(usesClipboard) ? { ...env, TEST_BROWSER: undefined } : env,
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
    timeout: processTimeoutMs,
    killSignal: 'SIGKILL',
  })
  running.add(child)
  const [stdout, stderr, code] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text(), child.exited])
  running.delete(child)
  const cpuMs = Number(child.resourceUsage()?.cpuTime.total ?? 0) / 1000
  const results = readReport(reportPath, files)
  const ms = performance.now() - startedAt
  // The report does not count what a file does before its first test.
  if (files.length === 1) for (const result of results) result.ms = ms
  const isHung = child.signalCode === 'SIGKILL'
  const output = stdout + stderr + (isHung ? '\nIt hung, and was ended.\n' : '')
  return { files, code, ms, cpuMs, results, output, isHung }
}

/** @returns of each file; one that the report does not name, since the process ended before, failed once */
function readReport(path: string, files: string[]): FileResult[] {
  const text = existsSync(path) ? readFileSync(path, 'utf8') : ''
  const suites = text.matchAll(
    /<testsuite name="([^"]+)" file="\1" tests="(\d+)" assertions="\d+" failures="(\d+)" skipped="(\d+)" time="([\d.]+)"/g,
  )
  const named = new Map([...suites].map(([, file = '', ...numbers]) => [file, numbers.map(Number)]))
  return files.map((file) => {
    const [tests = 0, failures = 0, skipped = 0, seconds = 0] = named.get(file) ?? []
    const passed = tests - failures - skipped
    return { file, ms: seconds * 1000, passed, failed: passed > 0 ? failures : Math.max(failures, 1) }
  })
}

process.exit((await runInMemory([process.execPath, ...process.argv.slice(1)])) ?? (await main(process.argv.slice(2))))
