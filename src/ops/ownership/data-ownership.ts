import { existsSync, lchownSync, lstatSync, mkdirSync, readdirSync, readlinkSync, realpathSync, type Stats, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { changeableBy } from './ownership'
import { PrivilegeError } from './privileges'
import type { UnixUser } from './unix-user'

/** The names that the service creates in a data directory. */
const ownNames = ['runtime', 'postgres', 'conf', 'run', 'files', 'wal', 'upgrade-backup', 'rowhouse.lock', 'setup-code']
/** Also the folder in which a database was being created (db/embedded/unfinished-cluster.ts). */
const isOwnName = (name: string) => ownNames.includes(name) || /^postgres\.new(-\w+)?$/.test(name)
/** Other names that may exist there. Their owner does not change. */
const otherNames = ['lost+found', 'plugins']
const marks = ['rowhouse.lock', 'setup-code', 'files/storage-id']

/** `makes`: also creates the folder if it is missing. `refuseHeld` is called before anything is changed. */
type Options = { makes: boolean; refuseHeld: () => void }

/**
 * Gives a data directory that root created to the service's user, with everything in it that belongs to root. Root
 * changes nothing where someone else could have put a link: a folder that others can also change stays unchanged.
 * @param path the path in the settings, before links are resolved
 * @throws PrivilegeError
 */
export function giveDataDir(path: string, user: UnixUser, { makes, refuseHeld }: Options) {
  const unsafe = findUnsafeStep(path)
  if (!existsSync(path)) {
    // Otherwise the service's user creates it, as for any other path.
    if (makes && unsafe === null) makeFolder(path, user)
    return
  }
  const dataDir = realpathSync(path)
  const stat = statSync(dataDir)
  if (stat.uid === user.uid) return
  if (stat.uid !== 0) {
    throw new PrivilegeError(
      `${dataDir} belongs to the user with the id ${stat.uid}, and the service would run as "${user.name}". Set ROWHOUSE_USER to its owner, or change the owner: chown -R ${user.name}: ${dataDir}`,
    )
  }
  if (unsafe !== null) throw unsafeStep(unsafe, dataDir)
  requireUnchangeable(dataDir, stat)
  requireOwnDataDir(dataDir)
  refuseHeld()
  const files = join(dataDir, 'files')
  if (lstatSync(files, { throwIfNoEntry: false })?.isSymbolicLink()) giveLinkedFiles(files, user)
  for (const name of readdirSync(dataDir).filter(isOwnName)) give(join(dataDir, name), user)
  // Last: interrupted work starts again as long as the folder belongs to root.
  changeOwner(dataDir, user)
}

/** The attachments may be elsewhere, through a symlink that root created. */
function giveLinkedFiles(link: string, user: UnixUser) {
  if (!existsSync(link)) return
  const folder = realpathSync(link)
  if (statSync(folder).uid !== 0) return
  const unsafe = findUnsafeStep(link)
  if (unsafe !== null) throw unsafeStep(unsafe, folder)
  const foreign = readdirSync(folder).find((name) => !/^([0-9a-f]{2}|incoming|storage-id|lost\+found)$/.test(name))
  if (foreign !== undefined) throw notOurs(folder, foreign, user.name)
  give(folder, user)
}

/**
 * Only root's files, from the inside out: the owner of a folder can replace its contents. For a link, changes the link
 * itself and never its target.
 */
function give(path: string, user: UnixUser) {
  const stat = lstatSync(path, { throwIfNoEntry: false })
  if (stat?.uid !== 0) return
  if (stat.isDirectory()) {
    requireUnchangeable(path, stat)
    for (const name of readdirSync(path)) give(join(path, name), user)
  } else if (stat.isFile() && stat.nlink > 1) {
    throw new PrivilegeError(
      `${path} belongs to root and has ${stat.nlink} names (hard links), so it may belong to another program. If it does not, change its owner: chown ${user.name}: ${path}`,
    )
  }
  changeOwner(path, user)
}

function changeOwner(path: string, { name, uid, gid }: UnixUser) {
  try {
    lchownSync(path, uid, gid)
  } catch (error) {
    throw new PrivilegeError(
      `${path} belongs to root and cannot be given to the user "${name}", whom the service runs as (${(error as { code?: string }).code}). Change its owner yourself (chown -R), or start the service as an ordinary user.`,
    )
  }
}

function makeFolder(path: string, user: UnixUser) {
  const umask = process.umask(0o022)
  try {
    mkdirSync(dirname(path), { recursive: true })
    mkdirSync(path, { mode: 0o700 })
    changeOwner(path, user)
  } catch (error) {
    // This fails on a read-only disk, for example. The code that needs the folder reports it later; not every command
    // needs it.
    if (error instanceof PrivilegeError) throw error
  } finally {
    process.umask(umask)
  }
}

/** @param stat from when it belonged to root: another instance that starts may have given it away since */
function requireUnchangeable(folder: string, stat: Stats) {
  if (changeableBy(stat, 0)) {
    throw new PrivilegeError(`${folder} may be changed by others than root. Fix that with: chmod go-w ${folder}`)
  }
}

/** A system folder that was named by mistake stays root's. */
function requireOwnDataDir(dataDir: string) {
  if (marks.some((name) => existsSync(join(dataDir, name)))) return
  const foreign = readdirSync(dataDir).find((name) => !isOwnName(name) && !otherNames.includes(name))
  if (foreign !== undefined) throw notOurs(dataDir, foreign, 'rowhouse')
}

const notOurs = (folder: string, name: string, user: string) =>
  new PrivilegeError(
    `${folder} belongs to root and contains other data than this service's ("${name}"). Choose a folder of its own, or change its owner: chown ${user}: ${folder}`,
  )

const unsafeStep = (step: string, folder: string) =>
  new PrivilegeError(
    `${folder} belongs to root, and others may put something else in its place, by ${step}. Start the service as the user who has ${step}, or move the folder to where each folder above belongs to root and only its owner may write, such as /var/lib/rowhouse.`,
  )

/** Whether only root can replace the folder or its contents, also if it does not exist yet. */
export const isRootsAlone = (folder: string): boolean => findUnsafeStep(join(folder, 'any')) === null

const maxSteps = 200

/**
 * The first folder on the path, resolved as the kernel does, in which a user other than root can replace the next
 * component.
 */
function findUnsafeStep(path: string): string | null {
  let rest = partsOf(path)
  let folder = '/'
  for (let step = 0; rest.length > 0; step++) {
    const [name = '', ...behind] = rest
    rest = behind
    const next = join(folder, name)
    const found = lstatSync(next, { throwIfNoEntry: false })
    if (step > maxSteps || mayExchange(folder, found?.uid)) return folder
    if (!found) return null
    if (found.isSymbolicLink()) {
      const target = readlinkSync(next)
      rest = [...partsOf(target), ...rest]
      if (target.startsWith('/')) folder = '/'
    } else folder = next
  }
  return null
}

const partsOf = (path: string) => path.split('/').filter((part) => part !== '' && part !== '.')

/** In a sticky folder such as /tmp, users can replace only their own files. */
function mayExchange(folder: string, owner: number | undefined): boolean {
  const stat = lstatSync(folder)
  const by = changeableBy(stat, 0)
  const isSticky = by === 'mode' && (stat.mode & 0o1000) !== 0
  return isSticky ? owner !== undefined && owner !== 0 : by !== null
}
