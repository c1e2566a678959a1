import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, setPriority, tmpdir } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { drillPackages, installMissingPackages } from '../src/build/debian-packages'
import { changedFiles, testsFor } from './changed'
import { chooseSecondRun, type FileResult, type Finished, isRed, reportOf, resultsFromOutput, summaryOf, unstableOutputs } from './results'
import { startBrowserServer } from './support/browser-server'
import { cleanUp, executable, newFolder } from './support/executable'
import { packGenerated } from './support/generated-files'
import { takePorts } from './support/ports'
import { prepare } from './support/prepared-data'
import { isScratchInMemory, runInMemory, usableGb } from './support/scratch'
import { startTestServer } from './support/test-server'
import { sampleData } from './support/ui'
import { used } from './support/used-data'

/**
 * Runs test files side by side: `bun run test [FILE|FOLDER …]`, or `--changed`; `bun run drills` (`--drills`) runs those
 * of `test/drills`, and those that repeat more often in a drill (support/drill.ts). Files with executables and browsers,
 * and slow ones, have a process each; the others share one by the
 * dozen, since each process takes 0.6 s of processor time to read the sources and to warm up. All of them share one
 * PostgreSQL (a database per file) and one Chromium (a context per window); files that copy and paste have a Chromium
 * of their own. Up to two files that failed run once more, alone, unless `STRICT=1` (docs/decisions/027).
 */
const root = resolve(import.meta.dir, '..')

/**
 * More than there are cores, since a test also waits for browsers, processes and disks. A lane takes up to 3 GB, with its
 * data directories in memory.
 */
const laneCount = Number(process.env.TEST_LANES ?? Math.max(1, Math.min(availableParallelism() * 2, Math.floor(usableGb() / 3), 6)))

/** An app opens twelve connections and more, and a process tests several instances at once. */
const maxConnections = 75 * laneCount

/** Ends a test that hangs. It measures nothing: a busy machine may take many times as long as a quiet one. */
const testTimeoutMs = 600_000
const drillTimeoutMs = 45 * 60_000
/** Ends a process whose tests are all over or could not begin; not in drills. */
const processTimeoutMs = 25 * 60_000

/** Wall time of each file in the last run here, which decides the order alone: the longest jobs go first. */
const durationsPath = join(root, '.build/test-durations.json')
/** The output of the first failure of each file that passed alone, in the last run. */
const unstableFolder = join(root, '.build/unstable')

/** Wall times on two cores: these go first where no run has measured them, and have a process of their own. */
const slow: Record<string, number> = {
  'test/access/canaries.test.ts': 60_000,
  'test/backup/move.test.ts': 60_000,
  'test/csv/export/export.test.ts': 35_000,
  'test/executable/attachments.test.ts': 70_000,
  'test/executable/backup-interrupted.test.ts': 90_000,
  'test/executable/backup.test.ts': 90_000,
  'test/executable/data-directory.test.ts': 50_000,
  'test/executable/files-move-interrupted.test.ts': 90_000,
  'test/executable/move.test.ts': 90_000,
  'test/executable/team-backup.test.ts': 150_000,
  'test/tables/definitions/every-conversion.test.ts': 30_000,
  'test/web/grid/editors.test.ts': 55_000,
  'test/web/record/record.test.ts': 55_000,
  'test/web/screens.test.ts': 150_000,
}

const running = new Set<Bun.Subprocess>()

const sharedFiles = 8

/** That of backups and moves of files, which would otherwise get a tenth of what the tests beside them get. */
const priority = 10

async function main(words: string[]): Promise<number> {
  setPriority(priority)
  const files = await chooseFiles(words)
  if (files.length === 0) throw new Error(`There is no test file in ${words.join(' ')}.`)
  const isDrilling = words.includes('--drills')
  if (isDrilling) await installMissingPackages(drillPackages)
  const seed = process.env.TEST_SEED ?? (isDrilling ? String(Math.floor(Math.random() * 2 ** 31)) : '1')
  const scratch = isScratchInMemory() ? 'memory' : 'disk'
  console.log(
    `${files.length} files, ${laneCount} lanes (${availableParallelism()} cores, ${usableGb().toFixed(1)} GB), scratch on ${scratch}, ${maxConnections} connections, TEST_SEED=${seed}`,
  )
  const temporary = temporaryFolder()
  // Not an executable of yesterday's sources.
  if (!process.env.TEST_BUILT) await (files.some(usesExecutable) ? build() : packGenerated())
  const [server, browser] = await Promise.all([startTestServer(maxConnections), startBrowserServer()])
  let left: string[] = []
  const stop = async () => {
    await Promise.all([server.stop(), browser.stop()])
    left = readdirSync(temporary).filter((name) => /^rowhouse-\w+-\w{6}$/.test(name))
    cleanUp()
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void abort(stop))
  const environment = {
    ...process.env,
    TEST_SEED: seed,
    ...(isDrilling ? { TEST_DRILLS: '1' } : {}),
    TEST_SERVER: server.address,
    TEST_BROWSER: browser.address,
    TEST_PREPARED: await prepareData(files),
    TEST_GENERATED: '1',
    ...(files.some(usesExecutable) ? { TEST_EXECUTABLE: executable() } : {}),
  }
  const run = (job: string[]) => runFiles(job, environment)
  const { first, second } = await runTwice(files, run).finally(stop)
  remember(first)
  keepUnstable(first, second)
  if (left.length > 0) console.log(`\nTests left ${left.length} in the temporary folder: ${left.join(', ')}`)
  console.log(summaryOf(first, second))
  return isRed(first, second) || left.length > 0 ? 1 : 0
}

/** That of this run alone, so that it shows what a test has left there. */
function temporaryFolder(): string {
  if (isScratchInMemory()) return tmpdir()
  const folder = join(newFolder(), 'tmp')
  mkdirSync(folder)
  chmodSync(folder, 0o1777)
  process.env.TMPDIR = folder
  return folder
}

/** Runs all files side by side, then those of `chooseSecondRun` one after another. */
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

function keepUnstable(first: Finished[], second: Finished[]) {
  rmSync(unstableFolder, { recursive: true, force: true })
  for (const { file, output } of unstableOutputs(first, second)) {
    mkdirSync(unstableFolder, { recursive: true })
    writeFileSync(join(unstableFolder, `${file.replaceAll('/', '-')}.log`), output)
  }
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
  if (words.includes('--drills')) return findFiles(['test']).filter((file) => isDrill(file) || repeatsInDrills(file))
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

const usesExecutable = (file: string) => /^test\/(executable|web|drills)\//.test(file)

const isDrill = (file: string) => file.startsWith('test/drills/')

const repeatsInDrills = (file: string) => /support\/drill'/.test(readFileSync(join(root, file), 'utf8'))

/** @returns the folder with the data directories that tests of the executable copy */
async function prepareData(files: string[]): Promise<string> {
  process.env.TEST_PREPARED = newFolder()
  if (files.some(usesExecutable)) for (const maker of [used, sampleData]) await prepare(maker)
  return process.env.TEST_PREPARED
}

/** All but the drills if no path is given. */
function findFiles(paths: string[]): string[] {
  const wanted = paths.map((path) => relative(root, resolve(path)))
  const isWanted = (file: string) =>
    wanted.length === 0 ? !isDrill(file) : wanted.some((path) => file === path || file.startsWith(`${path}/`))
  return [...new Bun.Glob('test/**/*.test.ts').scanSync({ cwd: root })].filter(isWanted)
}

/**
 * Files by process, the slowest process first. The grouping depends on the paths alone, so that files share a process on
 * every machine as they do here.
 */
function group(files: string[]): string[][] {
  const durations = readDurations()
  const guess = (file: string) => durations[file] ?? slow[file] ?? (usesExecutable(file) ? 20_000 : 2000)
  const total = (job: string[]) => job.reduce((ms, file) => ms + guess(file), 0)
  const isAlone = (file: string) => usesExecutable(file) || slow[file] !== undefined
  const shared = files.toSorted().filter((file) => !isAlone(file))
  const jobs = [
    ...files.filter(isAlone).map((file) => [file]),
    ...Array.from({ length: Math.ceil(shared.length / sharedFiles) }, (_, index) =>
      shared.slice(index * sharedFiles, (index + 1) * sharedFiles),
    ),
  ]
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
  const { ports, release } = takePorts()
  const reportPath = join(newFolder(), 'report.xml')
  const options = [
    '--timeout',
    String(env.TEST_DRILLS ? drillTimeoutMs : testTimeoutMs),
    '--reporter=junit',
    `--reporter-outfile=${reportPath}`,
  ]
  const child = Bun.spawn([process.execPath, 'test', ...options, ...files.map((file) => `./${file}`)], {
    cwd: root,
    env: { ...env, TEST_PORTS: ports, ...(files.some(usesClipboard) ? { TEST_BROWSER: undefined } : {}) },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
    ...(env.TEST_DRILLS ? {} : { timeout: processTimeoutMs, killSignal: 'SIGKILL' as const }),
  })
  running.add(child)
  const [stdout, stderr, code] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text(), child.exited])
  running.delete(child)
  release()
  const cpuMs = Number(child.resourceUsage()?.cpuTime.total ?? 0) / 1000
  const isHung = child.signalCode === 'SIGKILL'
  const output = stdout + stderr + (isHung ? '\nIt hung, and was ended.\n' : '')
  const results = existsSync(reportPath) ? readReport(reportPath, files) : resultsFromOutput(output, files)
  const ms = performance.now() - startedAt
  // The report does not count what a file does before its first test.
  if (files.length === 1) for (const result of results) result.ms = ms
  return { files, code, ms, cpuMs, results, output }
}

/** @returns a result per file; one without a passed test failed, since it has no tests or ended before them */
function readReport(path: string, files: string[]): FileResult[] {
  const suites = readFileSync(path, 'utf8').matchAll(
    /<testsuite name="([^"]+)" file="\1" tests="(\d+)" assertions="\d+" failures="(\d+)" skipped="(\d+)" time="([\d.]+)"/g,
  )
  const named = new Map([...suites].map(([, file = '', ...numbers]) => [file, numbers.map(Number)]))
  return files.map((file) => {
    const [tests = 0, failures = 0, skipped = 0, seconds = 0] = named.get(file) ?? []
    const passed = tests - failures - skipped
    return { file, ms: seconds * 1000, passed, failed: passed > 0 ? failures : Math.max(failures, 1), isRun: true }
  })
}

process.exit((await runInMemory([process.execPath, ...process.argv.slice(1)])) ?? (await main(process.argv.slice(2))))
