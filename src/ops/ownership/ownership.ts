import { accessSync, constants, lstatSync, readdirSync, realpathSync, type Stats } from 'node:fs'
import { dirname, join } from 'node:path'

/**
 * A file or folder that users other than root and the service's user may change. `sticky`: they may only add to it, as
 * to /tmp. `closed`: it cannot be read, so its contents are unknown.
 */
export type Unowned = { path: string; uid: number; by: 'owner' | 'mode' | 'sticky' | 'closed' }

type Permissions = Pick<Stats, 'uid' | 'gid' | 'mode'>

/** How users other than root and `user` may change a file with these permissions; null if they may not. */
export function changeableBy({ uid, gid, mode }: Permissions, user: number): 'owner' | 'mode' | null {
  if (uid !== 0 && uid !== user) return 'owner'
  // Many systems give each user a group with the same number and no other member, and let it write by default.
  const isOwnGroup = uid !== 0 && gid === uid
  return mode & (isOwnGroup ? 0o002 : 0o022) ? 'mode' : null
}

/** The names that an import looks up in the folders above its file. */
const importable = ['node_modules', 'package.json']

type Options = { isWanted?: (name: string) => boolean; checkedFolder?: string }

/**
 * The first file or folder in `path`, above it, or at the target of a link in it, that others may change, or where they
 * may put files that code in `path` imports; null if there is none.
 * @param isWanted filters the entries of `path` itself
 * @param checkedFolder a folder that has already been checked, with those above it
 */
export function findUnowned(path: string, user: number, { isWanted, checkedFolder }: Options = {}): Unowned | null {
  return new Search(user, checkedFolder).from(path, isWanted)
}

class Search {
  readonly #user: number
  readonly #seen = new Set<string>()

  constructor(user: number, checkedFolder?: string) {
    this.#user = user
    for (let folder = checkedFolder; folder !== undefined; folder = folder === '/' ? undefined : dirname(folder)) this.#seen.add(folder)
  }

  from(path: string, isWanted?: (name: string) => boolean): Unowned | null {
    const real = realPath(path)
    if (real === null) return null
    return this.#above(dirname(real)) ?? this.#inside(real, isWanted)
  }

  /** A user who may change a folder may replace its contents or, if it is sticky, add to them. */
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
    // A link has no mode of its own; its target counts.
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

/** Null for a folder that this user cannot read. */
function namesIn(folder: string): string[] | null {
  try {
    accessSync(folder, constants.X_OK)
    return readdirSync(folder)
  } catch (error) {
    if ((error as { code?: string }).code === 'EACCES') return null
    throw error
  }
}

/** Null for a broken link. */
function realPath(path: string): string | null {
  try {
    return realpathSync(path)
  } catch {
    return null
  }
}
