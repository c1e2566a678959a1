export type Owner = { email: string; name: string }

export type PasswordRules = { isLong: boolean; isVaried: boolean; isNotOwn: boolean }

/**
 * The rules that the browser can check. Only the server knows the list of common passwords
 * (src/auth/accounts/password-rules.ts).
 */
export function passwordRules(password: string, { email, name }: Owner): PasswordRules {
  const lower = password.toLowerCase()
  const own = [email, email.split('@')[0] ?? '', ...name.split(/\s+/), 'rowhouse', 'service', 'password', 'passwort']
  const letters = lower.replace(/[^\p{L}]/gu, '')
  const isMadeOf = (word: string) =>
    word.length > 2 && letters !== '' && letters.replaceAll(word.replace(/[^\p{L}]/gu, '') || ' ', '') === ''
  const words = own.map((word) => word.toLowerCase()).filter((word) => word.length > 2)
  return {
    isLong: password.length >= 8 && password.length <= 256,
    isVaried: new Set(lower).size > (lower.length < 16 ? 2 : 1),
    isNotOwn: password !== '' && !words.some((word) => lower === word || isMadeOf(word)),
  }
}

/** 0 (empty) to 4 (strong). Length counts most, because it determines the cost of guessing. */
export function passwordStrength(password: string, rules: PasswordRules): number {
  if (password === '') return 0
  if (!rules.isLong || !rules.isVaried || !rules.isNotOwn) return 1
  const kinds = [/\p{Ll}/u, /\p{Lu}/u, /\d/, /[^\p{L}\d]/u].filter((kind) => kind.test(password)).length
  const worth = Math.min(password.length, Math.max(new Set(password).size * 2, password.length / 4)) + (kinds - 1) * 2
  return worth < 13 ? 2 : worth < 19 ? 3 : 4
}
