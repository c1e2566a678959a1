import type { Socket } from 'node:net'
import { drizzle, type PostgresJsDatabase } from 'drizzle-orm/postgres-js'
import postgres, { type Options, type PendingQuery, type Row, type Sql, type TransactionSql } from 'postgres'
import type { Config } from '../ops/config'
import type { ConnectionUri } from '../ops/connection-uri'
import { type ConnectionLoad, Shares } from './connection-shares'
import { originText, setOrigin } from './origin'
import * as schema from './schema'
import { admission, currentScope, type RequestScope } from './scope'
import { inOneTrip } from './search-path'
import { notPassedOn, passedOn } from './session-settings'
import { type OnSlowStatement, watchStatements } from './slow-statements'

/** Where statements run: each by itself, or all of them in one transaction. */
export type Executor = {
  /**
   * One statement with parameters, prepared once per connection where the settings allow it. A prepared one stays with
   * the connection for good: a text that depends on what a request holds says `prepare: false`.
   */
  query: Query
  /**
   * Statements that are done together or not at all; what `work` throws undoes them. Within a transaction they are a
   * savepoint of it.
   */
  transaction: Transact
  isTransaction: boolean
}

type Transact = <Result>(work: (inside: Executor) => Promise<Result>) => Promise<Result>

/** The one way to the database. Everything above it is the same for the PostgreSQL inside and for the team's own. */
export type Db = Executor & {
  /** drizzle, for Rowhouse's own tables. */
  orm: PostgresJsDatabase<typeof schema>
  /** postgres.js, for transactions, streams and the users' tables. */
  sql: Sql
  /** As `transaction`, for background work that sets itself a longer time limit. */
  longTransaction: Transact
  /** Connections of their own for exports and imports: a slow reader or sender keeps nobody else waiting. */
  bulk: Sql
  load: () => ConnectionLoad
  close: () => Promise<void>
}

/**
 * `share` is whose share of the connections it takes where that is no caller's: work that several callers share, by its
 * table.
 */
type QueryOptions = { prepare: boolean; share?: string }

/** `count` is how many rows the statement wrote, or else gave. */
export type Query = <Row extends object>(
  text: string,
  parameters?: readonly (string | null)[],
  options?: QueryOptions,
) => Promise<Row[] & { count?: number }>

/** What is written for a request is logged as written by its caller. Takes no trip of its own. */
function withOrigin<Result>(query: Query, work: () => Promise<Result>): Promise<Result> {
  const origin = currentScope()?.origin
  return origin ? inOneTrip(() => query(setOrigin, [originText([origin])]), work) : work()
}

/** A transaction of `orm`. */
export type Tx = Parameters<Parameters<Db['orm']['transaction']>[0]>[0]

/** Where PostgreSQL is: a unix socket of the database inside, or the team's by its connection URI. */
export type ConnectionTarget = { socketPath: string; user: string; database: string } | { uri: ConnectionUri }

/** Exports and imports are rare: what they opened is closed again. */
const bulkIdleS = 30

/**
 * An import keeps its file in a temporary table. What PostgreSQL has no buffers for it writes to disk and reads again;
 * they are taken as they are filled.
 */
const bulkSettings = { temp_buffers: '64MB' }

/**
 * PostgreSQL ends every statement in time. When nothing has come for so much longer, the connection is taken for lost,
 * and a new one takes its place (an option of the patched driver).
 */
const silentSlackS = 5

/** Is told what was said on a channel that a connection listens to. */
type OnNotification = (channel: string, payload: string) => void

/**
 * Kept for what is nobody's in particular: looking up credentials, sign-in, health checks, the watch over definitions.
 */
const reservedConnections = 2

/** Who has waited so long still has the whole time of a statement before the request's time is up. */
const maxShareWaitMs = 10_000

/** `onSlow` is told of statements that took ROWHOUSE_SLOW_QUERY or longer. */
type OpenOptions = { onNotification?: OnNotification; onSlow?: OnSlowStatement; reserved?: number }

export function openDb(
  target: ConnectionTarget,
  config: Config,
  { onNotification, onSlow, reserved = reservedConnections }: OpenOptions = {},
): Db {
  const watched = onSlow && config.slowQueryMs ? watchStatements(config.slowQueryMs, onSlow) : undefined
  // `onnotify` is not in its types: `sql.listen` would use it, and give up for good when the database is away for a
  // moment.
  const sql = connect(target, config, config.databasePoolSize + reserved, {
    answer_timeout: config.queryTimeoutMs / 1000 + silentSlackS,
    onquery: admission(false, watched),
    ...(onNotification ? { onnotify: onNotification } : {}),
  })
  const bulkOptions = { idle_timeout: bulkIdleS, onquery: admission(true, watched) }
  const bulk = connect(target, config, config.exportConcurrency + config.importConcurrency + 1, bulkOptions, bulkSettings)
  const prepared = new Set<string>()
  // Parameters are text, and PostgreSQL reads it; postgres.js would turn any text for a boolean (16) into false, and
  // one for bytes (17) into other bytes.
  for (const type of [16, 17]) sql.options.serializers[type] = String
  // drizzle takes away the others of `sql` by itself.
  bulk.options.serializers = {}
  const shares = new Shares(config.databasePoolSize, maxShareWaitMs)
  const send = createQuery(sql, config, prepared)
  const insideOf = (tx: TransactionSql, savepoints = { count: 0 }): Executor => ({
    query: createQuery(tx, config, prepared),
    transaction: async (work) => {
      // As postgres.js names them; it never releases one, and what is set for a savepoint alone lasts until then.
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
  /** A transaction takes of the share of the caller that it is for, whichever way it is begun. */
  const inShare = <Result>(begin: (scope: RequestScope | undefined) => Promise<Result>): Promise<Result> => {
    const scope = currentScope()
    if (!scope?.caller) return begin(undefined)
    return shares.use({ holder: scope.caller, scope, depth: scope.innerDepth, isTransaction: true }, () => begin(scope))
  }
  // drizzle swaps the client's parsers for its own; queries through `sql` see text for dates and JSON, which is what
  // we want.
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
    load: () => shares.load,
    close: async () => void (await Promise.all([sql.end({ timeout: 1 }), bulk.end({ timeout: 1 })])),
  }
}

/**
 * postgres.js would send a statement without parameters unprepared, unless it is told that the protocol is not the
 * simple one.
 */
const extended = { simple: false }

/** Each takes some 50 KB of each connection's memory for as long as this lives. */
const maxPrepared = 300

function createQuery(sql: Pick<Sql, 'unsafe'>, { databasePrepare, queryTimeoutMs }: Config, prepared: Set<string>): Query {
  const isPrepared = (text: string) => prepared.has(text) || (prepared.size < maxPrepared && Boolean(prepared.add(text)))
  return (text, parameters = [], { prepare } = { prepare: true }) => {
    const pending = sql.unsafe(text, parameters as string[], { prepare: databasePrepare && prepare && isPrepared(text), ...extended })
    return (databasePrepare ? pending : withClientTimeout(pending, queryTimeoutMs)) as unknown as Promise<never[]>
  }
}

/** Behind PgBouncer the server keeps no time for us, so the query is cancelled from here. */
async function withClientTimeout<T extends Row[]>(pending: PendingQuery<T>, limitMs: number) {
  const timer = setTimeout(() => pending.cancel(), limitMs)
  try {
    return await pending
  } finally {
    clearTimeout(timer)
  }
}

/** For what a pooler in between would break: DATABASE_DIRECT_URL where it is set. */
export const directTarget = (target: ConnectionTarget, { databaseDirectUrl }: Pick<Config, 'databaseDirectUrl'>): ConnectionTarget =>
  'uri' in target && databaseDirectUrl ? { uri: databaseDirectUrl } : target

/**
 * A client with one connection and no time limit, for migrations and other work that a pooler in between would break.
 */
export const connectDirectly = (target: ConnectionTarget, config: Config): Sql => connect(target, { ...config, queryTimeoutMs: 0 }, 1)

/** As `connectDirectly`, over a socket that `open` connects. */
export const connectOver = (target: ConnectionTarget, config: Config, open: () => Promise<Socket>): Sql =>
  connect(target, { ...config, queryTimeoutMs: 0 }, 1, { socket: open, host: ['localhost'], port: [0], path: undefined, ssl: false })

/** No query waits behind another one on its connection, which may wait for a lock. Not in the driver's types. */
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
    // A network that has forgotten a connection says so sooner.
    keep_alive: 10,
    onnotice: () => {},
    // Not in the driver's types either: our patch asks it before a statement is sent or queued.
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
 * As start-up parameters they cost no round trip. PgBouncer refuses them, so with DATABASE_PREPARE=0 `query` keeps the
 * time itself.
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

/** postgres.js takes lists of hosts and ports; its types know only one of each. */
const several = ({ hosts, ports }: ConnectionUri) => ({ host: hosts as unknown as string, port: ports as unknown as number })

/** libpq's meanings of sslmode: `verify-ca` checks the chain only, `verify-full` the host's name too. */
export function tlsOptions({ sslmode }: ConnectionUri, certificates: string | undefined): false | 'prefer' | object {
  const ca = certificates ? { ca: certificates } : {}
  if (sslmode === 'disable') return false
  if (sslmode === 'prefer') return 'prefer' as const
  if (sslmode === 'require') return { rejectUnauthorized: false }
  const checkServerIdentity = sslmode === 'verify-ca' ? { checkServerIdentity: () => undefined } : {}
  return { ...ca, ...checkServerIdentity, rejectUnauthorized: true }
}
