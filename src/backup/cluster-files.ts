import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { BackupError } from './problem'

/** What PostgreSQL makes anew at every start: the folder has to be there, its content not (PostgreSQL's manual, 25.3.4). */
const emptied = new Set(['pg_wal', 'pg_replslot', 'pg_dynshmem', 'pg_notify', 'pg_serial', 'pg_snapshots', 'pg_stat_tmp', 'pg_subtrans'])

/** What belongs to the running server, or comes by itself; the label of this backup is written at its end. */
const leftOut = new Set(
  [
    'postmaster.pid',
    'postmaster.opts',
    'backup_label',
    'backup_label.old',
    'tablespace_map',
    'tablespace_map.old',
    'backup_manifest',
  ].concat(['postgresql.auto.conf.tmp', 'current_logfiles.tmp', 'postmaster.pid.new']),
)

/** Temporary files, temporary tables (`t3_16384`), and caches of the catalogue. */
const isTemporary = (name: string) => /^pgsql_tmp|^pg_internal\.init|^t\d+_\d+(_(fsm|vm|init))?(\.\d+)?$/.test(name)

/** Read last, since it says what state all the others are in. */
export const controlFile = 'global/pg_control'

export type Found = { path: string; isFolder: boolean }

/**
 * Everything of a running cluster that a base backup holds, folders before what is in them, by paths relative to `clusterDir`.
 * @throws BackupError for a link, as tablespaces are
 */
export async function* clusterFiles(clusterDir: string, folder = ''): AsyncGenerator<Found> {
  for (const entry of await readdir(join(clusterDir, folder), { withFileTypes: true }).catch(noneIfMissing)) {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`
    if (emptied.has(path)) {
      yield { path, isFolder: true }
    } else if (entry.isSymbolicLink()) {
      throw new BackupError(
        `${join(clusterDir, path)} is a link (a tablespace, perhaps), and what it leads to would not be in the backup. Move its tables back, or back up with pg_dump.`,
      )
    } else if (entry.isDirectory()) {
      if (isTemporary(entry.name)) continue
      yield { path, isFolder: true }
      yield* clusterFiles(clusterDir, path)
    } else if (entry.isFile() && path !== controlFile && !leftOut.has(path) && !isTemporary(entry.name)) {
      yield { path, isFolder: false }
    }
  }
}

/** A database that is dropped takes its folder with it. */
function noneIfMissing(error: NodeJS.ErrnoException): [] {
  if (error.code === 'ENOENT') return []
  throw error
}
