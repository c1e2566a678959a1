import { chownSync, existsSync, mkdirSync, readFileSync, renameSync, statfsSync, statSync, writeFileSync } from 'node:fs'
import { totalmem } from 'node:os'
import { join } from 'node:path'
import { childEnvironment, commandAs } from './become'
import { syncFilesystem } from './libc'
import { readOwned } from './owned-file'
import { DataDirError, type DataDirPlace } from './place'
import { postgresMajor } from './runtime'
import { createUnfinishedCluster, removeAbandoned, removeUnfinishedClusters } from './unfinished-cluster'

export const roleName = 'rowhouse'
export const databaseName = 'rowhouse'

/**
 * Options of `create database`: ICU sorts text, with numbers in it by value, in no particular language's order, because
 * one order has to serve all languages (docs/decisions/019).
 */
export const sortedByPeople = `locale_provider icu icu_locale 'und-u-kn-true' template template0`

const neededBytes = 200 * 2 ** 20

/** Creates the cluster once. Like the runtime, it gets its name only once it is complete and on disk. */
export async function prepareCluster(place: DataDirPlace, runtime: string, progress: (message: string) => void) {
  await removeUnfinishedClusters(place)
  if (existsSync(place.clusterDir)) return
  progress('Making the database')
  const unfinished = createUnfinishedCluster(place)
  try {
    await runInitdb(place, runtime, unfinished)
    const single = ['--single', '-D', unfinished, '-c', 'fsync=off', 'postgres']
    await run(place, join(runtime, 'bin/postgres'), single, `create database ${databaseName} ${sortedByPeople}`)
    syncFilesystem(unfinished)
    renameSync(unfinished, place.clusterDir)
  } catch (error) {
    removeAbandoned(unfinished)
    throw error
  }
}

/** Creates a cluster without Rowhouse's database. */
export async function initCluster(place: DataDirPlace, runtime: string, folder: string) {
  mkdirSync(folder, { mode: 0o700 })
  if (place.owner) chownSync(folder, place.owner.uid, place.owner.gid)
  await runInitdb(place, runtime, folder)
}

/** @param folder empty and owned by PostgreSQL's user */
async function runInitdb(place: DataDirPlace, runtime: string, folder: string) {
  await run(place, join(runtime, 'bin/initdb'), [
    ...['-D', folder, '-U', roleName, '--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'],
    ...['--auth-local=peer', '--auth-host=reject', '--data-checksums', '--no-instructions', '--no-sync'],
  ])
}

/**
 * Changes nothing.
 * @throws DataDirError when the folder belongs to another user or holds another major version
 */
export function requireUsableCluster(place: DataDirPlace) {
  if (!existsSync(place.clusterDir)) return
  requireOwnCluster(place)
  requireSameMajor(place)
}

export function requireOwnCluster({ clusterDir, owner }: DataDirPlace) {
  const { uid } = statSync(clusterDir)
  if (uid !== (owner?.uid ?? process.getuid?.())) {
    throw new DataDirError(
      `${clusterDir} belongs to the user with the id ${uid}. Start Rowhouse as that user, or as root, or give the folder to the user who is to run it.`,
    )
  }
}

function requireSameMajor(place: DataDirPlace) {
  const found = readMajor(place)
  if (found === postgresMajor) return
  const made = `${place.clusterDir} was made by PostgreSQL ${found}, and this Rowhouse holds PostgreSQL ${postgresMajor}. Nothing was changed.`
  throw new DataDirError(
    found > postgresMajor
      ? `${made} Start the Rowhouse release that made it, or a newer one.`
      : `${made} Bring the database over with rowhouse upgrade --postgres, or start the Rowhouse release that made it.`,
  )
}

/** The major version that created the cluster. @throws DataDirError if the folder is not a cluster */
export function readMajor({ clusterDir, owner }: Pick<DataDirPlace, 'clusterDir' | 'owner'>): number {
  const path = join(clusterDir, 'PG_VERSION')
  const found = readOwned(path, owner)?.trim()
  if (found !== undefined && /^\d{1,4}$/.test(found)) return Number(found)
  throw new DataDirError(
    `${path} is not there, or not a plain file of PostgreSQL's user that holds a version, so ${clusterDir} is no database.`,
  )
}

/** "Shut down" in pg_control of all versions, after one eight-byte and two four-byte numbers. */
const shutDownState = { at: 16, bytes: '\x01\0\0\0' }

/** Whether the server of a cluster shut down cleanly, so that the next start needs no recovery. */
export function wasShutDown({ clusterDir, owner }: Pick<DataDirPlace, 'clusterDir' | 'owner'>): boolean {
  const control = readOwned(join(clusterDir, 'global/pg_control'), owner, 'latin1')
  return control?.startsWith(shutDownState.bytes, shutDownState.at) ?? false
}

/**
 * Checked before anything large is written, so that our message appears instead of an error in the middle of initdb.
 */
export function requireDiskSpace(place: DataDirPlace) {
  if (existsSync(place.clusterDir)) return
  const { bavail, bsize } = statfsSync(place.dataDir)
  if (bavail * bsize < neededBytes) {
    throw new DataDirError(
      `${place.dataDir} has ${Math.floor((bavail * bsize) / 2 ** 20)} MB free; the first start needs ${neededBytes / 2 ** 20} MB.`,
    )
  }
}

/**
 * Written at every start, so that a larger machine or a moved folder takes effect. Operators put their own lines into
 * `custom.conf`.
 */
export function configureCluster({ confDir, socketDir, owner }: DataDirPlace) {
  const write = (name: string, lines: string[]) => writeFileSync(join(confDir, name), `${lines.join('\n')}\n`, { mode: 0o644 })
  if (!existsSync(join(confDir, 'custom.conf'))) {
    write('custom.conf', [
      '# Your own settings for PostgreSQL. Lines here win over postgresql.conf, but for port, unix_socket_directories and, with ROWHOUSE_WAL_ARCHIVE, archive_*.',
    ])
  }
  write('postgresql.conf', [
    '# Written by Rowhouse at every start. Put your own settings into custom.conf beside it.',
    `hba_file = ${quoted(join(confDir, 'pg_hba.conf'))}`,
    `ident_file = ${quoted(join(confDir, 'pg_ident.conf'))}`,
    ...settings(),
    "include 'custom.conf'",
    '# Rowhouse itself needs these; they are not for custom.conf to change.',
    ...reached(socketDir),
  ])
  // Peer authentication: the kernel identifies the caller, so there is no password to store, and only our own user gets
  // in.
  write('pg_hba.conf', ['# Written by Rowhouse at every start.', 'local all all peer map=rowhouse'])
  write('pg_ident.conf', ['# Written by Rowhouse at every start.', ...callers(owner?.name).map((name) => `rowhouse "${name}" ${roleName}`)])
}

const quoted = (path: string) => `'${path.replaceAll("'", "''")}'`

function callers(ownerName: string | undefined): string[] {
  const passwd = readFileSync('/etc/passwd', 'utf8').split('\n')
  const self = passwd.find((line) => line.split(':')[2] === String(process.getuid?.()))?.split(':')[0]
  return [...new Set(['root', self ?? process.env.USER, ownerName].filter((name) => name !== undefined))]
}

const reached = (socketDir: string) => ['port = 5432', `unix_socket_directories = ${quoted(socketDir)}`]

function settings(): string[] {
  const memory = memorySettings(Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY))
  return [
    "listen_addresses = ''",
    'unix_socket_permissions = 0700',
    'max_connections = 100',
    'fsync = on',
    ...memory,
    'max_wal_size = 1GB',
    'jit = off',
    "timezone = 'UTC'",
    "log_timezone = 'UTC'",
    "log_line_prefix = ''",
    'log_checkpoints = off',
    'log_autovacuum_min_duration = -1',
    // Statements can hold users' secrets. The service receives errors anyway, and drops their log lines
    // (server-log.ts).
    'log_min_error_statement = panic',
    'log_min_messages = warning',
  ]
}

/**
 * PostgreSQL's manual, 19.4: a quarter of the memory is a sensible start for shared_buffers; less here, because the
 * service shares the machine. Each GB costs 25 MB of idle memory for its descriptors, so a larger value is left to
 * custom.conf.
 */
function memorySettings(memoryBytes: number): string[] {
  const mb = memoryBytes / 2 ** 20
  const clamp = (value: number, least: number, most: number) => Math.round(Math.min(most, Math.max(least, value)))
  return [
    `shared_buffers = ${clamp(mb / 8, 32, 1024)}MB`,
    `effective_cache_size = ${clamp(mb / 2, 128, 65536)}MB`,
    `work_mem = ${clamp(mb / 512, 4, 64)}MB`,
    `maintenance_work_mem = ${clamp(mb / 32, 32, 512)}MB`,
  ]
}

async function run(place: DataDirPlace, file: string, args: string[], input = '') {
  const child = Bun.spawn(commandAs(place.owner, file, args), {
    cwd: place.dataDir,
    env: childEnvironment(),
    stdin: Buffer.from(input),
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [code, output, errors] = await Promise.all([child.exited, new Response(child.stdout).text(), new Response(child.stderr).text()])
  if (code !== 0) throw new DataDirError(explainFailure(`${errors}\n${output}`.trim()))
}

function explainFailure(output: string): string {
  if (/No space left/.test(output))
    return 'The disk is full, so the database could not be made. Nothing was left behind; free some space and start again.'
  if (/could not look up/.test(output)) {
    return `PostgreSQL needs a name for the user with the id ${process.getuid?.()}: add a line to /etc/passwd, or run as a user who has one.`
  }
  return `The database could not be made:\n${output}`
}
