import { expect, test } from 'bun:test'
import { hashSecret, isSameHash, newSecret } from '../../src/auth/secret'

test('a secret is 32 random bytes in base64url', () => {
  const secrets = Array.from({ length: 1000 }, newSecret)
  expect(new Set(secrets).size).toBe(1000)
  for (const secret of secrets) expect(secret).toMatch(/^[A-Za-z0-9_-]{43}$/)
  expect(Buffer.from(secrets[0]!, 'base64url')).toHaveLength(32)
})

test('its hash is SHA-256 of the text, so another spelling of the same bytes is another secret', () => {
  expect(hashSecret('abc')).toBe('ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0')
  const [one, sibling] = [`${'A'.repeat(42)}A`, `${'A'.repeat(42)}B`]
  expect(Buffer.from(one, 'base64url').equals(Buffer.from(sibling, 'base64url'))).toBe(true)
  expect(hashSecret(one)).not.toBe(hashSecret(sibling))
})

test.each([
  ['abc', 'abc', true],
  ['abc', 'abd', false],
  ['abc', 'ab', false],
  ['', '', true],
  ['é', 'ab', false],
])('%p and %p are the same hash: %p', (one, other, expected) => {
  expect(isSameHash(one, other)).toBe(expected)
})
