import { accessSync, constants, existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { findClosedProgram } from '../db/embedded/become'
import { findHolder } from '../db/embedded/lock'
import { chooseDataDir } from '../db/embedded/place'
import { giveDataDir } from '../ops/ownership/data-ownership'
import { dropPrivileges, homeOf, isRoot, PrivilegeError } from '../ops/ownership/privileges'
import { dataDirOfLastResort, findServiceUser, isSharedUser } from '../ops/ownership/service-user'
import type { UnixUser } from '../ops/ownership/unix-user'
import type { Config } from '../ops/settings/config'
import { CommandError, type Environment } from './command'

/** How a command uses the data directory: creates it if it is missing, requires it to exist, or does without it. */
type UseOfData = 'made' | 'used' | 'none'

type Options = { data: UseOfData; environment: Environment; tell?: (message: string, kind: 'note' | 'warning') => void }

/**
 * If root started it, this process becomes the service's user for good, before it reads or runs anything that others
 * may have written; started by another user, it stays that user.
 * @returns the settings with the folders as that user finds them
 * @throws PrivilegeError, DataDirError, CommandError
 */
export function runAsServiceUser(config: Config, { data, environment, tell = () => {} }: Options): Config {
  if (!isRoot()) return config
  const user = findServiceUser(config)
  const pluginsDir = existsSync(config.pluginsDir) ? resolve(config.pluginsDir) : config.pluginsDir
  const dataDir = data === 'none' ? resolve(config.dataDir) : prepareDataDir(config, user, data, (message) => tell(message, 'note'))
  dropPrivileges(user)
  const closed = findClosedProgram()
  if (closed !== null) throw new PrivilegeError(closedProgram(closed, user))
  enterFolder(dataDir)
  // Plugins and programs must not look for their files in root's home.
  Object.assign(environment, homeOf(user))
  tell(`Started by root: the service runs as the user "${user.name}".`, 'note')
  if (config.user === undefined && isSharedUser(user)) tell(sharedUser(user, dataDir), 'warning')
  return { ...config, dataDir, pluginsDir: resolve(pluginsDir) }
}

function prepareDataDir(config: Config, user: UnixUser, data: UseOfData, tell: (message: string) => void): string {
  const dataDir = chooseDataDir(config, user, tell)
  const isMade = data === 'made'
  // With an external database, a command cannot know whether a running service still runs as root.
  if (config.databaseUrl && !isMade) return dataDir
  giveDataDir(dataDir === dataDirOfLastResort ? dataDir : resolve(config.dataDir), user, {
    makes: isMade,
    refuseHeld: () => {
      const holder = findHolder(dataDir)
      if (holder) {
        throw new CommandError(
          `Another Rowhouse (process ${holder.pid}) is running on ${dataDir}, and it is root: an earlier version, which has to end first. Stop it, and start this one.`,
        )
      }
    },
  })
  return dataDir
}

/** Changes to the data directory if the user may not enter the current folder. */
function enterFolder(dataDir: string) {
  for (const folder of ['.', dataDir, '/']) {
    try {
      accessSync(folder, constants.R_OK | constants.X_OK)
      return process.chdir(folder)
    } catch {}
  }
}

const closedProgram = (path: string, { name }: UnixUser) =>
  `Started by root, the service runs as the user "${name}", who may not read ${path}. Put it where that user may, such as /usr/local/bin, or start it as an ordinary user.`

const sharedUser = ({ name }: UnixUser, dataDir: string) =>
  `Other programs of this machine may run as the user "${name}", too, and then reach the data. Give the service a user of its own: stop it, useradd --system rowhouse, chown -R rowhouse: ${dataDir}, and start it again.`
