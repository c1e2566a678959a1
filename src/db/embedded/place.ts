import { chmodSync, chownSync, existsSync, lstatSync, mkdirSync, realpathSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { changeableBy } from '../../ops/ownership/ownership'
import { isRoot } from '../../ops/ownership/privileges'
import { dataDirOfLastResort, findServiceUser } from '../../ops/ownership/service-user'
import type { Config } from '../../ops/settings/config'
import type { UnixOwner } from './become'

/** The folders of one data directory, and the user that PostgreSQL runs as. */
export type DataDirPlace = {
  dataDir: string
  /** Unpacked PostgreSQL binaries, one folder per version. */
  runtimeDir: string
  /** PostgreSQL's own data directory. */
  clusterDir: string
  /**
   * PostgreSQL's settings, written by us: beside the cluster and not in it, so that PostgreSQL's user cannot change
   * files that root writes.
   */
  confDir: string
  /** Holds the unix socket; only our user and root may enter it. */
  socketDir: string
  owner: UnixOwner
}

/** The data directory cannot be used; the message says why and what to do. */
export class DataDirError extends Error {}

/** sun_path is 108 bytes on Linux and 104 on macOS, and PostgreSQL adds `/.s.PGSQL.5432.lock`. */
const maxSocketDirBytes = 80

/** Chooses the folders and creates the data directory, so that it can be locked. */
export function choosePlace(config: Config): DataDirPlace {
  const place = findPlace(config)
  makeDataDir(place)
  return place
}

/** The folders of a data directory that this process itself has created. */
export function choosePlaceIn(folder: string): DataDirPlace {
  const place = toDataDirPlace(folder, null)
  makeDataDir(place)
  return makeFolders(place)
}

function makeDataDir({ dataDir, owner }: DataDirPlace) {
  // A strict umask would keep PostgreSQL's user from its own programs; secret files get an explicit mode.
  if (owner) process.umask(0o022)
  // PostgreSQL's user must be able to pass through; secret files inside have their own modes.
  makeFolder(dataDir, owner ? 0o755 : 0o700)
  if (owner) requireSafeDir(dataDir)
}

/** The caller holds the data directory's lock: the previous holder may have removed some of them. */
export function makeFolders(place: DataDirPlace): DataDirPlace {
  const { owner } = place
  makeFolder(place.runtimeDir, 0o755)
  makeFolder(place.confDir, 0o755)
  makeFolder(place.socketDir, 0o700)
  claim(place.socketDir, owner)
  return place
}

/** Creates nothing. */
export function findPlace(config: Config): DataDirPlace {
  const owner = isRoot() ? findServiceUser(config) : null
  return toDataDirPlace(
    chooseDataDir(config, owner, () => {}),
    owner,
  )
}

export function toDataDirPlace(dataDir: string, owner: UnixOwner): DataDirPlace {
  const inside = (name: string) => join(dataDir, name)
  return {
    dataDir,
    runtimeDir: inside('runtime'),
    clusterDir: inside('postgres'),
    confDir: inside('conf'),
    socketDir: socketDirFor(dataDir, owner),
    owner,
  }
}

/** A user who may change the folder could put a link where root is about to write. */
function requireSafeDir(dataDir: string) {
  const stat = statSync(dataDir)
  const by = changeableBy(stat, 0)
  if (!by) return
  throw new DataDirError(
    by === 'mode'
      ? `${dataDir} may be changed by others than root. Mend that with: chmod go-w ${dataDir}`
      : `${dataDir} belongs to the user with the id ${stat.uid}. Start Rowhouse as that user instead of root, or make root the owner of the folder (not of what is in it).`,
  )
}

/** The folder, or another one if its owner may not enter it. `tell` gets a sentence for the operator. */
export function chooseDataDir(config: Config, owner: UnixOwner, tell: (message: string) => void): string {
  const wanted = realPath(resolve(config.dataDir))
  // `initdb` passes its own path to a shell, in double quotes.
  if (/["$`\\\n]/.test(wanted))
    throw new DataDirError(
      `${JSON.stringify(wanted)} has a sign in it (one of " $ \` \\ or a line break) that PostgreSQL's tools trip over. Choose another ROWHOUSE_DATA_DIR.`,
    )
  if (!owner) return wanted
  const barrier = unreachable(wanted, owner)
  if (!barrier) return wanted
  // Existing data is never abandoned for an empty database elsewhere.
  if (!config.dataDirIsDefault || existsSync(wanted)) {
    throw new DataDirError(
      `The service would run as the user "${owner.name}", who may not enter ${barrier}. Choose another ROWHOUSE_DATA_DIR, start Rowhouse as an ordinary user, or allow it with: chmod o+x ${barrier}`,
    )
  }
  tell(`The user "${owner.name}" may not enter ${barrier}, so the data is in ${dataDirOfLastResort} (set ROWHOUSE_DATA_DIR to choose).`)
  return dataDirOfLastResort
}

/** The first folder above `path` that `owner` may not enter, or null. The last folder will be owned by them. */
function unreachable(path: string, owner: NonNullable<UnixOwner>): string | null {
  const parents: string[] = []
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    parents.unshift(folder)
    if (folder === '/') break
  }
  return parents.find((folder) => !canEnter(folder, owner)) ?? null
}

function canEnter(folder: string, owner: NonNullable<UnixOwner>): boolean {
  const stat = tryStat(folder)
  if (!stat) return true
  const bit = stat.uid === owner.uid ? 0o100 : stat.gid === owner.gid ? 0o010 : 0o001
  return (stat.mode & bit) !== 0
}

/** Also null if a file is in the way (ENOTDIR); creating the folder reports that later. */
function tryStat(path: string) {
  try {
    return statSync(path)
  } catch {
    return null
  }
}

/**
 * Links are resolved once, here; a path that does not exist yet has none. PostgreSQL's processes are recognised by the
 * real path.
 */
function realPath(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path === dirname(path) ? path : join(realPath(dirname(path)), basename(path))
  }
}

function socketDirFor(dataDir: string, owner: UnixOwner): string {
  const inside = join(dataDir, 'run')
  // PostgreSQL and its tools take the folder as a list, which has commas between folders.
  if (Buffer.byteLength(inside) <= maxSocketDirBytes && !inside.includes(',')) return inside
  const mark = new Bun.CryptoHasher('sha256').update(dataDir).digest('hex').slice(0, 16)
  // Root does not use a world-writable folder.
  return join(owner ? '/run' : tmpdir(), `rowhouse-${mark}`)
}

function makeFolder(path: string, mode: number) {
  try {
    mkdirSync(path, { recursive: true, mode })
  } catch (error) {
    throw new DataDirError(`${path} cannot be made: ${(error as Error).message}. Choose another ROWHOUSE_DATA_DIR or fix its permissions.`)
  }
}

/** Someone else could have created a socket folder in a shared /tmp first, or it could be a symlink. */
function claim(folder: string, owner: UnixOwner) {
  const found = lstatSync(folder)
  const isOurs = found.isDirectory() && (found.uid === process.getuid?.() || found.uid === owner?.uid)
  if (!isOurs) throw new DataDirError(`${folder} is not a folder of ours. Remove it and start again.`)
  chmodSync(folder, 0o700)
  if (owner) chownSync(folder, owner.uid, owner.gid)
}
