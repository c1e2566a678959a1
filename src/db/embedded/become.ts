import { accessSync, constants } from 'node:fs'
import type { UnixUser } from '../../ops/ownership/unix-user'
import { becomeUser, interruptWhenParentDies, replaceProcess, yieldWhenWoken } from './libc'

/**
 * The user that PostgreSQL runs as; null means the user that runs Rowhouse. The service itself is no longer root at
 * this point (`ops/ownership/privileges.ts`); its tests may be.
 */
export type UnixOwner = Pick<UnixUser, 'name' | 'uid' | 'gid'> | null

/** Name of the internal sub-command; not in --help. */
export const becomeCommand = '__become'

const isCompiled = import.meta.dir.startsWith('/$bunfs/')
const mainFile = `${import.meta.dir}/../../main.ts`

/** The command line of this program itself. */
export const ownCommand = (): string[] => (isCompiled ? [executable()] : [process.execPath, mainFile])

/**
 * After a start by root, the executable may be in a folder that the new user cannot enter. Linux still runs a process's
 * own program.
 */
function executable(): string {
  const isClosed = process.platform === 'linux' && codeOfAccess(process.execPath, constants.X_OK) === 'EACCES'
  return isClosed ? '/proc/self/exe' : process.execPath
}

/**
 * The file that this user may not run (or, for a source, read), so that no child process could be started; null if
 * there is none.
 */
export function findClosedProgram(): string | null {
  const [file = '', source] = ownCommand()
  if (file !== '/proc/self/exe' && codeOfAccess(file, constants.X_OK) === 'EACCES') return file
  return source !== undefined && codeOfAccess(source, constants.R_OK) === 'EACCES' ? source : null
}

function codeOfAccess(path: string, mode: number): string | null {
  try {
    accessSync(path, mode)
    return null
  } catch (error) {
    return (error as { code?: string }).code ?? 'unknown'
  }
}

/** The command line that runs `file` as `owner` and, on Linux, interrupts it when this process dies. */
export const commandAs = (owner: UnixOwner, file: string, args: string[]): string[] => [
  ...ownCommand(),
  becomeCommand,
  String(process.pid),
  owner ? `${owner.uid}:${owner.gid}` : '',
  file,
  ...args,
]

/**
 * The environment of our child processes: nothing that changes how PostgreSQL or Bun behaves (BUN_OPTIONS, PGDATA,
 * LC_ALL …).
 */
export const childEnvironment = (): Record<string, string> => ({ PATH: process.env.PATH ?? '/usr/bin:/bin', TZ: 'UTC', LC_ALL: 'C' })

/** The counterpart of `commandAs`: `__become <parent> <uid:gid or empty> <file> <arguments…>`. */
export function become([parent = '', owner = '', file = '', ...args]: string[]): never {
  const [uid, gid] = owner.split(':').map(Number)
  if (owner) becomeUser(uid!, gid!)
  // After the change of user: the kernel forgets the death signal when credentials change.
  if (process.platform === 'linux') {
    interruptWhenParentDies(Number(parent))
    // Otherwise a query would interrupt the service that just sent it, while other cores are idle (docs/decisions/011).
    yieldWhenWoken()
  }
  replaceProcess(file, args)
  process.exit(127)
}
