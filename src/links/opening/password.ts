import { readNewPassword } from '../../auth/accounts/password-rules'
import { Throttled } from '../../auth/accounts/throttle'
import { recordAudit } from '../../auth/audit/audit-log'
import { hashSecret } from '../../auth/secret'
import type { Deps } from '../../deps'
import type { Failure } from '../../errors'
import type { StoredLink } from '../store'
import { closedLink } from './refusal'

type PasswordDeps = Pick<Deps, 'db' | 'passwords' | 'throttle' | 'events'>

/** @returns its hash @throws Failure validation_failed, unavailable */
export const hashLinkPassword = (passwords: Deps['passwords'], password: string): Promise<string> =>
  passwords.hash(readNewPassword(password, { email: '' }))

/** An attempt: the secret in the URL, the link that it belongs to, if any, and the password. */
export type PasswordAttempt = { secret: string; link: StoredLink | null; password: string; address: string }

/**
 * Checks the password of a link within the budgets for password guesses. An unknown link, an ended one and one without
 * a password cost the same check and get the same response as a wrong password.
 * @throws Failure not_found, too_many_requests, unavailable
 */
export async function requireLinkPassword(deps: PasswordDeps, { secret, link, password, address }: PasswordAttempt): Promise<void> {
  if (password === '' || password.length > 256) throw closedLink()
  const { passwords, throttle, events } = deps
  const hash = link?.state === 'active' ? link.passwordHash : null
  const onDamage = () => events.emit({ kind: 'hash_unreadable', userId: link?.userId ?? '' })
  const refusal = await throttle<Failure | null>({ account: hashSecret(secret), address, purpose: 'link' }, async ({ block }) =>
    (await passwords.verify(hash, password, onDamage))
      ? { outcome: 'ok', value: null }
      : { outcome: 'failed', value: block ?? closedLink() },
  ).catch((error) => {
    if (error instanceof Throttled) return error
    throw error
  })
  if (!refusal) return
  const result = refusal instanceof Throttled ? 'throttled' : 'failed'
  await recordAudit(deps.db, { kind: 'link_opened', result, credential: 'none', address, subjectId: link?.id ?? null })
  // As late as a rejection after a check, so that timing does not reveal whether there was one.
  if (refusal instanceof Throttled) await Bun.sleep(Math.max(0, refusal.answerAt - performance.now()))
  throw refusal
}
