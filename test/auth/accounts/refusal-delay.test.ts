import { expect, test } from 'bun:test'
import { createRefusalDelay } from '../../../src/auth/accounts/refusal-delay'

test.each([
  ['before any check: the most', 4, [], 2000],
  ['behind quick ones: the least', 4, [1, 2], 100],
  ['where all five are hashed in two turns: three times the slowest', 4, [30, 80, 40], 240],
  ['where they are hashed one by one: six times the slowest', 1, [30, 80, 40], 480],
  ['behind one that took very long: the most', 4, [20, 5000], 2000],
  ['of the last 32 only', 8, [5000, ...Array<number>(32).fill(60)], 120],
])('a refusal waits, %s', (_what, width, checks, expected) => {
  const delay = createRefusalDelay(width)
  for (const ms of checks) delay.record(ms)
  expect(delay.ms()).toBe(expected)
})
