import { becomeUser, interruptWhenParentDies, replaceProcess, yieldWhenWoken } from './libc'

/** A user of this machine that PostgreSQL runs as; null means the user that runs Rowhouse. */
export type Owner = { name: string; uid: number; gid: number } | null

/** Name of the internal sub-command; not in --help. */
export const becomeCommand = '__become'

const isCompiled = import.meta.dir.startsWith('/$bunfs/')
/** The command line of this program itself. */
export const self = isCompiled ? [process.execPath] : [process.execPath, `${import.meta.dir}/../../main.ts`]

/** The command line that runs `file` as `owner` and, on Linux, interrupts it when this process dies. */
export const commandAs = (owner: Owner, file: string, args: string[]): string[] => [
  ...self,
  becomeCommand,
  String(process.pid),
  owner ? `${owner.uid}:${owner.gid}` : '',
  file,
  ...args,
]

/** What a child of ours sees of the environment: nothing that changes what PostgreSQL or Bun does (BUN_OPTIONS, PGDATA, LC_ALL …). */
export const childEnvironment = (): Record<string, string> => ({ PATH: process.env.PATH ?? '/usr/bin:/bin', TZ: 'UTC', LC_ALL: 'C' })

/** The other end of `commandAs`: `__become <parent> <uid:gid or empty> <file> <arguments…>`. */
export function become([parent = '', owner = '', file = '', ...args]: string[]): never {
  const [uid, gid] = owner.split(':').map(Number)
  if (owner) becomeUser(uid!, gid!)
  // After the change of user: the kernel forgets the death signal when credentials change.
  if (process.platform === 'linux') {
    interruptWhenParentDies(Number(parent))
    // A query would else interrupt the service that has just sent it, while other cores are idle (docs/decisions/011).
    yieldWhenWoken()
  }
  replaceProcess(file, args)
  process.exit(127)
}
