import { readDisplayName, readEmail } from '../auth/accounts/accounts'
import type { User } from '../auth/model'
import { type Problem, validationFailed } from '../errors'
import { translatable } from '../messages/message'
import type { NewUser } from './model'

type ReadUser = Pick<User, 'kind' | 'email' | 'name'> & Pick<NewUser, 'password'>

/**
 * Without a name, a person is named by the e-mail address. A service user's address is made from its id and receives no
 * mail (RFC 2606).
 * @throws Failure validation_failed
 */
export function readNewUser({ kind = 'person', email: emailText, name, password }: NewUser, id: string): ReadUser {
  if (kind === 'service') {
    const problems = problemsOfService({ email: emailText, name, password })
    if (problems.length > 0) throw validationFailed(problems)
    const address = `service-${id.slice(-12)}@service.invalid`
    return { kind, email: address, name: readDisplayName(name!, address) }
  }
  if (emailText === undefined) throw validationFailed([{ path: '/email', message: translatable('A person needs an e-mail address.') }])
  const email = readEmail(emailText)
  return { kind, email, name: name?.trim() ? readDisplayName(name, email) : email.split('@')[0]!, password }
}

function problemsOfService({ email, name, password }: Pick<NewUser, 'email' | 'name' | 'password'>): Problem[] {
  const problems: Problem[] = []
  if (name === undefined) problems.push({ path: '/name', message: translatable('A service user needs a name.') })
  if (email !== undefined) problems.push({ path: '/email', message: translatable('A service user cannot have an e-mail address.') })
  if (password !== undefined) problems.push({ path: '/password', message: translatable('A service user cannot have a password.') })
  return problems
}
