import { accessSync, constants } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { findUnowned, type Unowned } from '../../ops/ownership/ownership'
import { type PluginProblem, problemIn } from './problem'

/**
 * Why the plugins directory must not be used, or null. Any user who may write to it, to a folder above it or to code
 * that its plugins share could run code as the user of the service.
 * @param isPlugin recognises plugins' folders, which are checked one by one when they are loaded
 */
export function folderProblem(folder: string, isPlugin: (name: string) => boolean): PluginProblem | null {
  const user = process.getuid?.()
  if (user === undefined) return null
  const found = findUnowned(folder, user, { isWanted: (name) => !name.startsWith('.') && !isPlugin(name) })
  return found && problemIn('.', sentence(found, user))
}

/** The same check for one plugin, in a directory that has passed `folderProblem`. */
export function pluginProblem(folder: string, name: string): PluginProblem | null {
  const user = process.getuid?.()
  const found = user === undefined ? null : findUnowned(join(folder, name), user, { checkedFolder: folder })
  return found && problemIn(relative(folder, found.path), sentence(found, user!))
}

/**
 * Why the service's user, who is not the author of the plugins if root has started the service, cannot read `path`. A
 * folder above the plugins, such as /root, is closed for a good reason, so the plugins have to be moved.
 */
export function unreadable(path: string, user: number | undefined): string {
  const closed = closedAbove(path)
  if (closed)
    return `${path} is inside ${closed}, which is closed to the user with the id ${user}, whom the service runs as. Move the plugins to where it may read, such as /var/lib/rowhouse/plugins (ROWHOUSE_PLUGINS_DIR).`
  return `${path} cannot be read by the user with the id ${user}, whom the service runs as. Let it, with chmod -R a+rX ${path}, or move the plugins to where it may read (ROWHOUSE_PLUGINS_DIR).`
}

/** The outermost folder above `path` that this user may not enter. */
function closedAbove(path: string): string | null {
  const above = dirname(path)
  if (above === path) return null
  return closedAbove(above) ?? (mayEnter(above) ? null : above)
}

function mayEnter(folder: string): boolean {
  try {
    accessSync(folder, constants.X_OK)
    return true
  } catch {
    return false
  }
}

function sentence({ path, uid, by }: Unowned, user: number): string {
  if (by === 'sticky')
    return `Everybody may put a node_modules folder into ${path}, and plugins below it would run what is in there. Move them (ROWHOUSE_PLUGINS_DIR) to where each folder above belongs to root or you, and only its owner may write, such as /var/lib/rowhouse/plugins.`
  if (by === 'closed') return unreadable(path, user)
  const owner = user === 0 ? 'root' : `root or the user with the id ${user}`
  return by === 'owner'
    ? `${path} belongs to the user with the id ${uid}, who could run code in the service by it. Give it to ${owner}: chown -R ${user} ${path}`
    : `${path} may be changed by others than its owner, who could run code in the service by it. Mend that with: chmod -R go-w ${path}`
}
