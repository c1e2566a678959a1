import { type Problem, validationFailed } from '../../errors'
import { type Message, translatable } from '../../messages/message'
import { readCommonPasswords } from './common-passwords.macro' with { type: 'macro' }

/** Joined while the executable is built; split when the first password is set. */
const commonText: string = readCommonPasswords()
let common: Set<string> | null = null

const productWords = ['rowhouse', 'service', 'password', 'passwort']

/** The future owner of the password: passwords derived from their own data are weak. */
export type PasswordOwner = { email: string; name?: string }

/** The schema checks the length (8 to 256); this function checks everything else. No composition rules (SEC-10). */
function passwordProblem(password: string, { email, name = '' }: PasswordOwner): Message | null {
  // Ill-formed UTF-16 would be hashed as something other than the typed text (SEC-11).
  if (!password.isWellFormed()) return translatable('The password holds a character that is not valid Unicode.')
  const lower = password.toLowerCase()
  common ??= new Set(commonText.split('\n'))
  if (common.has(lower)) return translatable('This is one of the most common passwords; choose another.')
  const letters = lower.replace(/[^\p{L}]/gu, '')
  const local = email.split('@')[0]!.toLowerCase()
  const own = [local, email.toLowerCase(), ...name.toLowerCase().split(/\s+/), ...productWords].filter((word) => word.length > 2)
  if (own.some((word) => lower === word || isRepeated(letters, word.replace(/[^\p{L}]/gu, '')))) {
    return translatable('This password is based on your name, your e-mail address or the name of this product; choose another.')
  }
  return isVaried(lower) ? null : translatable('This password repeats one or two characters; choose another.')
}

/**
 * A long password may consist of only two different characters, since there are too many combinations to try; a single
 * repeated character is never enough. The same rule as in web/browser/components/form/password-strength.ts.
 */
const isVaried = (lower: string) => new Set(lower).size > (lower.length < 16 ? 2 : 1)

/** `adaada` repeats `ada`. */
const isRepeated = (text: string, word: string) => word.length > 2 && text.length > 0 && text.replaceAll(word, '') === ''

/** @returns the password. @throws Failure validation_failed (SEC-11, SEC-12) */
export function readNewPassword(password: string, owner: PasswordOwner, path = '/password'): string {
  const message =
    password.length < 8 || password.length > 256 ? translatable('A password has 8 to 256 characters.') : passwordProblem(password, owner)
  if (message) throw validationFailed([{ path, message } satisfies Problem])
  return password
}
