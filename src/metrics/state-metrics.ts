import { statfs } from 'node:fs/promises'
import { Gauge, type Registry } from 'prom-client'
import type { Deps } from '../deps'
import { brokenCount, type LoadedPlugins, wholePlugins } from '../plugins/load/loaded'
import { withTimeout } from '../timeout'

/** Less than Prometheus's scrape timeout, which is 10 s. */
const maxProbeMs = 5000
/** PostgreSQL takes longer to compute sizes the more data there is, and they change slowly. */
const sizesMaxAgeMs = 60_000

const connectionsStatement = `select coalesce(state, 'starting') as state, pg_catalog.count(*)::text as count
  from pg_catalog.pg_stat_activity
  where datname operator(pg_catalog.=) pg_catalog.current_database() and application_name operator(pg_catalog.=) 'rowhouse'
  group by 1`

const sizesStatement = `select pg_catalog.pg_database_size(pg_catalog.current_database())::text as database,
  pg_catalog.count(*)::text as files, coalesce(pg_catalog.sum(size), 0)::text as bytes from rowhouse.files`

type Sizes = { database: string; files: string; bytes: string }

/** The gauges of one scrape query concurrently and share the result. */
const oneScrapeMs = 1000

/** Queries once, and shares the result until it is too old. A failed query is repeated. */
function shared<Value>(maxAgeMs: number, ask: () => Promise<Value>): () => Promise<Value> {
  let last: { at: number; value: Promise<Value> } | null = null
  return () => {
    if (last && performance.now() - last.at < maxAgeMs) return last.value
    const read = { at: performance.now(), value: ask() }
    read.value.catch(() => {
      if (last === read) last = null
    })
    last = read
    return read.value
  }
}

/**
 * Adds values that are queried at each scrape: database, files, disk, plugins and backups. A value that cannot be
 * determined is omitted, so that an outdated one does not appear instead.
 */
export function addStateMetrics(registry: Registry, deps: Deps, plugins: () => LoadedPlugins) {
  const { db, config } = deps
  const registers = [registry]
  const readSizes = shared(sizesMaxAgeMs, async () => (await db.query<Sizes>(sizesStatement))[0]!)
  const readBackups = shared(oneScrapeMs, () => deps.backups.state())
  /** A gauge without a value is left out. */
  const gauge = <Label extends string = never>(
    name: string,
    help: string,
    labelNames: Label[],
    read: (set: (value: number, labels?: Record<Label, string>) => void) => unknown,
  ) =>
    new Gauge<Label>({
      name,
      help,
      labelNames,
      registers,
      async collect() {
        this.reset()
        // Without labels, a reset one has the value 0.
        if (labelNames.length === 0) this.remove()
        const reading = Promise.resolve(read((value, labels) => (labels ? this.set(labels, value) : this.set(value))))
        await withTimeout(reading, maxProbeMs, () => {}).catch(() => {})
      },
    })

  gauge('rowhouse_database_up', 'Whether the database answers.', [], (set) =>
    withTimeout(db.query('select 1'), maxProbeMs - 1000, () => Promise.reject(new Error('no answer'))).then(
      () => set(1),
      () => set(0),
    ),
  )
  gauge('rowhouse_database_connections', 'Connections of all instances to this database, by state.', ['state'], async (set) => {
    for (const { state, count } of await db.query<{ state: string; count: string }>(connectionsStatement)) set(Number(count), { state })
  })
  gauge('rowhouse_database_pool_connections', 'Connections for data that this instance uses, and may use.', ['kind'], (set) => {
    const { inUse, size, waiting } = db.load()
    set(inUse, { kind: 'in_use' })
    set(size, { kind: 'size' })
    set(waiting, { kind: 'waited_for' })
  })
  gauge('rowhouse_database_size_bytes', 'Size of the database.', [], async (set) => set(Number((await readSizes()).database)))
  gauge('rowhouse_files', 'Attachments.', [], async (set) => set(Number((await readSizes()).files)))
  gauge('rowhouse_files_bytes', 'Size of all attachments.', [], async (set) => set(Number((await readSizes()).bytes)))
  gauge('rowhouse_disk_free_bytes', 'Room on the disk of the data directory.', [], async (set) => {
    const { bavail, bsize } = await statfs(config.dataDir)
    set(bavail * bsize)
  })
  gauge('rowhouse_disk_size_bytes', 'Size of the disk of the data directory.', [], async (set) => {
    const { blocks, bsize } = await statfs(config.dataDir)
    set(blocks * bsize)
  })
  gauge('rowhouse_plugins', 'Plugins, by whether they are loaded.', ['state'], (set) => {
    set(wholePlugins(plugins()).length, { state: 'loaded' })
    set(brokenCount(plugins()), { state: 'failed' })
  })
  gauge(
    'rowhouse_backup_age_seconds',
    'Time since the last proven backup began; none without a schedule, or before the first.',
    [],
    async (set) => {
      const { ageSeconds } = await readBackups()
      if (ageSeconds !== null) set(ageSeconds)
    },
  )
  gauge('rowhouse_backup_late', 'Whether the last proven backup is older than two times of the schedule.', [], async (set) => {
    const { state } = await readBackups()
    if (state !== 'off') set(state === 'late' ? 1 : 0)
  })
  gauge('rowhouse_backup_failed', 'Whether the last backup that the service has made is not proven.', [], async (set) => {
    const { state, hasFailed } = await readBackups()
    if (state !== 'off') set(hasFailed ? 1 : 0)
  })
  gauge(
    'rowhouse_wal_archive_lag_seconds',
    'How long the oldest part of the log waits that is not archived; none without an archive.',
    [],
    (set) => {
      const { lagSeconds } = deps.walArchiver.state()
      if (lagSeconds !== null) set(lagSeconds)
    },
  )
  gauge(
    'rowhouse_wal_archive_late',
    'Whether the archive of the log is behind or cannot be written to; none without an archive.',
    [],
    (set) => {
      const { state } = deps.walArchiver.state()
      if (state === 'ok' || state === 'late') set(state === 'late' ? 1 : 0)
    },
  )
}
