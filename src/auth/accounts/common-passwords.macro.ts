import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Runs while the executable is built (a Bun macro): returns the most common passwords of at least 8 characters, from
 * the list that zxcvbn-ts orders by frequency. That is six times the 3,000 that ASVS 6.2.4 requires.
 */
export function readCommonPasswords(): string {
  const path = join(import.meta.dir, '../../../node_modules/@zxcvbn-ts/language-common/src/passwords.json')
  return (JSON.parse(readFileSync(path, 'utf8')) as string[]).filter((password) => password.length >= 8).join('\n')
}
