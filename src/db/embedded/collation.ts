import type { Config } from '../../ops/settings/config'
import { connectDirectly } from '../pool/open'
import { databaseName } from './cluster'
import type { DataDirPlace } from './place'
import { patientConfig, socketTarget } from './postmaster'

/**
 * Text is sorted as people sort it, with numbers in it by value (docs/decisions/019). The order comes from ICU, and a
 * release with another ICU version may order some texts differently. Indexes built before would then miss records, so
 * they are rebuilt before the first request. An interrupted rebuild starts again at the next start.
 * @param config for the time limits of the connection
 */
export async function requireCurrentIndexes(place: DataDirPlace, config: Config, progress: (message: string) => void): Promise<void> {
  const sql = connectDirectly(socketTarget(place), patientConfig(config))
  try {
    const [stale] = await sql`
      select from pg_catalog.pg_database
      where datname = ${databaseName} and datcollversion is distinct from pg_catalog.pg_database_collation_actual_version(oid)`
    if (!stale) return
    progress('Indexes are made again: this release sorts text by another version of ICU')
    await sql.unsafe('set statement_timeout = 0')
    await sql.unsafe(`reindex database ${databaseName}`)
    await sql.unsafe(`alter database ${databaseName} refresh collation version`)
  } finally {
    await sql.end()
  }
}
