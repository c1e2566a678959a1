import { type ClusterUpgrade, upgradeCluster } from '../../backup/cluster-upgrade/upgrade-cluster'
import { megabytes } from '../../backup/disk-space'
import { removeKeptClusters } from '../../db/embedded/exchange'
import { findPlace } from '../../db/embedded/place'
import { postgresMajor } from '../../db/embedded/runtime'
import type { Config } from '../../ops/settings/config'
import { CommandError } from '../command'
import { withInterruption } from './interruption'
import { createProgress } from './progress'

/** The kinds of objects that the report counts, by pg_dump's names. */
const counted = [
  ['INDEX', 'indexes'],
  ['CONSTRAINT', 'constraints'],
  ['FK CONSTRAINT', 'foreign keys'],
  ['VIEW', 'views'],
  ['FUNCTION', 'functions'],
  ['TRIGGER', 'triggers'],
] as const

/** `rowhouse upgrade --postgres` */
export async function upgradePostgres(config: Config, isQuiet: boolean): Promise<void> {
  requireInside(config)
  const progress = createProgress(isQuiet)
  const startedAt = performance.now()
  const done = await withInterruption((signal) => upgradeCluster({ config, signal, progress })).finally(progress.end)
  if (done === null) return console.log(`The database already uses PostgreSQL ${postgresMajor}.`)
  console.log(describeUpgrade(done, (performance.now() - startedAt) / 1000))
}

function describeUpgrade({ from, tables, rows, objects, bytesBefore, bytesAfter }: ClusterUpgrade, seconds: number): string {
  const others = counted.map(([type, name]) => `${objects.get(type) ?? 0} ${name}`).join(', ')
  return [
    `Brought the database from PostgreSQL ${from} to ${postgresMajor} in ${seconds.toFixed(1)} s: ${tables} tables with ${rows} rows, ${others}.`,
    `Compared with the old one: the rows of each table by number and checksum, all definitions, sequences, roles. PostgreSQL has checked every constraint, and amcheck the tables and their B-tree and GIN indexes.`,
    `The new database has ${megabytes(bytesAfter)}. The old one is kept as postgres-${from}, with ${megabytes(bytesBefore)}, until rowhouse upgrade --remove-old.`,
  ].join('\n')
}

/** `rowhouse upgrade --remove-old` */
export function removeOldDatabase(config: Config): void {
  requireInside(config)
  const { majors, freedBytes } = removeKeptClusters(findPlace(config))
  const removed = `Removed the database of PostgreSQL ${majors.join(', ')}, which frees ${megabytes(freedBytes)}.`
  console.log(majors.length > 0 ? removed : 'There is no database of an older PostgreSQL.')
}

function requireInside({ databaseUrl }: Config) {
  if (databaseUrl)
    throw new CommandError('This upgrades only the embedded database. Upgrade a database of DATABASE_URL with its own tools.')
}
