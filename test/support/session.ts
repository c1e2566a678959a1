import type { Role } from '../../src/auth/model'
import { password, type TestApp } from './app'

/** Signs in over HTTP. @returns the `Cookie` header that a browser would send from then on */
export async function signIn(app: TestApp, email: string, headers: Record<string, string> = {}): Promise<string> {
  const response = await app.call('/auth/login', { body: { email, password }, headers })
  const [cookie] = response.headers.getSetCookie()
  if (response.status !== 200 || !cookie) throw new Error(`Signing in as ${email} answered ${response.status}.`)
  return cookie.split(';')[0]!
}

export const signInAs = (app: TestApp, role: Role): Promise<string> => signIn(app, `${role}@example.org`)

/** Moves the end of a session, given as its cookie, into the past. */
export async function expire(app: TestApp, cookie: string) {
  const hash = new Bun.CryptoHasher('sha256').update(cookie.slice(cookie.indexOf('=') + 1)).digest('base64url')
  const rows = await app.deps.db.query(
    "update rowhouse.sessions set expires_at = now() - interval '1 second' where secret_hash = $1 returning id",
    [hash],
  )
  if (rows.length !== 1) throw new Error('There is no such session.')
}
