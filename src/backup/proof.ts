import { createReadStream, mkdirSync, rmSync, statfsSync } from 'node:fs'
import { chmod } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Sql } from 'postgres'
import { keyOf } from '../attachments/storage'
import { DataDirError, findPlace, refuseUnsafe } from '../db/embedded/place'
import type { Config } from '../ops/config'
import type { Events } from '../ops/events'
import type { Entry } from './archive'
import { clusterName } from './cluster-copy'
import { filesName } from './create'
import { BackupError } from './problem'
import type { Content } from './reading'
import { readRestored } from './rehearsal'
import { lastMigration, type State } from './state'
import { unpackBackup } from './unpack'

/** PostgreSQL's programs, and what a recovery writes. */
const besidesBytes = 300 * 2 ** 20

const pageSize = 1000

/**
 * Puts the database of a backup back into a folder of its own, starts PostgreSQL on it and reads everything; the attachments that it knows have to be
 * in the backup, byte for byte. Nothing of it remains.
 * @param config names the data directory that the backup is of
 * @throws BackupError saying what is missing
 */
export async function proveBackup(
  file: string,
  databaseBytes: number,
  config: Config,
  events: Events,
  signal: AbortSignal,
): Promise<State> {
  const scratch = chooseScratch(file, databaseBytes, config)
  const scratchConfig = { ...ofSameUser(config), dataDir: scratch, dataDirIsDefault: false }
  const { owner } = findPlace(scratchConfig)
  mkdirSync(scratch)
  try {
    await chmod(scratch, owner ? 0o755 : 0o700)
    // PostgreSQL's own settings stay away: they could name a command that archives the log of this copy where that of the service goes.
    const isWanted = (name: string) => name.startsWith(`${clusterName}/`) && name !== `${clusterName}/postgresql.auto.conf`
    const content = await unpackBackup(createReadStream(file), scratch, owner, signal, isWanted)
    return await readRestored(scratchConfig, events, signal, (sql) => compare(sql, content))
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

/** As root: the database is tried out by the user who has it. */
const ofSameUser = (config: Config): Config => ({ ...config, postgresUser: findPlace(config).owner?.name ?? config.postgresUser })

/** In the data directory, where PostgreSQL is known to run, if uploads keep their room there; else beside the file. */
function chooseScratch(file: string, databaseBytes: number, config: Config): string {
  const name = `proof-${process.pid}-${Date.now().toString(36)}`
  const needed = databaseBytes + besidesBytes
  const folders = [
    { folder: config.dataDir, bytes: needed + config.minFreeBytes },
    { folder: dirname(file), bytes: needed },
  ]
  for (const { folder, bytes } of folders) {
    const { bavail, bsize } = statfsSync(folder)
    if (bavail * bsize >= bytes && isSuitable(folder, { ...ofSameUser(config), dataDir: join(folder, name), dataDirIsDefault: false }))
      return join(folder, name)
  }
  throw new BackupError(
    `To try the backup out takes ${Math.ceil(needed / 2 ** 20)} MB beside the file, or that and ROWHOUSE_MIN_FREE_BYTES in ${config.dataDir}, and there is less room.`,
  )
}

/** As root, PostgreSQL runs as somebody who may not go everywhere, and nobody else may change the folder. */
function isSuitable(folder: string, config: Config): boolean {
  try {
    if (findPlace(config).owner) refuseUnsafe(folder)
    return true
  } catch (error) {
    if (error instanceof DataDirError) return false
    throw error
  }
}

async function compare(sql: Sql, { manifest, entries }: Content) {
  const found = await lastMigration(sql)
  if (manifest.migration !== null && found === null) throw new BackupError('The database of the backup holds nothing of Rowhouse.')
  if (manifest.attachments === 'bucket' || found === null) return
  let missing = 0
  let first = ''
  for await (const row of files(sql)) {
    if (isThere(row, entries)) continue
    if (missing++ === 0) first = `${row.name} (${row.id})`
  }
  if (missing > 0) {
    throw new BackupError(
      `${missing} of the attachments that the database knows are not in the backup as they came, ${first} among them: rowhouse files check names them all. (In a bucket? Then set S3_BUCKET here, too.)`,
    )
  }
}

type File = { id: string; name: string; size: string; sha256: string }

function isThere({ id, size, sha256 }: File, entries: ReadonlyMap<string, Entry>): boolean {
  const entry = entries.get(`${filesName}/${keyOf(id)}`)
  return entry?.size === Number(size) && Buffer.from(entry.sha256, 'hex').toString('base64url') === sha256
}

/** Those that a cell names. Of removed ones the bytes may be gone already. */
async function* files(sql: Sql): AsyncGenerator<File> {
  for (let last = '00000000-0000-0000-0000-000000000000'; ; ) {
    const page = await sql<File[]>`select id::text as id, name, size::text as size, sha256 from rowhouse.files
      where removed_at is null and id > ${last}::uuid order by id limit ${pageSize}`
    yield* page
    if (page.length < pageSize) return
    last = page.at(-1)!.id
  }
}
