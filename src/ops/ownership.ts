import { accessSync, constants, lstatSync, readdirSync, realpathSync, type Stats } from 'node:fs'
import { dirname, join } from 'node:path'

/**
 * A file or folder that others than root and the service's user may change. `sticky`: they may only add to it, as to
 * /tmp. `closed`: it cannot be read, so nobody knows.
 */
export type Unowned = { path: string; uid: number; by: 'owner' | 'mode' | 'sticky' | 'closed' }

type Permissions = Pick<Stats, 'uid' | 'gid' | 'mode'>

/** How others than root and `user` may change what has these permissions; null where they may not. */
export function changeableBy({ uid, gid, mode }: Permissions, user: number): 'owner' | 'mode' | null {
  if (uid !== 0 && uid !== user) return 'owner'
  // Many systems give each user a group of the same number, which nobody else is in, and let it write by default.
  const isOwnGroup = uid !== 0 && gid === uid
  return mode & (isOwnGroup ? 0o002 : 0o022) ? 'mode' : null
}

/** What an import finds in the folders above the file that it stands in. */
const importable = ['node_modules', 'package.json']

type Options = { isWanted?: (name: string) => boolean; known?: string }

/**
 * The first thing in `path`, on the way to it, or behind a link in it, that others may change or where they may put
 * what code in `path` imports; null where there is none.
 * @param isWanted of the entries of `path` itself
 * @param known a folder that has been looked at, with those above it
 */
export function findUnowned(path: string, user: number, { isWanted, known }: Options = {}): Unowned | null {
  return new Search(user, known).from(path, isWanted)
}

class Search {
  readonly #user: number
  readonly #seen = new Set<string>()

  constructor(user: number, known?: string) {
    this.#user = user
    for (let folder = known; folder !== undefined; folder = folder === '/' ? undefined : dirname(folder)) this.#seen.add(folder)
  }

  from(path: string, isWanted?: (name: string) => boolean): Unowned | null {
    const real = realPath(path)
    if (real === null) return null
    return this.#above(dirname(real)) ?? this.#inside(real, isWanted)
  }

  /**
   * Whoever may change a folder may put another one in the place of what is in it, or, where it is sticky, beside it.
   */
  #above(folder: string): Unowned | null {
    if (this.#seen.has(folder)) return null
    this.#seen.add(folder)
    const stat = lstatSync(folder)
    const by = changeableBy(stat, this.#user)
    const isSticky = by === 'mode' && (stat.mode & 0o1000) !== 0
    if (by) return { path: folder, uid: stat.uid, by: isSticky ? 'sticky' : by }
    for (const name of importable) {
      const found = this.#inside(join(folder, name))
      if (found) return found
    }
    return folder === '/' ? null : this.#above(dirname(folder))
  }

  #inside(path: string, isWanted: (name: string) => boolean = () => true): Unowned | null {
    const stat = lstatSync(path, { throwIfNoEntry: false })
    if (!stat) return null
    // A link has no mode of its own; what counts is where it leads.
    if (stat.isSymbolicLink()) return this.from(path)
    const mark = `in ${path}`
    if (this.#seen.has(mark)) return null
    this.#seen.add(mark)
    const by = changeableBy(stat, this.#user)
    if (by) return { path, uid: stat.uid, by }
    if (!stat.isDirectory()) return null
    const names = namesIn(path)
    if (names === null) return { path, uid: stat.uid, by: 'closed' }
    for (const name of names) {
      const found = isWanted(name) ? this.#inside(join(path, name)) : null
      if (found) return found
    }
    return null
  }
}

/** null for a folder that is closed to this user. */
function namesIn(folder: string): string[] | null {
  try {
    accessSync(folder, constants.X_OK)
    return readdirSync(folder)
  } catch (error) {
    if ((error as { code?: string }).code === 'EACCES') return null
    throw error
  }
}

/** null for a link that leads nowhere. */
function realPath(path: string): string | null {
  try {
    return realpathSync(path)
  } catch {
    return null
  }
}
