import type { Role, User } from '../../src/auth/model'
import { json, password, type TestApp } from './app'

type Person = { user: User; email: string; token: string }

let count = 0

/** A new user with a token of full scope, so that a test can change them freely. */
export async function makePerson(app: TestApp, role: Role = 'editor'): Promise<Person> {
  const email = `person${count++}@example.org`
  const { user } = await json(app.call('/api/v1/users', { as: 'admin', body: { email, role, password } }))
  const token = await tokenOf(app, email)
  return { user, email, token }
}

/** Signs in and creates a token. The session remains. */
async function tokenOf(app: TestApp, email: string): Promise<string> {
  const login = await app.call('/auth/login', { body: { email, password } })
  const cookie = login.headers.getSetCookie()[0]?.split(';')[0] ?? ''
  return (await json(app.call('/auth/tokens', { body: { name: 'test' }, headers: { cookie } }))).token
}

export const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
