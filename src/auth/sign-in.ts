import type { Deps } from '../deps'
import { checkCredentials, invalidCredentials } from './accounts'
import type { Credentials, User } from './model'
import { beginSession, type Client, Outdated } from './sessions'

/**
 * From e-mail and password to a session. A sign-in that overlaps with a change of the password is judged by the password as it is
 * when the session begins, so that no session of the old one outlives the change (SEC-14, SEC-32).
 * @returns the cookie's value. @throws Failure as `checkCredentials`
 */
export async function signIn(
  deps: Deps,
  credentials: Credentials,
  client: Client,
  replaces?: string,
): Promise<{ user: User; secret: string }> {
  for (let time = 0; time < 3; time++) {
    const { user, passwordHash } = await checkCredentials(deps, credentials, client.address)
    const secret = await beginSession(deps.db, user.id, client, replaces, passwordHash).catch((error) => {
      if (error instanceof Outdated) return null
      throw error
    })
    if (secret) return { user, secret }
  }
  throw invalidCredentials()
}
