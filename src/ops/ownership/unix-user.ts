import { readFileSync } from 'node:fs'

/** A user of this machine. */
export type UnixUser = { name: string; uid: number; gid: number; home: string }

/** The users of /etc/passwd: PostgreSQL's tools read no others either if no directory service is set up. */
export const unixUsers = (): UnixUser[] =>
  readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
    .filter(([name, , uid, gid]) => name && uid && gid && Number.isInteger(Number(uid)) && Number.isInteger(Number(gid)))
    // macOS writes -2 for nobody.
    .map(([name = '', , uid, gid, , home = '']) => ({ name, uid: Number(uid) >>> 0, gid: Number(gid) >>> 0, home: home || '/' }))

/** The user of this process, as `install -o` takes it: the name if there is one, or else the number. */
export function nameOfSelf(): string {
  const id = process.getuid?.() ?? 0
  try {
    return unixUsers().find(({ uid }) => uid === id)?.name ?? String(id)
  } catch {
    // An image without /etc/passwd.
    return String(id)
  }
}
