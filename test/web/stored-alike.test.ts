import { expect, test } from 'bun:test'
import { isStoredAlike } from '../../src/web/browser/records/values/cell-values'

test.each<[unknown, unknown, boolean]>([
  ['5', '5.00', true],
  [5, '5.0', true],
  ['5.10', '5.1', true],
  ['500', '5', false],
  ['9007199254740993', '9007199254740992', false],
  ['2026-01-31T11:00:00.000Z', '2026-01-31T11:00:00+00:00', true],
  ['2026-01-31T12:00:00+01:00', '2026-01-31T11:00:00Z', true],
  ['2026-01-31T11:00:01Z', '2026-01-31T11:00:00Z', false],
  ['a', 'a', true],
  ['1.0 m', '1 m', false],
  [null, null, true],
  [['a, b'], ['a', 'b'], false],
  [['a'], ['a'], true],
  [['5', '1'], [1, 5], true],
  [['5'], [1, 5], false],
  [[], null, true],
])('%j and %j: %p', (one, other, isAlike) => {
  expect(isStoredAlike(one, other)).toBe(isAlike)
})
