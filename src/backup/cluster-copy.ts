import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Sql } from 'postgres'
import type { Archive } from './archive'
import { clusterFiles, controlFile } from './cluster-files'
import { addFile } from './file-bytes'
import { BackupError } from './problem'

/** The cluster's folder in the archive, as in a data directory. */
export const clusterName = 'postgres'

/**
 * A base backup by PostgreSQL's low-level API (its manual, 25.3.4). What is copied while it changes is made right by the recovery of the copy, which
 * replays the log from the beginning of the backup to its end.
 * @param sql has one connection: the backup is its session's, and ends with it however that ends
 */
export async function copyCluster(sql: Sql, clusterDir: string, archive: Archive): Promise<void> {
  const { uid } = await stat(clusterDir)
  await holdLog(sql)
  await sql`select pg_backup_start('rowhouse backup', fast => true)`
  for await (const { path, isFolder } of clusterFiles(clusterDir)) {
    const name = `${clusterName}/${path}`
    if (isFolder) await archive.addFolder(name)
    else await addFile(archive, join(clusterDir, path), name, uid)
  }
  const control = await readSettled(join(clusterDir, controlFile))
  await archive.add(`${clusterName}/${controlFile}`, control.byteLength, [control])
  // Nobody archives the log here: it is waited for nobody, and taken from the folder below.
  const [stopped] = await sql<{ lsn: string; labelfile: string }[]>`
    select lsn::text as lsn, labelfile from pg_backup_stop(wait_for_archive => false)`
  await archive.addText(`${clusterName}/backup_label`, stopped!.labelfile)
  await copyLog(sql, clusterDir, archive, { ...stopped!, uid })
}

/** Until the connection ends no part of the log is removed that the copy needs. */
async function holdLog(sql: Sql) {
  const name = `rowhouse_backup_${process.pid}_${Date.now()}`
  try {
    await sql`select pg_create_physical_replication_slot(${name}, true, true)`
  } catch (error) {
    const { code, message } = error as { code?: string; message: string }
    // "Not in prerequisite state", "configuration limit exceeded".
    if (code !== '55000' && code !== '53400') throw error
    throw new BackupError(
      `PostgreSQL's settings do not allow a backup: ${message}. Look at wal_level and max_replication_slots in conf/custom.conf.`,
    )
  }
}

/** It is written in one piece, but read by nobody's lock: what was read twice alike is whole. */
async function readSettled(path: string): Promise<Buffer> {
  for (let last = await readFile(path); ; ) {
    const next = await readFile(path)
    if (next.equals(last)) return next
    last = next
  }
}

/** The segments from the checkpoint that recovery begins with to the end of the backup; `pg_backup_stop` has filled up the last one. */
async function copyLog(
  sql: Sql,
  clusterDir: string,
  archive: Archive,
  { lsn, labelfile, uid }: { lsn: string; labelfile: string; uid: number },
) {
  const start = /^START WAL LOCATION: ([0-9A-F]+\/[0-9A-F]+) /m.exec(labelfile)?.[1]
  if (!start) throw new BackupError('PostgreSQL did not say where the backup begins.')
  const segments = await sql<{ name: string; size: string }[]>`
    with size as (select setting::numeric as bytes from pg_settings where name = 'wal_segment_size')
    select pg_walfile_name('0/0'::pg_lsn + number * bytes + 1) as name, bytes::text as size
    from size, generate_series(div(${start}::pg_lsn - '0/0', bytes), div(${lsn}::pg_lsn - '0/0' - 1, bytes)) as number order by number`
  const folder = join(clusterDir, 'pg_wal')
  const histories = (await readdir(folder)).filter((name) => /^[0-9A-F]{8}\.history$/.test(name))
  for (const name of histories) await addFile(archive, join(folder, name), `${clusterName}/pg_wal/${name}`, uid)
  for (const { name, size } of segments) {
    if (!/^[0-9A-F]{24}$/.test(name)) throw new BackupError('PostgreSQL named a part of its log as none is named.')
    const copied = await addFile(archive, join(folder, name), `${clusterName}/pg_wal/${name}`, uid)
    if (copied !== Number(size))
      throw new BackupError(`PostgreSQL has removed a part of its log (${name}) that the backup needs. Try again.`)
  }
}
