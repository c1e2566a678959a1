import { createHandler, dialects } from '../app'
import { checkStorage } from '../attachments/storage/identity'
import { startSweeping } from '../attachments/sweep'
import { pruneSessions } from '../auth/accounts/sessions'
import { isSetupRequired, offerSetup, setUpUnattended } from '../auth/accounts/setup'
import { pruneThrottle } from '../auth/accounts/throttle'
import { pruneAudit } from '../auth/audit/audit-log'
import { pruneBudgets } from '../auth/budgets'
import { crossOrigin } from '../auth/cross-origin'
import { pruneRefusals } from '../auth/refusals/refusals'
import { deliverAlerts } from '../backup/alerts'
import { backUpBeforeUpgrade } from '../backup/upgrade/backup-first'
import { wantedArchive } from '../backup/wal/process'
import { maintainLog } from '../changes/maintenance'
import { pruneExports } from '../csv/export/log'
import { pruneImports } from '../csv/import/log'
import { watchDatabaseFile } from '../db/embedded/database-file'
import { wrongSettings } from '../db/pool/session-settings'
import type { Deps } from '../deps'
import { Failure, sentenceOf, unavailable } from '../errors'
import { pruneFormProofs } from '../forms/proof'
import { isPageAddress, startingPage } from '../http/request/navigation'
import { problemWriterOf } from '../http/response/errors'
import { answerProcessCheck } from '../http/server/health'
import { type Handler, type HttpServer, serve as listen } from '../http/server/serve'
import { pruneLinks } from '../links/store'
import { translatable } from '../messages/message'
import { listenForMetrics, type MetricsListener } from '../metrics/listener'
import { serviceMetrics } from '../metrics/service-metrics'
import { addStateMetrics } from '../metrics/state-metrics'
import { createEvents, type Events, eventsUntilEnd } from '../ops/log/events'
import { createLogger, logEvents, logFormat } from '../ops/log/log'
import { standardOutput } from '../ops/log/output'
import { isRoot } from '../ops/ownership/privileges'
import type { Config } from '../ops/settings/config'
import type { ListenAddress } from '../ops/settings/monitoring-settings'
import { firstLine } from '../ops/settings/setting-readers'
import { captureConsole } from '../plugins/console'
import { type LoadedPlugins, loadPlugins, noPlugins } from '../plugins/load/loaded'
import { pruneIdempotencyKeys } from '../records/idempotency'
import type { CatalogWatch } from '../tables/catalog/watch'
import { maintainIndexes } from '../tables/definitions/schema-lock'
import { maintainSearchIndexes } from '../tables/definitions/search-indexes'
import { inspectSchemas, inspectSearchPath } from '../tables/report/served-schemas'
import { withTimeout } from '../timeout'
import { readPassphrase } from './backup/backup'
import { awaitDataDir } from './backup/hand-over'
import { showStart } from './banner'
import { applyMigrations, createDeps, type Opened, openDatabase, requireInUse, startWatching, whenReachable } from './bootstrap'
import { type Command, CommandError, type Environment } from './command'
import { withMovedDatabase } from './moved-database'
import { mountPlugins } from './plugins-lifecycle'
import { runAsServiceUser } from './service-user'

const maxTidyMs = 3000

/** For a move: requests that take longer are aborted. */
const maxRestMs = 2000

const pruneEveryMs = 60 * 60 * 1000

/** Gives a reader the time to read the last log lines; waiting longer does not help a stalled one. */
const maxLogWaitMs = 500

export const serveCommand: Command = {
  name: 'serve',
  summary: 'Start the service (also without any command).',
  description:
    'Starts the embedded database (or connects to DATABASE_URL), applies migrations and listens. Ends on SIGTERM or Ctrl-C, after the requests under way.',
  findsDatabase: true,
  run: async ({ config: given, environment }) => {
    const events = createEvents()
    const banner = logFormat(given) === 'text' ? showStart(events) : []
    const output = standardOutput()
    const stopSignal = nextSignal()
    // A stray error of one request must not end all the others.
    for (const kind of ['unhandledRejection', 'uncaughtException'] as const)
      process.on(kind, (error: unknown) => events.emit({ kind: 'background_failed', task: 'something unawaited', error }))
    logEvents(events, await createLogger(given, output), { untold: banner, accessLog: given.accessLog })
    deliverAlerts(events, given)
    const asRoot = whileRoot(given, events, environment)
    const own = runAsServiceUser(given, { data: 'made', environment, tell: (message, kind) => events.emit({ kind, message }) })
    const consoles = captureConsole(events, own.pluginsDir)
    const loading = loadPlugins(own.pluginsDir, environment)
    loading.catch(() => {})
    try {
      // After a move to another database, everything except the listener is stopped and started again with the new one.
      for (;;) {
        const reason = await serveDatabase(own, { stopSignal, asRoot, events, loading, environment, onPlugins: consoles.know })
        if (reason !== movedReason) return 0
        if ((await Promise.race([stopSignal, awaitDataDir(own, events)])) !== undefined) return 0
      }
    } finally {
      consoles.release()
      await output.drained(maxLogWaitMs)
    }
  },
}

/** Why a service closes its database and continues with another one. */
const movedReason = 'the database was moved'

type ServeContext = {
  stopSignal: Promise<string>
  asRoot: WhileRoot
  events: Events
  loading: Promise<LoadedPlugins>
  environment: Environment
  onPlugins: (plugins: LoadedPlugins) => void
}

/** Serves the database of the settings, or the one that it was moved to. @returns why it ended */
async function serveDatabase(own: Config, context: ServeContext): Promise<string> {
  const { stopSignal, asRoot, events } = context
  const config = withMovedDatabase(own)
  if (config.isDatabaseMoved) events.emit({ kind: own.walArchive === undefined ? 'note' : 'warning', message: movedNote(own) })
  const opened = await openDatabase(config, events, await wantedArchive(config, asRoot.passphrase))
  let isStopped = false
  const stop = async () => {
    if (isStopped) return
    isStopped = true
    await opened.stop()
  }
  const moved = Promise.withResolvers<string>()
  const unwatch = own.databaseUrl ? () => {} : watchDatabaseFile(opened, () => moved.resolve(movedReason))
  try {
    return await serveUntil(
      Promise.race([stopSignal, moved.promise]),
      { ...config, dataDir: opened.dataDir },
      asRoot,
      events,
      { ...opened, stop },
      context.loading,
      context.environment,
      context.onPlugins,
    )
  } finally {
    unwatch()
    await stop()
    events.emit({ kind: 'stopped' })
  }
}

const movedNote = ({ walArchive }: Config) =>
  `The database was moved: its address is in the file database-url of the data directory.${walArchive ? ' ROWHOUSE_WAL_ARCHIVE is for the embedded database and has no effect: nothing can be restored to a point in time from here. Archive the log of that server with its own tools, and remove the setting.' : ''}`

async function serveUntil(
  stopSignal: Promise<string>,
  config: Config,
  { front, readPassword, passphrase }: WhileRoot,
  allEvents: Events,
  opened: Opened,
  loading: Promise<LoadedPlugins>,
  environment: Environment,
  onPlugins: (plugins: LoadedPlugins) => void,
): Promise<string> {
  const events = eventsUntilEnd(allEvents)
  let isServing = false
  let isWanted = true
  const watches: CatalogWatch[] = []
  const deps = createDeps(config, events, opened.target, () => isServing)
  // An external database may be unreachable, and a plugin may be slow to load; health checks must still answer.
  front.handler = createHandler(deps)
  const server = front.listen(config, allEvents)
  let plugins = noPlugins
  const metrics = metricsListener(
    deps,
    () => server.pendingRequests(),
    () => plugins,
  )
  let stopWatching = () => {}
  const mounted = mountPlugins(deps, loading, environment, (next, loaded) => {
    plugins = loaded
    front.handler = next
    onPlugins(loaded)
  }).then((stop) => {
    stopWatching = stop
  })
  const stopping = new AbortController()
  let ended: string | null = null
  let upgrading: Promise<void> | undefined
  const prepared = whenReachable(
    async () => {
      await requireInUse(opened.target, config)
      upgrading = backUpBeforeUpgrade({
        config,
        opened,
        passphrase,
        signal: stopping.signal,
        say: (message) => events.emit({ kind: 'note', message }),
      })
      return upgrading.then(() => prepare(deps, opened, readPassword))
    },
    events,
    () => isWanted,
  ).then(async ({ code, isTold }) => {
    await mounted
    isServing = true
    deps.backups.start(passphrase)
    deps.walArchiver.start(opened, passphrase)
    maintainSearchIndexes(deps).catch((error) => {
      if (ended === null) events.emit({ kind: 'background_failed', task: 'building search indexes', error })
    })
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
    ended = reason
    events.emit({ kind: 'stopping', reason })
    return reason
  } finally {
    isWanted = false
    isServing = false
    stopping.abort(new CommandError('The service was stopped before it was upgraded.'))
    // A backup removes its unfinished files; nothing waits any longer for an unresponsive database.
    await withTimeout(upgrading?.catch(() => {}) ?? Promise.resolve(), maxTidyMs, () => {})
    clearInterval(pruning)
    sweeping.stop()
    stopWatching()
    await metrics?.stop()
    deps.feed.stop()
    const backedUp = deps.backups.stop()
    const watched = Promise.all(watches.map((watch) => watch.stop()))
    if (ended === movedReason) await front.rest()
    else await server.stop()
    await deps.renderer.stop()
    await backedUp
    // The next database has its own event streams, and this database is closed soon.
    events.end()
    await withTimeout(deps.refusals.flush(), maxTidyMs, () => {})
    await Promise.all([watched, deps.db.close(), deps.walArchiver.look()])
    await opened.stop()
    // PostgreSQL has handed over its last segment by now.
    await deps.walArchiver.stop()
  }
}

const starting: Handler = (request, { id }) =>
  answerProcessCheck(request) ??
  (isPageAddress(request)
    ? startingPage(request)
    : problemWriterOf(dialects, request)(unavailable(translatable('The service is starting.'), 1), id))

/** Answers the requests. */
class Front {
  handler: Handler
  readonly #starting: Handler
  #server: HttpServer | null = null

  constructor(config: Config) {
    this.#starting = crossOrigin(config)(starting)
    this.handler = this.#starting
  }

  /** Listens once; later calls return the same server. */
  listen(config: Config, events: Events): HttpServer {
    this.#server ??= listenOn((request, info) => this.handler(request, info), config, events)
    return this.#server
  }

  /** Answers that the service is starting, except to checks of the process, and waits for running requests. */
  async rest(): Promise<void> {
    this.handler = this.#starting
    for (const until = performance.now() + maxRestMs; performance.now() < until && (this.#server?.pendingRequests() ?? 0) > 0; )
      await Bun.sleep(20)
  }
}

type WhileRoot = { front: Front; readPassword: () => string; passphrase: string | undefined }

/**
 * Done while still root: opening a port below 1024, and reading the files with the first administrator's password and
 * with the passphrase of backups.
 */
function whileRoot(config: Config, events: Events, environment: Environment): WhileRoot {
  const front = new Front(config)
  if (isRoot() && config.port > 0 && config.port < 1024) front.listen(config, events)
  const passphrase = (config.backupTo ?? config.walArchive) ? readPassphrase(config, environment) : undefined
  return { front, readPassword: passwordIn(config.adminPasswordFile), passphrase }
}

/** @throws CommandError if the address cannot be used */
function metricsListener(deps: Deps, pendingRequests: () => number, plugins: () => LoadedPlugins): MetricsListener | null {
  const { metrics: address } = deps.config
  if (address === undefined) return null
  const registry = serviceMetrics(deps.events, pendingRequests)
  addStateMetrics(registry, deps, plugins)
  try {
    const listener = listenForMetrics(address, registry)
    deps.events.emit({ kind: 'note', message: `Metrics for Prometheus are at ${listener.url}` })
    return listener
  } catch (error) {
    const problem = addressProblem((error as { code?: string }).code, address, 'ROWHOUSE_METRICS')
    throw problem === null ? error : new CommandError(problem)
  }
}

function listenOn(handler: Handler, config: Config, events: Events): HttpServer {
  try {
    return listen(handler, config, events, dialects)
  } catch (error) {
    const problem = addressProblem((error as { code?: string }).code, config)
    throw problem === null ? error : new CommandError(problem)
  }
}

function addressProblem(code: string | undefined, { host, port }: ListenAddress, setting?: string): string | null {
  const [hostSetting, portSetting] = setting === undefined ? ['HOST', 'PORT'] : [setting, setting]
  if (code === 'EADDRINUSE') return `Port ${port} of ${host} is taken by another program; choose another with ${portSetting}.`
  if (code === 'EACCES') return `Port ${port} of ${host} is not for this user; choose one above 1023 with ${portSetting}.`
  if (code === 'EADDRNOTAVAIL' || code === 'EINVAL') return `${host} is not an address of this machine; choose another with ${hostSetting}.`
  return null
}

const prune = (deps: Deps) => {
  const { db, config } = deps
  return Promise.all([
    pruneExports(db),
    pruneImports(db),
    pruneIdempotencyKeys(db),
    pruneSessions(db, config.sessionIdleTimeoutMs),
    pruneThrottle(db),
    pruneBudgets(db),
    pruneAudit(db, config.auditRetentionDays),
    pruneRefusals(db),
    pruneLinks(db),
    pruneFormProofs(db),
    maintainLog(deps),
    maintainIndexes(deps),
  ])
}

/** @returns the setup code while one is needed, and whether PostgreSQL sends change notifications */
async function prepare(deps: Deps, opened: Opened, readPassword: () => string): Promise<{ code: string | null; isTold: boolean }> {
  const { applied, isTold } = await applyMigrations(opened.target, deps.config)
  if (applied.length) deps.events.emit({ kind: 'progress', message: `Migrated the database (${applied.length} steps)` })
  const { adminEmail, adminPasswordFile } = deps.config
  // The file may be deleted once it has been used.
  if (adminEmail && adminPasswordFile && (await isSetupRequired(deps.db))) {
    await setUp(deps, { email: adminEmail, password: readPassword() })
  }
  await checkSettings(deps)
  await checkSchemas(deps)
  await checkStorage(deps)
  await maintainLog(deps)
  return { code: await offerSetup(deps.db, deps.config.dataDir, deps.config.setupCode), isTold }
}

/** @throws CommandError if values would be read differently from how they are written */
async function checkSettings({ db }: Deps) {
  const problem = await wrongSettings(db.query)
  if (problem !== null) throw new CommandError(problem)
}

/** @throws CommandError if the settings name a schema that does not exist */
async function checkSchemas({ db, config, events }: Deps) {
  const { fatal, warnings } = await inspectSchemas(db, config.schemas)
  if (fatal !== null) throw new CommandError(fatal)
  for (const message of [...warnings, ...(await inspectSearchPath(db))]) events.emit({ kind: 'warning', message })
}

/** The file is read at once, but an error is reported only when the password is needed. */
function passwordIn(path: string | undefined): () => string {
  try {
    const password = path === undefined ? '' : firstLine(path)
    return () => password
  } catch (error) {
    return () => {
      throw new CommandError(`ROWHOUSE_ADMIN_PASSWORD_FILE ${(error as Error).message}.`)
    }
  }
}

/**
 * If several instances start together, one creates the administrator.
 * @throws CommandError if the settings name an invalid one
 */
async function setUp({ db, passwords, events }: Deps, admin: { email: string; password: string }) {
  const user = await setUpUnattended(db, passwords, admin).catch((error) => {
    if (!(error instanceof Failure)) throw error
    throw new CommandError(`ROWHOUSE_ADMIN_EMAIL and ROWHOUSE_ADMIN_PASSWORD_FILE do not make an administrator. ${sentenceOf(error)}`)
  })
  if (!user) return
  events.emit({ kind: 'note', message: `Made the first administrator, ${user.email}.` })
}

const nextSignal = () =>
  new Promise<string>((done) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => done(signal))
  })
