import { readdirSync, readFileSync } from 'node:fs'
import type { UnixUser } from './unix-user'

/**
 * Root cannot be given up, or root's files cannot be given to the service's user; the message gives the reason and the
 * remedy.
 */
export class PrivilegeError extends Error {}

/** Missing in Bun's types. */
type Groups = { initgroups?: (user: string, gid: number) => void }

export const isRoot = (): boolean => process.getuid?.() === 0

/**
 * Turns this process into one of `user`, as if that user had started it: neither its threads nor its children are root
 * any more.
 * @throws PrivilegeError; the caller must end the process, which may be in between
 */
export function dropPrivileges(user: UnixUser) {
  try {
    ;(process as Groups).initgroups?.(user.name, user.gid)
    process.setgid?.(user.gid)
    process.setuid?.(user.uid)
  } catch (error) {
    throw new PrivilegeError(
      `Started by root, the service could not become the user "${user.name}" (${(error as { code?: string }).code ?? error}). Start it as an ordinary user (systemd: User=, Docker: --user), or let it have CAP_SETUID, CAP_SETGID and CAP_CHOWN until then.`,
    )
  }
  Object.assign(process.env, homeOf(user))
  const left = findPrivilege(user)
  if (left !== null)
    throw new PrivilegeError(`Started by root, the service could not give that up (${left}). Start it as an ordinary user.`)
}

/** The variables by which programs find their user and home folder. */
export const homeOf = ({ name, home }: UnixUser) => ({ HOME: home, USER: name, LOGNAME: name })

/**
 * A remaining privilege of root. Read from the kernel: the calls change each thread separately, and a container may
 * keep capabilities.
 */
function findPrivilege({ uid, gid }: UnixUser): string | null {
  if (process.platform === 'linux') {
    for (const thread of readdirSync('/proc/self/task')) {
      const left = findInThread(thread, uid, gid)
      if (left !== null) return left
    }
  }
  try {
    process.setuid?.(0)
  } catch {
    return null
  }
  return 'it may become root again'
}

function findInThread(thread: string, uid: number, gid: number): string | null {
  const status = readStatus(thread)
  if (status === null) return null
  const field = (name: string) => new RegExp(`^${name}:[ \\t]*(.*)$`, 'm').exec(status)?.[1] ?? ''
  const isAll = (text: string, id: number) => text.split(/\s+/).every((each) => each === String(id))
  if (!isAll(field('Uid'), uid) || !isAll(field('Gid'), gid)) return `thread ${thread} is ${field('Uid')}, ${field('Gid')}`
  const retained = ['CapPrm', 'CapEff', 'CapAmb'].find((name) => !/^0*$/.test(field(name)))
  return retained ? `thread ${thread} keeps capabilities, ${retained} ${field(retained)}` : null
}

/** Null for a thread that has ended meanwhile. */
function readStatus(thread: string): string | null {
  try {
    return readFileSync(`/proc/self/task/${thread}/status`, 'utf8')
  } catch {
    return null
  }
}
