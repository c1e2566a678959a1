import { statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Config } from './config'
import { PrivilegeError } from './privileges'
import { type UnixUser, unixUsers } from './unix-user'

/** Where the data is when the default, in the current folder, is closed to the service's user. */
export const dataDirOfLastResort = '/var/lib/rowhouse'

/** Never `postgres`: it owns the databases of the system's PostgreSQL, if there is one. */
const defaultNames = ['rowhouse', 'nobody']

/** Whose name other programs of the machine use, too. */
const sharedNames = ['nobody', 'postgres']

/**
 * Who the service is to be when root starts it: the user of the settings, else the one who has the data, else the first
 * suitable one.
 * @throws PrivilegeError where there is none
 */
export function findServiceUser(config: Pick<Config, 'user' | 'dataDir' | 'dataDirIsDefault'>): UnixUser {
  const users = unixUsers()
  const owned = config.user === undefined ? findOwnedData(config) : null
  if (owned) {
    const owner = users.find(({ uid }) => uid === owned.uid)
    if (owner) return owner
    throw new PrivilegeError(
      `${owned.path} belongs to the user with the id ${owned.uid}, who has no name in /etc/passwd. Give the folder to a user who has one, with all that is in it.`,
    )
  }
  const names = config.user === undefined ? defaultNames : [config.user]
  const found = names.map((name) => users.find((user) => user.name === name)).find((user) => user && user.uid !== 0)
  if (found) return found
  throw new PrivilegeError(
    `The service does not run as root, and there is no ordinary user ${names.map((name) => `"${name}"`).join(' or ')} in /etc/passwd. Make one with: useradd --system rowhouse`,
  )
}

/** Whether other programs may run as this user, who then reach the data. */
export const isSharedUser = ({ name }: UnixUser): boolean => sharedNames.includes(name)

/**
 * The database, else the data directory, that is not root's. Earlier releases had only the database belong to another
 * user.
 */
function findOwnedData({ dataDir, dataDirIsDefault }: Pick<Config, 'dataDir' | 'dataDirIsDefault'>): { path: string; uid: number } | null {
  const folders = [resolve(dataDir), ...(dataDirIsDefault ? [dataDirOfLastResort] : [])]
  const folder = folders.find((path) => ownerOf(path) !== null)
  if (folder === undefined) return null
  for (const path of [join(folder, 'postgres'), folder]) {
    const uid = ownerOf(path)
    if (uid) return { path, uid }
  }
  return null
}

function ownerOf(path: string): number | null {
  try {
    return statSync(path).uid
  } catch {
    return null
  }
}
