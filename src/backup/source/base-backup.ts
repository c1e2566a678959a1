import type { Sql } from 'postgres'
import { databaseFailure } from '../../db/errors'
import { clusterFolder } from '../archive/names'
import { readTar } from '../archive/tar'
import type { ArchiveWriter } from '../archive/writer'
import { BackupError, DamagedBackup } from '../errors'
import { ReplicationError, type ReplicationSession } from './replication'

/** The time that PostgreSQL may take to end a walsender on request. */
const endTimeoutMs = 60_000

/**
 * Copies the cluster of a running server, with the part of its log that recovery needs. A temporary replication slot,
 * which PostgreSQL drops with the session, retains the log.
 * @throws BackupError, ReplicationError, errors of the archive or the socket
 */
export async function copyCluster(session: ReplicationSession, archive: ArchiveWriter): Promise<void> {
  try {
    await holdLog(session)
    // The page checksums are checked in the copy: a damaged page must not prevent the backup of everything else.
    const command = `BASE_BACKUP (LABEL 'rowhouse backup', CHECKPOINT 'fast', WAL, WAIT false, MANIFEST 'no', VERIFY_CHECKSUMS false)`
    for await (const { name, type, size, bytes } of readTar(baseArchive(session.copy(command)))) {
      const path = `${clusterFolder}/${name.replace(/^\.\//, '').replace(/\/$/, '')}`
      if (type === '5') await archive.addFolder(path)
      else if (type === '0') await archive.add(path, size, bytes)
      else throw hasLinks(name)
    }
  } catch (error) {
    throw explainCopy(error)
  }
}

function explainCopy(error: unknown): unknown {
  // The end of the server is reported elsewhere.
  if (!(error instanceof ReplicationError) || error.code.startsWith('57')) return error
  return new BackupError(
    settingsCodes.includes(error.code)
      ? `PostgreSQL's settings do not allow a backup: ${error.message}. Check wal_level, max_wal_senders and max_replication_slots in conf/custom.conf.`
      : `PostgreSQL could not copy its folder: ${error.message}.`,
  )
}

/** Retains the part of the log that the copy needs until the session ends. */
async function holdLog(session: ReplicationSession) {
  const name = `rowhouse_backup_${process.pid}_${Date.now()}`
  for await (const _ of session.copy(`CREATE_REPLICATION_SLOT ${name} TEMPORARY PHYSICAL (RESERVE_WAL)`));
}

/** The SQLSTATEs "not in prerequisite state", "configuration limit exceeded" and "too many connections". */
const settingsCodes = ['55000', '53400', '53300']

const hasLinks = (name: string) =>
  new BackupError(
    `${name} in PostgreSQL's folder is a link (a tablespace, perhaps), and what it leads to would not be in the backup. Move its tables back, or back up with pg_basebackup.`,
  )

/** Extracts the tar of the cluster from messages. Their first byte is their kind. */
async function* baseArchive(messages: AsyncIterable<Buffer>): AsyncGenerator<Uint8Array> {
  let archives = 0
  for await (const message of messages) {
    const kind = message[0]
    // A new archive begins. A second one would be a tablespace.
    if (kind === 0x6e && ++archives > 1) throw hasLinks(message.toString('utf8', 1).split('\0')[0] ?? '')
    if (kind === 0x64) yield message.subarray(1)
  }
}

/**
 * Ends the session, and waits until PostgreSQL has ended its process and dropped its slot. Closing the socket is not
 * enough: a walsender that waits for a checkpoint does not look at its socket, and retains the log until then.
 * @param sql another session; if the database is gone, so is the walsender
 */
export async function endWalsender(session: ReplicationSession, sql: Sql): Promise<void> {
  session.close()
  try {
    await sql`select pg_terminate_backend(${session.pid}, ${endTimeoutMs}) from pg_stat_activity
      where pid = ${session.pid} and backend_type = 'walsender'`
  } catch {
    // The database is stopping or gone.
  }
}

/** Reads every page of a server and checks its checksum. @throws DamagedBackup naming the damaged pages */
export async function checkPages(session: ReplicationSession): Promise<void> {
  try {
    for await (const _ of session.copy(`BASE_BACKUP (LABEL 'rowhouse check', CHECKPOINT 'fast', WAIT false, MANIFEST 'no')`));
  } catch (error) {
    if (!(error instanceof ReplicationError) || databaseFailure(error)) throw error
    throw new DamagedBackup(`Pages of the database are damaged: ${[...error.notices.slice(0, 3), error.message].join('; ')}.`)
  }
}
