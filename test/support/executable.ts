import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { chmodSync, copyFileSync, existsSync, linkSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { hangMs } from './processes'
import { isRoot, scratchDir } from './scratch'

/** A user who is neither root nor the owner of any file; only root can switch to it. */
const nobody = { uid: 65534, gid: 65534 }

export type RunOptions = {
  /** Another copy of the executable, instead of the shared one. */
  file?: string
  args?: string[]
  environment?: Record<string, string>
  /** The current folder; a new empty one if not given. */
  cwd?: string
  asNobody?: boolean
}

let root: string | null = null
let count = 0
const running = new Set<ChildProcess>()

/**
 * Everything that the suite writes is below one folder, which every user may enter: under root, PostgreSQL runs as
 * another user.
 */
export function newFolder(): string {
  if (!root) {
    root = mkdtempSync(join(scratchDir(), 'rowhouse-'))
    chmodSync(root, 0o755)
  }
  const folder = join(root, String(count++))
  mkdirSync(folder)
  return folder
}

let copied: string | null = null

/** The compiled executable alone, away from the sources. */
export function executable(): string {
  if (copied) return copied
  const built = process.env.TEST_EXECUTABLE ?? resolve(import.meta.dir, '../../dist/rowhouse')
  if (!existsSync(built)) throw new Error('dist/rowhouse is not there, and these tests are about it. Build it first: bun run build')
  copied = join(newFolder(), 'rowhouse')
  linkOrCopy(built, copied)
  return copied
}

/** A hard link takes no time and no space; another file system needs a copy. */
function linkOrCopy(from: string, to: string) {
  try {
    linkSync(from, to)
  } catch {
    copyFileSync(from, to)
  }
  chmodSync(to, 0o755)
}

/** Ends all running processes and removes everything that was written. */
export function cleanUp() {
  for (const child of running) child.kill('SIGKILL')
  // Uses a program, which is several times faster with so many files.
  if (root) spawnSync('rm', ['-rf', root])
}

/** Starts it with only the PATH of this process's environment. */
function launch({ args = [], environment = {}, cwd = newFolder(), asNobody = false, file = executable() }: RunOptions): ChildProcess {
  const env = { PATH: process.env.PATH ?? '/usr/bin:/bin', ...environment }
  const child = spawn(file, args, { cwd, env, stdio: 'pipe', ...(asNobody && isRoot ? nobody : {}) })
  running.add(child)
  child.once('exit', () => running.delete(child))
  return child
}

const ended = (child: ChildProcess) =>
  new Promise<number | string>((done) => child.once('exit', (code, signal) => done(code ?? signal ?? 'unknown')))

export type Ended = { code: number | string; stdout: string; stderr: string }

/** Runs a command, which must end within `limitMs`. */
export async function run(
  args: string[],
  options: Omit<RunOptions, 'args'> & { input?: string | Uint8Array; limitMs?: number } = {},
): Promise<Ended> {
  const child = launch({ ...options, args })
  const limit = setTimeout(() => child.kill('SIGKILL'), options.limitMs ?? hangMs)
  child.stdin?.end(options.input ?? '')
  const [code, stdout, stderr] = await Promise.all([ended(child), text(child.stdout!), text(child.stderr!)])
  clearTimeout(limit)
  return { code, stdout, stderr }
}

type LogLine = { level: number; msg: string; url?: string; setupUrl?: string; [field: string]: unknown }

export type Service = AsyncDisposable & {
  pid: number
  dataDir: string
  log: LogLine[]
  url: string
  setupUrl?: string
  /** The exit code, or the name of the signal. */
  exited: Promise<number | string>
  kill: (signal: NodeJS.Signals) => void
  /** Asks it to end and waits for that. */
  stop: (signal?: NodeJS.Signals) => Promise<number | string>
}

export type StartOptions = RunOptions & {
  /**
   * By default one in the current folder: that of a service that was started once and not set up, or, with
   * DATABASE_URL, a new one that shares files with other services on that database.
   */
  dataDir?: string
  /**
   * Without this, the start counts as done with the line "listening on …", which is printed when the database is
   * available.
   */
  url?: string
}

/** Starts the service on a free port of 127.0.0.1. `await using` ends it with the test. */
export async function startService({ url, ...options }: StartOptions = {}): Promise<Service> {
  const cwd = options.cwd ?? newFolder()
  const dataDir = options.dataDir ?? newDataDir(cwd, options.environment?.DATABASE_URL)
  const environment = { PORT: url ? new URL(url).port : '0', ROWHOUSE_DATA_DIR: dataDir, ...options.environment }
  const child = launch({ ...options, cwd, environment })
  const exited = ended(child)
  const log: LogLine[] = []
  let errors = ''
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    errors += chunk
  })
  const listening = new Promise<LogLine>((done) => {
    onLines(child, (line) => {
      const entry = JSON.parse(line) as LogLine
      log.push(entry)
      if (entry.msg.startsWith('listening on ')) done(entry)
    })
  })
  const gone = exited.then((code) => {
    throw new Error(`The service ended with ${code} instead of starting:\n${errors}\n${log.map(({ msg }) => msg).join('\n')}`)
  })
  const kill = (signal: NodeJS.Signals) => void child.kill(signal)
  const stop = (signal: NodeJS.Signals = 'SIGTERM') => {
    kill(signal)
    return exited
  }
  const started = url ? { url, setupUrl: undefined } : await Promise.race([listening, gone])
  gone.catch(() => {})
  const [{ url: address = '', setupUrl }, pid = 0] = [started, child.pid]
  return { pid, dataDir, log, url: address, setupUrl, exited, kill, stop, [Symbol.asyncDispose]: async () => void (await stop()) }
}

const sharedFiles = new Map<string, string>()

/**
 * Instances on one database share a folder for files, as required; otherwise their data directories are separate. An
 * embedded database has been started once where `test/run.ts` has made it ready (`unclaimed` of prepared-data.ts): a
 * test of the first start names its data directory.
 */
function newDataDir(cwd: string, databaseUrl: string | undefined): string {
  const dataDir = join(cwd, 'data')
  if (existsSync(dataDir)) return dataDir
  if (databaseUrl === undefined) {
    const started = join(process.env.TEST_PREPARED ?? cwd, 'unclaimed')
    if (existsSync(started)) copyFolder(started, dataDir)
    return dataDir
  }
  const files = sharedFiles.get(databaseUrl) ?? newFolder()
  sharedFiles.set(databaseUrl, files)
  mkdirSync(dataDir, { mode: 0o700 })
  symlinkSync(files, join(dataDir, 'files'))
  return dataDir
}

/** With owners and modes. */
export function copyFolder(from: string, to: string) {
  const { status, stderr } = spawnSync('cp', ['-a', from, to], { encoding: 'utf8' })
  if (status !== 0) throw new Error(stderr)
}

function onLines(child: ChildProcess, take: (line: string) => void) {
  let rest = ''
  child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) take(line)
  })
}

export const setupCodeOf = (dataDir: string): string => readFileSync(join(dataDir, 'setup-code'), 'utf8').trim()

export type Call = {
  token?: string
  cookie?: string
  method?: string
  body?: unknown
  headers?: Record<string, string>
  limitMs?: number
}

/** One request, which must be answered within `limitMs`: nothing may hang. */
export const call = (url: string, { token, cookie, method, body, headers = {}, limitMs = hangMs }: Call = {}): Promise<Response> =>
  fetch(url, {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    headers: {
      ...(token ? { authorization: `Bearer ${token}` } : {}),
      ...(cookie ? { cookie } : {}),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    body: body === undefined ? undefined : JSON.stringify(body),
    redirect: 'manual',
    signal: AbortSignal.timeout(limitMs),
  })
