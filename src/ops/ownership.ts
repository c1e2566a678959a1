import { lstatSync, readdirSync, realpathSync, type Stats } from 'node:fs'
import { dirname, join } from 'node:path'

/** A file or folder that others than root and the service's user may change. */
export type Unowned = { path: string; uid: number; by: 'owner' | 'mode' }

type Permissions = Pick<Stats, 'uid' | 'gid' | 'mode'>

/** How others than root and `user` may change what has these permissions; null where they may not. */
export function changeableBy({ uid, gid, mode }: Permissions, user: number): Unowned['by'] | null {
  if (uid !== 0 && uid !== user) return 'owner'
  // Many systems give each user a group of the same number, which nobody else is in, and let it write by default.
  const isOwnGroup = uid !== 0 && gid === uid
  return mode & (isOwnGroup ? 0o002 : 0o022) ? 'mode' : null
}

/**
 * The first thing in `path`, on the way to it, or behind a link in it, that others may change; null where there is none.
 * @param isWanted of the entries of `path` itself
 */
export function findUnowned(path: string, user: number, isWanted: (name: string) => boolean = () => true): Unowned | null {
  return new Search(user).from(path, isWanted)
}

class Search {
  readonly #user: number
  readonly #seen = new Set<string>()

  constructor(user: number) {
    this.#user = user
  }

  from(path: string, isWanted?: (name: string) => boolean): Unowned | null {
    const real = realPath(path)
    if (real === null) return null
    return this.#above(dirname(real)) ?? this.#inside(real, isWanted)
  }

  /** Whoever may change a folder may put another one in the place of what is in it, unless it is sticky, as /tmp is. */
  #above(folder: string): Unowned | null {
    if (this.#seen.has(folder)) return null
    this.#seen.add(folder)
    const stat = lstatSync(folder)
    const by = changeableBy(stat, this.#user)
    const isSticky = by === 'mode' && (stat.mode & 0o1000) !== 0
    if (by && !isSticky) return { path: folder, uid: stat.uid, by }
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
    for (const name of readdirSync(path)) {
      const found = isWanted(name) ? this.#inside(join(path, name)) : null
      if (found) return found
    }
    return null
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
