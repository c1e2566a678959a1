import { expect, test } from 'bun:test'
import { nameOfSelf } from '../../src/ops/ownership/unix-user'

test('messages for operators name the user, and not its number', () => {
  expect(nameOfSelf()).toBe(String(Bun.spawnSync(['id', '-un']).stdout).trim())
})
