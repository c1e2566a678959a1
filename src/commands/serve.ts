import { createHandler } from '../app'
import { checkStorage } from '../attachments/storage/identity'
import { startSweeping } from '../attachments/sweep'
import { pruneSessions } from '../auth/accounts/sessions'
import { isSetupRequired, offerSetup, setUpUnattended } from '../auth/accounts/setup'
import { pruneThrottle } from '../auth/accounts/throttle'
import { pruneAudit, recordAudit } from '../auth/audit/audit-log'
import { pruneExports } from '../csv/export/log'
import { pruneImports } from '../csv/import/log'
import { wrongSettings } from '../db/session-settings'
import type { Deps } from '../deps'
import { Failure } from '../errors'
import { type Handler, type HttpServer, serve as listen } from '../http/serve'
import type { Config } from '../ops/config'
import { createEvents, type Events } from '../ops/events'
import { createLogger, logEvents, logFormat } from '../ops/log'
import { standardOutput } from '../ops/output'
import { firstLine } from '../ops/setting-readers'
import { captureConsole } from '../plugins/console'
import { type LoadedPlugins, loadPlugins } from '../plugins/load/loaded'
import { pruneIdempotencyKeys } from '../records/idempotency'
import type { CatalogWatch } from '../tables/catalog/watch'
import { inspectSchemas, inspectSearchPath } from '../tables/report/served-schemas'
import { showStart } from './banner'
import { applyMigrations, createDeps, type Opened, openDatabase, startWatching, whenReachable } from './bootstrap'
import { type Command, CommandError, type Environment, sentenceOf } from './command'
import { mountPlugins } from './plugins-lifecycle'

const pruneEveryMs = 60 * 60 * 1000

/** For the last lines of the log to be read; a reader that has stalled gets them no sooner. */
const longestLogMs = 500

export const serve: Command = {
  name: 'serve',
  summary: 'Start the service (also without any command).',
  description:
    'Starts the database inside (or connects to DATABASE_URL), applies migrations and listens. Ends on SIGTERM or Ctrl-C, after the requests under way.',
  run: async ({ config, environment }) => {
    const events = createEvents()
    const banner = logFormat(config) === 'text' ? showStart(events) : []
    const output = standardOutput()
    const stopSignal = nextSignal()
    // A mistake in one request's leftovers must not end everybody else's.
    for (const kind of ['unhandledRejection', 'uncaughtException'] as const)
      process.on(kind, (error: unknown) => events.emit({ kind: 'background_failed', task: 'something unawaited', error }))
    logEvents(events, await createLogger(config, output), banner)
    const consoles = captureConsole(events, config.pluginsDir)
    const loading = loadPlugins(config.pluginsDir, environment)
    const opened = await openDatabase(config, events).catch((error) => {
      consoles.release()
      throw error
    })
    try {
      return await serveUntil(stopSignal, { ...config, dataDir: opened.dataDir }, events, opened, loading, environment, consoles.know)
    } finally {
      consoles.release()
      await opened.stop()
      events.emit({ kind: 'stopped' })
      await output.drained(longestLogMs)
    }
  },
}

async function serveUntil(
  stopSignal: Promise<string>,
  config: Config,
  events: Events,
  opened: Opened,
  loading: Promise<LoadedPlugins>,
  environment: Environment,
  onPlugins: (plugins: LoadedPlugins) => void,
): Promise<number> {
  let isServing = false
  let isWanted = true
  const watches: CatalogWatch[] = []
  const deps = createDeps(config, events, opened.target, () => isServing)
  // A database of the team's may be away, and a plugin may take its time; health checks must answer all the same.
  let handler: Handler = createHandler(deps)
  const server = listenOn((request, info) => handler(request, info), config, events)
  let stopWatching = () => {}
  const mounted = mountPlugins(deps, loading, environment, (next, plugins) => {
    handler = next
    onPlugins(plugins)
  }).then((stop) => {
    stopWatching = stop
  })
  const prepared = whenReachable(
    () => prepare(deps, opened),
    events,
    () => isWanted,
  ).then(async ({ code, isTold }) => {
    await mounted
    isServing = true
    watches.push(startWatching(deps, opened.target, isTold))
    const setupUrl = code ? `${config.publicUrl ?? server.url}/setup#code=${encodeURIComponent(code)}` : undefined
    events.emit({ kind: 'started', url: server.url, database: opened.description, setupUrl })
  })
  const pruning = setInterval(() => {
    prune(deps).catch((error) => events.emit({ kind: 'background_failed', task: 'pruning', error }))
  }, pruneEveryMs)
  const sweeping = startSweeping(deps)
  try {
    const reason = await Promise.race([stopSignal, Promise.all([mounted, prepared]).then(() => stopSignal)])
    events.emit({ kind: 'stopping', reason })
    return 0
  } finally {
    isWanted = false
    isServing = false
    clearInterval(pruning)
    sweeping.stop()
    stopWatching()
    const watched = Promise.all(watches.map((watch) => watch.stop()))
    await server.stop()
    deps.renderer.stop()
    await Promise.all([watched, deps.db.close()])
  }
}

function listenOn(handler: Handler, config: Config, events: Events): HttpServer {
  try {
    return listen(handler, config, events)
  } catch (error) {
    const problem = addressProblem((error as { code?: string }).code, config)
    throw problem === null ? error : new CommandError(problem)
  }
}

function addressProblem(code: string | undefined, { host, port }: Config): string | null {
  if (code === 'EADDRINUSE') return `Port ${port} of ${host} is taken by another program; choose another with PORT.`
  if (code === 'EACCES') return `Port ${port} of ${host} is not for this user; choose one above 1023 with PORT.`
  if (code === 'EADDRNOTAVAIL' || code === 'EINVAL') return `${host} is not an address of this machine; choose another with HOST.`
  return null
}

const prune = ({ db, config }: Deps) =>
  Promise.all([
    pruneExports(db),
    pruneImports(db),
    pruneIdempotencyKeys(db),
    pruneSessions(db, config.sessionIdleTimeoutMs),
    pruneThrottle(db),
    pruneAudit(db, config.auditRetentionDays),
  ])

/** @returns the setup code while one is needed, and whether PostgreSQL tells of changes */
async function prepare(deps: Deps, opened: Opened): Promise<{ code: string | null; isTold: boolean }> {
  const { applied, isTold } = await applyMigrations(opened.target, deps.config)
  if (applied.length) deps.events.emit({ kind: 'progress', message: `Migrated the database (${applied.length} steps)` })
  const { adminEmail, adminPasswordFile } = deps.config
  // The file may be gone as soon as it has been used.
  if (adminEmail && adminPasswordFile && (await isSetupRequired(deps.db))) {
    await setUp(deps, { email: adminEmail, password: readPassword(adminPasswordFile) })
  }
  await checkSettings(deps)
  await checkSchemas(deps)
  await checkStorage(deps)
  return { code: await offerSetup(deps.db, deps.config.dataDir, deps.config.setupCode), isTold }
}

/** @throws CommandError when values would not be read as they are written */
async function checkSettings({ db }: Deps) {
  const problem = await wrongSettings(db.query)
  if (problem !== null) throw new CommandError(problem)
}

/** @throws CommandError when the settings name a schema that is not there */
async function checkSchemas({ db, config, events }: Deps) {
  const { fatal, warnings } = await inspectSchemas(db, config.schemas)
  if (fatal !== null) throw new CommandError(fatal)
  for (const message of [...warnings, ...(await inspectSearchPath(db))]) events.emit({ kind: 'warning', message })
}

function readPassword(path: string): string {
  try {
    return firstLine(path)
  } catch (error) {
    throw new CommandError(`ROWHOUSE_ADMIN_PASSWORD_FILE ${(error as Error).message}.`)
  }
}

/** Of several instances that start together one makes the administrator. @throws CommandError when the settings name an impossible one */
async function setUp({ db, passwords, events }: Deps, admin: { email: string; password: string }) {
  const user = await setUpUnattended(db, passwords, admin).catch((error) => {
    if (!(error instanceof Failure)) throw error
    throw new CommandError(`ROWHOUSE_ADMIN_EMAIL and ROWHOUSE_ADMIN_PASSWORD_FILE do not make an administrator. ${sentenceOf(error)}`)
  })
  if (!user) return
  await recordAudit(db, { kind: 'setup', result: 'ok', credential: 'command', address: '', actorId: user.id })
  events.emit({ kind: 'note', message: `Made the first administrator, ${user.email}.` })
}

const nextSignal = () =>
  new Promise<string>((done) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => done(signal))
  })
