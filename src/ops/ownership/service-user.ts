import { statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Config } from '../settings/config'
import { PrivilegeError } from './privileges'
import { type UnixUser, unixUsers } from './unix-user'

/** The data directory if the service's user cannot enter the default one in the current folder. */
export const dataDirOfLastResort = '/var/lib/rowhouse'

/** Excludes `postgres`, which owns the databases of the system's PostgreSQL if there is one. */
const defaultNames = ['rowhouse', 'nobody']

/** Users that other programs on the machine also use. */
const sharedNames = ['nobody', 'postgres']

/**
 * The user to run as when root starts the service: that of the settings, or else the owner of the data, or else the
 * first suitable one.
 * @throws PrivilegeError if there is none
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

/** Whether other programs may run as this user and so read the data. */
export const isSharedUser = ({ name }: UnixUser): boolean => sharedNames.includes(name)

/**
 * The database or else the data directory, if it does not belong to root. In earlier releases only the database
 * belonged to another user.
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
