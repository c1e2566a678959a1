import type { Socket } from 'node:net'
import { drizzle, type PostgresJsDatabase } from 'drizzle-orm/postgres-js'
import postgres, { type Options, type PendingQuery, type Row, type Sql, type TransactionSql } from 'postgres'
import type { Config } from '../../ops/settings/config'
import type { ConnectionUri } from '../../ops/settings/connection-uri'
import * as schema from '../schema/tables'
import { type ConnectionLoad, Shares } from './connection-shares'
import { originText, setOrigin } from './origin'
import { inOneTrip } from './pipelining'
import { admission, currentScope, type RequestScope } from './scope'
import { notPassedOn, passedOn } from './session-settings'
import { type OnSlowStatement, watchStatements } from './slow-statements'

/** Where statements run: each by itself, or all of them in one transaction. */
export type Executor = {
  /**
   * Runs one statement with parameters, prepared once per connection if the settings allow it. A prepared statement
   * stays on the connection for good, so a text that depends on the contents of a request needs `prepare: false`.
   */
  query: Query
  /**
   * Runs statements together or not at all; if `work` throws, they are rolled back. Within a transaction they form a
   * savepoint.
   */
  transaction: Transact
  isTransaction: boolean
}

type Transact = <Result>(work: (inside: Executor) => Promise<Result>) => Promise<Result>

/** The only way to the database. The code above it is the same for the embedded PostgreSQL and an external one. */
export type Db = Executor & {
  /** drizzle, for Rowhouse's own tables. */
  orm: PostgresJsDatabase<typeof schema>
  /** postgres.js, for transactions, streams and the users' tables. */
  sql: Sql
  /** Like `transaction`, for background work that sets itself a longer time limit. */
  longTransaction: Transact
  /** Separate connections for exports and imports, so that a slow reader or sender does not delay others. */
  bulk: Sql
  /** A separate session without time limits, for background work that takes minutes; bypasses a pooler if possible. */
  withSession: <Result>(work: (session: Sql) => Promise<Result>) => Promise<Result>
  load: () => ConnectionLoad
  close: () => Promise<void>
}

/**
 * `share` names the connection share of work that belongs to no caller: work that several callers share, by its table.
 */
type QueryOptions = { prepare: boolean; share?: string }

/** `count` is the number of rows that the statement wrote, or else returned. */
export type Query = <Row extends object>(
  text: string,
  parameters?: readonly (string | null)[],
  options?: QueryOptions,
) => Promise<Row[] & { count?: number }>

/** Logs the request's caller as the author of its writes. Takes no extra round trip. */
function withOrigin<Result>(query: Query, work: () => Promise<Result>): Promise<Result> {
  const origin = currentScope()?.origin
  return origin ? inOneTrip(() => query(setOrigin, [originText([origin])]), work) : work()
}

/** A transaction of `orm`. */
export type Tx = Parameters<Parameters<Db['orm']['transaction']>[0]>[0]

/** How to reach PostgreSQL: the unix socket of the embedded one, or the connection URI of an external one. */
export type ConnectionTarget = { socketPath: string; user: string; database: string } | { uri: ConnectionUri }

/** Exports and imports are rare, so their connections are closed again. */
const bulkIdleS = 30

/**
 * An import keeps its file in a temporary table. PostgreSQL writes what exceeds these buffers to disk and reads it
 * again; memory is allocated only as they fill.
 */
const bulkSettings = { temp_buffers: '64MB' }

/**
 * PostgreSQL ends every statement in time. A connection that stays silent for this much longer is considered lost and
 * replaced (an option of the patched driver).
 */
const silentSlackS = 5

/** Called with the payload of a notification on a channel that a connection listens to. */
type OnNotification = (channel: string, payload: string) => void

/**
 * Reserved for work that belongs to no caller: credential look-ups, sign-in, health checks and watching the catalog.
 */
const reservedConnections = 2

/** After waiting this long, a caller still has the whole time limit of a statement within the request timeout. */
const maxShareWaitMs = 10_000

/** `onSlow` is called for statements that took ROWHOUSE_SLOW_QUERY or longer. */
type OpenOptions = { onNotification?: OnNotification; onSlow?: OnSlowStatement; reserved?: number }

export function openDb(
  target: ConnectionTarget,
  config: Config,
  { onNotification, onSlow, reserved = reservedConnections }: OpenOptions = {},
): Db {
  const watched = onSlow && config.slowQueryMs ? watchStatements(config.slowQueryMs, onSlow) : undefined
  // `onnotify` is missing from the driver's types. `sql.listen`, which they offer, gives up for good when the database
  // is briefly unreachable.
  const sql = connect(target, config, config.databasePoolSize + reserved, {
    answer_timeout: config.queryTimeoutMs / 1000 + silentSlackS,
    onquery: admission(false, watched),
    ...(onNotification ? { onnotify: onNotification } : {}),
  })
  const bulkOptions = { idle_timeout: bulkIdleS, onquery: admission(true, watched) }
  const bulk = connect(target, config, config.exportConcurrency + config.importConcurrency + 1, bulkOptions, bulkSettings)
  const sessions = new Set<Sql>()
  const prepared = new Set<string>()
  // Parameters are text, which PostgreSQL parses; postgres.js would turn any text for a boolean (16) into false, and
  // text for bytes (17) into other bytes.
  for (const type of [16, 17]) sql.options.serializers[type] = String
  // drizzle itself removes the other serializers of `sql`.
  bulk.options.serializers = {}
  const shares = new Shares(config.databasePoolSize, maxShareWaitMs)
  const send = createQuery(sql, config, prepared)
  const insideOf = (tx: TransactionSql, savepoints = { count: 0 }): Executor => ({
    query: createQuery(tx, config, prepared),
    transaction: async (work) => {
      // Named as postgres.js does; it never releases a savepoint, and a setting made for one alone lasts until then.
      const name = `s${savepoints.count++}`
      const done = await tx.savepoint(async (inner) => {
        const result = await work(insideOf(inner, savepoints))
        await inner.unsafe(`release savepoint ${name}`)
        return { result }
      })
      return done.result
    },
    isTransaction: true,
  })
  const transactionOf =
    (client: Sql): Transact =>
    async (work) => {
      const done = await client.begin(async (tx) => {
        const inside = insideOf(tx)
        const result = await withOrigin(inside.query, () => work(inside))
        const ended = currentScope()?.reason
        if (ended) throw ended
        return { result }
      })
      return done.result
    }
  const transaction = transactionOf(sql)
  /** A transaction counts towards the share of its caller, however it is begun. */
  const inShare = <Result>(begin: (scope: RequestScope | undefined) => Promise<Result>): Promise<Result> => {
    const scope = currentScope()
    if (!scope?.caller) return begin(undefined)
    return shares.use({ holder: scope.caller, scope, depth: scope.innerDepth, isTransaction: true }, () => begin(scope))
  }
  // drizzle replaces the client's parsers; queries through `sql` therefore get text for dates and JSON, as we want.
  const orm = drizzle(sql, { schema })
  const beginOrm = orm.transaction.bind(orm)
  orm.transaction = (work, options) =>
    inShare((scope) => beginOrm((tx) => (scope ? scope.inTransaction(() => work(tx)) : work(tx)), options))
  return {
    orm,
    sql,
    query: (text, parameters, options) => {
      const scope = currentScope()
      const holder = scope?.caller ?? options?.share
      if (holder === undefined) return send(text, parameters, options)
      return shares.use({ holder, scope, depth: scope?.depth ?? 0 }, () => send(text, parameters, options))
    },
    transaction: (work) => inShare((scope) => transaction((inside) => (scope ? scope.inTransaction(() => work(inside)) : work(inside)))),
    isTransaction: false,
    longTransaction: transactionOf(bulk),
    bulk,
    withSession: async (work) => {
      const session = connectDirectly(directTarget(target, config), config)
      sessions.add(session)
      try {
        return await work(session)
      } finally {
        sessions.delete(session)
        await endSoon(session)
      }
    },
    load: () => shares.load,
    close: async () => void (await Promise.all([sql, bulk, ...sessions].map(endSoon))),
  }
}

const endSoon = (client: Sql) => client.end({ timeout: 1 })

/** postgres.js sends a statement without parameters unprepared unless the simple protocol is switched off. */
const extended = { simple: false }

/** Each takes about 50 KB of memory per connection, for the life of the connection. */
const maxPrepared = 300

function createQuery(sql: Pick<Sql, 'unsafe'>, { databasePrepare, queryTimeoutMs }: Config, prepared: Set<string>): Query {
  const isPrepared = (text: string) => prepared.has(text) || (prepared.size < maxPrepared && Boolean(prepared.add(text)))
  return (text, parameters = [], { prepare } = { prepare: true }) => {
    const pending = sql.unsafe(text, parameters as string[], { prepare: databasePrepare && prepare && isPrepared(text), ...extended })
    return (databasePrepare ? pending : withClientTimeout(pending, queryTimeoutMs)) as unknown as Promise<never[]>
  }
}

/** With PgBouncer the server enforces no time limit for us, so the query is cancelled from here. */
async function withClientTimeout<T extends Row[]>(pending: PendingQuery<T>, limitMs: number) {
  const timer = setTimeout(() => pending.cancel(), limitMs)
  try {
    return await pending
  } finally {
    clearTimeout(timer)
  }
}

/** For work that a pooler in between would break: DATABASE_DIRECT_URL if it is set. */
export const directTarget = (target: ConnectionTarget, { databaseDirectUrl }: Pick<Config, 'databaseDirectUrl'>): ConnectionTarget =>
  'uri' in target && databaseDirectUrl ? { uri: databaseDirectUrl } : target

/**
 * A client with one connection and no time limit, for migrations and other work that a pooler in between would break.
 */
export const connectDirectly = (target: ConnectionTarget, config: Config): Sql => connect(target, { ...config, queryTimeoutMs: 0 }, 1)

/** Like `connectDirectly`, over a socket that `open` connects. */
export const connectOver = (target: ConnectionTarget, config: Config, open: () => Promise<Socket>): Sql =>
  connect(target, { ...config, queryTimeoutMs: 0 }, 1, { socket: open, host: ['localhost'], port: [0], path: undefined, ssl: false })

/**
 * No query is sent before the previous one on its connection ends, since that one may wait for a lock. Missing from the
 * driver's types.
 */
const oneAtATime: object = { max_pipeline: 1 }

function connect(target: ConnectionTarget, config: Config, max: number, more: object = {}, settings: object = {}): Sql {
  const place =
    'uri' in target ? fromUri(target.uri, config) : { path: target.socketPath, user: target.user, database: target.database, ssl: false }
  const options: Options<Record<string, never>> = {
    ...place,
    max,
    prepare: config.databasePrepare,
    // Array types are not looked up: arrays are passed as PostgreSQL's array literals.
    fetch_types: false,
    connect_timeout: config.databaseConnectTimeoutMs / 1000,
    // Short and bounded: a request that waits for a connection must get its 503 soon.
    backoff: (retries: number) => Math.min(0.05 * retries, 0.5),
    max_lifetime: null,
    ...oneAtATime,
    // Detects sooner that the network has dropped a connection.
    keep_alive: 10,
    onnotice: () => {},
    // Also missing from the driver's types: our patch calls it before a statement is sent or queued.
    ...{ onquery: admission(false) },
    ...more,
    connection: {
      application_name: 'rowhouse',
      ...('uri' in target ? target.uri.parameters : {}),
      ...passedOn,
      ...(config.databasePrepare ? { ...notPassedOn, ...timeLimits(config), ...settings } : {}),
    },
  }
  return postgres(options)
}

/**
 * As start-up parameters they cost no round trip. PgBouncer rejects them, so with DATABASE_PREPARE=0 `query` enforces
 * the limit itself.
 */
const timeLimits = (config: Config) => ({
  statement_timeout: config.queryTimeoutMs,
  lock_timeout: config.queryTimeoutMs,
  idle_in_transaction_session_timeout: 60_000,
})

function fromUri(uri: ConnectionUri, config: Config): Options<Record<string, never>> {
  const [first = ''] = uri.hosts
  return {
    ...(first.startsWith('/') ? { path: `${first}/.s.PGSQL.${uri.ports[0]}` } : several(uri)),
    user: uri.user,
    password: uri.password,
    database: uri.database,
    ssl: tlsOptions(uri, config.databaseCa ?? uri.ca),
    ...(uri.targetSessionAttrs ? { target_session_attrs: uri.targetSessionAttrs as 'primary' } : {}),
  }
}

/** postgres.js takes lists of hosts and ports; its types allow only one of each. */
const several = ({ hosts, ports }: ConnectionUri) => ({ host: hosts as unknown as string, port: ports as unknown as number })

/** libpq's meanings of sslmode: `verify-ca` checks the chain only, `verify-full` also checks the host name. */
export function tlsOptions({ sslmode }: ConnectionUri, certificates: string | undefined): false | 'prefer' | object {
  const ca = certificates ? { ca: certificates } : {}
  if (sslmode === 'disable') return false
  if (sslmode === 'prefer') return 'prefer' as const
  if (sslmode === 'require') return { rejectUnauthorized: false }
  const checkServerIdentity = sslmode === 'verify-ca' ? { checkServerIdentity: () => undefined } : {}
  return { ...ca, ...checkServerIdentity, rejectUnauthorized: true }
}
