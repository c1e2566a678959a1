import { existsSync, lchownSync, lstatSync, mkdirSync, readdirSync, readlinkSync, realpathSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { changeableBy } from './ownership'
import { PrivilegeError } from './privileges'
import type { UnixUser } from './unix-user'

/** What the service makes in a data directory. */
const ownNames = ['runtime', 'postgres', 'conf', 'run', 'files', 'wal', 'upgrade-backup', 'rowhouse.lock', 'setup-code']
/** Also the folder in which a database was being made (db/embedded/unfinished-cluster.ts). */
const isOwnName = (name: string) => ownNames.includes(name) || /^postgres\.new(-\w+)?$/.test(name)
/** What else may lie there. Its owner stays. */
const otherNames = ['lost+found', 'plugins']
const marks = ['rowhouse.lock', 'setup-code', 'files/storage-id']

/** `makes`: the folder, too, where it is not there. `refuseHeld` is asked before anything is changed. */
type Options = { makes: boolean; refuseHeld: () => void }

/**
 * Gives a data directory that root made to the user who the service is to be, with all in it that is root's. Root
 * changes nothing in a place where somebody else could have put a link: a folder that is not root's alone is left as it
 * is.
 * @param asked as the settings name it, before links are followed
 * @throws PrivilegeError
 */
export function giveDataDir(asked: string, user: UnixUser, { makes, refuseHeld }: Options) {
  const unsafe = findUnsafeStep(asked)
  if (!existsSync(asked)) {
    // Else it is for the service's user to make, as anywhere.
    if (makes && unsafe === null) makeFolder(asked, user)
    return
  }
  const dataDir = realpathSync(asked)
  const stat = statSync(dataDir)
  if (stat.uid === user.uid) return
  if (stat.uid !== 0) {
    throw new PrivilegeError(
      `${dataDir} belongs to the user with the id ${stat.uid}, and the service would run as "${user.name}". Name its user in ROWHOUSE_USER, or give it away with all in it: chown -R ${user.name}: ${dataDir}`,
    )
  }
  if (unsafe !== null) throw unsafeStep(unsafe, dataDir)
  requireUnchangeable(dataDir)
  requireOwnDataDir(dataDir)
  refuseHeld()
  const files = join(dataDir, 'files')
  if (lstatSync(files, { throwIfNoEntry: false })?.isSymbolicLink()) giveLinkedFiles(files, user)
  for (const name of readdirSync(dataDir).filter(isOwnName)) give(join(dataDir, name), user)
  // Last: what was broken off is begun again as long as the folder is root's.
  changeOwner(dataDir, user)
}

/** The attachments may lie elsewhere, behind a link that root has made. */
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
 * Only what is root's, and from the inside out: whoever has a folder may exchange what is in it. Of a link itself,
 * never of what it leads to.
 */
function give(path: string, user: UnixUser) {
  const stat = lstatSync(path, { throwIfNoEntry: false })
  if (stat?.uid !== 0) return
  if (stat.isDirectory()) {
    requireUnchangeable(path)
    for (const name of readdirSync(path)) give(join(path, name), user)
  } else if (stat.isFile() && stat.nlink > 1) {
    throw new PrivilegeError(
      `${path} belongs to root and has ${stat.nlink} names (hard links), so it may be a file of something else. If it is not, give it away with: chown ${user.name}: ${path}`,
    )
  }
  changeOwner(path, user)
}

function changeOwner(path: string, { name, uid, gid }: UnixUser) {
  try {
    lchownSync(path, uid, gid)
  } catch (error) {
    throw new PrivilegeError(
      `${path} belongs to root and cannot be given to the user "${name}", whom the service runs as (${(error as { code?: string }).code}). Give it away yourself, with all in it, or start the service as an ordinary user.`,
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
    // On a disk that cannot be written to, say: told by whoever needs the folder, which is not everybody.
    if (error instanceof PrivilegeError) throw error
  } finally {
    process.umask(umask)
  }
}

function requireUnchangeable(folder: string) {
  if (changeableBy(lstatSync(folder), 0)) {
    throw new PrivilegeError(`${folder} may be changed by others than root. Mend that with: chmod go-w ${folder}`)
  }
}

/** A folder of the system's that was named by mistake stays root's. */
function requireOwnDataDir(dataDir: string) {
  if (marks.some((name) => existsSync(join(dataDir, name)))) return
  const foreign = readdirSync(dataDir).find((name) => !isOwnName(name) && !otherNames.includes(name))
  if (foreign !== undefined) throw notOurs(dataDir, foreign, 'rowhouse')
}

const notOurs = (folder: string, name: string, user: string) =>
  new PrivilegeError(
    `${folder} belongs to root and holds something else than data of this service ("${name}"). Choose a folder of its own, or give this one away with: chown ${user}: ${folder}`,
  )

const unsafeStep = (step: string, folder: string) =>
  new PrivilegeError(
    `${folder} belongs to root, and others may put something else in its place, by ${step}. Start the service as the user who has ${step}, or move the folder to where each folder above belongs to root and only its owner may write, such as /var/lib/rowhouse.`,
  )

/** Whether nobody but root may exchange the folder or what is in it, also where it is not there yet. */
export const isRootsAlone = (folder: string): boolean => findUnsafeStep(join(folder, 'any')) === null

const mostSteps = 200

/**
 * The first folder on the way to `path`, followed as the kernel does, in which others than root may exchange what the
 * next step leads to.
 */
function findUnsafeStep(path: string): string | null {
  let rest = partsOf(path)
  let folder = '/'
  for (let step = 0; rest.length > 0; step++) {
    const [name = '', ...behind] = rest
    rest = behind
    const next = join(folder, name)
    const found = lstatSync(next, { throwIfNoEntry: false })
    if (step > mostSteps || mayExchange(folder, found?.uid)) return folder
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

/** In a sticky folder, as /tmp is, everybody exchanges only what is theirs. */
function mayExchange(folder: string, owner: number | undefined): boolean {
  const stat = lstatSync(folder)
  const by = changeableBy(stat, 0)
  const isSticky = by === 'mode' && (stat.mode & 0o1000) !== 0
  return isSticky ? owner !== undefined && owner !== 0 : by !== null
}
