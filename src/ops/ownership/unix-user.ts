import { readFileSync } from 'node:fs'

/** A user of this machine. */
export type UnixUser = { name: string; uid: number; gid: number; home: string }

/** The users of /etc/passwd: PostgreSQL's tools do not read others either, unless a directory service is set up. */
export const unixUsers = (): UnixUser[] =>
  readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
    .filter(([name, , uid, gid]) => name && uid && gid && Number.isInteger(Number(uid)) && Number.isInteger(Number(gid)))
    // On macOS, the file gives -2 as the id of nobody.
    .map(([name = '', , uid, gid, , home = '']) => ({ name, uid: Number(uid) >>> 0, gid: Number(gid) >>> 0, home: home || '/' }))

/** The user of this process, as `install -o` takes it: the name if there is one, or else the number. */
export function nameOfSelf(): string {
  const id = process.getuid?.() ?? 0
  try {
    return unixUsers().find(({ uid }) => uid === id)?.name ?? String(id)
  } catch {
    // Container images may lack /etc/passwd.
    return String(id)
  }
}
