import { appendFileSync, copyFileSync, existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Sql } from 'postgres'
import { configureCluster, readMajor, wasShutDown } from '../../db/embedded/cluster'
import { choosePlaceIn, type DataDirPlace } from '../../db/embedded/place'
import { patientConfig, socketTarget, startPostmaster } from '../../db/embedded/postmaster'
import { watchForCrash } from '../../db/embedded/server-log'
import { connectDirectly } from '../../db/pool/open'
import { createEvents } from '../../ops/log/events'
import type { Config } from '../../ops/settings/config'
import { noTransactionTimeout, sessionSettings } from '../database-copy/session'

/** PostgreSQL on one of the two clusters, with its own socket. */
export type ClusterServer = {
  target: ReturnType<typeof socketTarget>
  config: Config
  /** Opens a connection that reads and writes values in the same form on both servers. */
  connect: (database?: string) => Promise<Sql>
  /** Why the server ended by itself; null while it runs. */
  failure: () => Error | null
  /** Ends every connection and the statements that run on it. */
  disconnect: () => Promise<void>
  stop: () => Promise<void>
  /**
   * Like `stop`, for a server that must keep all its rows: PostgreSQL empties unlogged tables when it recovers.
   * @throws Error if the server did not shut down cleanly, now or before
   */
  stopWhole: () => Promise<void>
}

/** pg_dump and the load each lock all objects in a single transaction. */
const forDefinitions = ['max_locks_per_transaction=8192', 'max_pred_locks_per_transaction=64']

/** Neither server has clients. Background work that the service's settings would start is disabled. */
const forBoth = ['archive_mode=off', 'autovacuum=off', 'max_logical_replication_workers=0', ...forDefinitions]

/** The old cluster, which is only read. It runs with the settings of a new cluster, in `folder`. */
export function startOldCluster(place: DataDirPlace, runtime: string, folder: string, config: Config): Promise<ClusterServer> {
  return startServer({ ...choosePlaceIn(join(folder, 'old')), clusterDir: place.clusterDir }, place, runtime, config, [
    'default_transaction_read_only=on',
    // Older versions have no event triggers that fire at login.
    ...(readMajor(place) >= 17 ? ['event_triggers=off'] : []),
  ])
}

/** The new cluster in `folder` while it is filled. It is recreated after a crash, so it needs no fsync. */
export function startEmptyCluster(place: DataDirPlace, runtime: string, folder: string, config: Config): Promise<ClusterServer> {
  return startServer(choosePlaceIn(folder), place, runtime, config, [
    ...['fsync=off', 'full_page_writes=off', 'wal_level=minimal', 'max_wal_senders=0', 'max_wal_size=4GB', 'checkpoint_timeout=1h'],
    'event_triggers=off',
  ])
}

/**
 * The new cluster as the service will start it: with the operator's own settings, including those of `alter system`. A
 * setting that this major version does not know fails the upgrade instead of the service's next start.
 */
export function startFilledCluster(place: DataDirPlace, runtime: string, folder: string, config: Config): Promise<ClusterServer> {
  const work = choosePlaceIn(folder)
  const own = join(place.confDir, 'custom.conf')
  if (existsSync(own)) appendFileSync(join(work.confDir, 'custom.conf'), `include '${own.replaceAll("'", "''")}'\n`)
  copyFileSync(join(place.clusterDir, 'postgresql.auto.conf'), join(work.clusterDir, 'postgresql.auto.conf'))
  return startServer(work, place, runtime, config, ['event_triggers=off', 'max_wal_senders=0'])
}

async function startServer(
  work: DataDirPlace,
  { runtimeDir }: DataDirPlace,
  runtime: string,
  config: Config,
  settings: readonly string[],
): Promise<ClusterServer> {
  configureCluster(work)
  const events = createEvents()
  const crash = watchForCrash(events)
  const postmaster = await startPostmaster({ ...work, runtimeDir }, runtime, events, [...forBoth, ...settings])
  const target = socketTarget(work)
  const connections: Sql[] = []
  const disconnect = async () => void (await Promise.all(connections.splice(0).map((sql) => sql.end({ timeout: 0 }))))
  const connect = async (database = target.database) => {
    const sql = connectDirectly({ ...target, database }, patientConfig(config))
    connections.push(sql)
    await sql.unsafe(`${sessionSettings}; ${noTransactionTimeout}`).simple()
    return sql
  }
  const stop = async () => {
    await disconnect()
    await postmaster.stop()
    // The socket's folder may be in /tmp, where no other code removes it.
    rmSync(work.socketDir, { recursive: true, force: true })
  }
  return {
    target,
    config,
    connect,
    failure: crash.failure,
    disconnect,
    stop,
    stopWhole: async () => {
      // Otherwise the checkpoint at shutdown could exceed the time limit on a slow disk.
      await (await connect()).unsafe('checkpoint')
      await stop()
      const failure = crash.failure() ?? (wasShutDown(work) ? null : crash.ended())
      if (failure) throw failure
    },
  }
}
