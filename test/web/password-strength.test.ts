import { expect, test } from 'bun:test'
import { passwordRules, passwordStrength } from '../../src/web/browser/components/form/password-strength'

const owner = { email: 'ada.lovelace@example.org', name: 'Ada Lovelace' }
const judged = (password: string) => {
  const rules = passwordRules(password, owner)
  return { ...rules, strength: passwordStrength(password, rules) }
}

test.each([
  ['', { isLong: false, isVaried: false, isNotOwn: false, strength: 0 }],
  ['abc', { isLong: false, isVaried: true, isNotOwn: true, strength: 1 }],
  ['abababab', { isLong: true, isVaried: false, isNotOwn: true, strength: 1 }],
  ['k'.repeat(256), { isLong: true, isVaried: false, isNotOwn: true, strength: 1 }],
  ['kz'.repeat(128), { isLong: true, isVaried: true, isNotOwn: true, strength: 4 }],
  ['kz'.repeat(8), { isLong: true, isVaried: true, isNotOwn: true, strength: 2 }],
  ['lovelace1815', { isLong: true, isVaried: true, isNotOwn: false, strength: 1 }],
  ['ada.lovelace@example.org', { isLong: true, isVaried: true, isNotOwn: false, strength: 1 }],
  ['Rowhouse!2026', { isLong: true, isVaried: true, isNotOwn: false, strength: 1 }],
  ['qwertzui', { isLong: true, isVaried: true, isNotOwn: true, strength: 2 }],
  ['correct horse battery', { isLong: true, isVaried: true, isNotOwn: true, strength: 4 }],
])('%p', (password, expected) => {
  expect(judged(password)).toEqual(expected)
})
