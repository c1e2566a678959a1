import { expect, test } from 'bun:test'
import { isStoredAlike } from '../../src/web/browser/records/values/cell-values'

test.each<[string, unknown, unknown, boolean]>([
  ['decimal', '5', '5.00', true],
  ['integer', 5, '5.0', true],
  ['currency', '5.10', '5.1', true],
  ['decimal', '500', '5', false],
  ['bigint', '9007199254740993', '9007199254740992', false],
  ['text', '1.1', '1.10', false],
  ['text', '5', '5.00', false],
  ['select', '1.0', '1', false],
  ['link', '1.1', '1.10', false],
  ['other', '1.1', '1.10', false],
  ['dateTime', '2026-01-31T11:00:00.000Z', '2026-01-31T11:00:00+00:00', true],
  ['dateTime', '2026-01-31T12:00:00+01:00', '2026-01-31T11:00:00Z', true],
  ['dateTime', '2026-01-31T11:00:01Z', '2026-01-31T11:00:00Z', false],
  ['longText', '2026-01-31T12:00:00+01:00', '2026-01-31T11:00:00Z', false],
  ['text', 'a', 'a', true],
  ['text', '1.0 m', '1 m', false],
  ['text', null, null, true],
  ['multiSelect', ['a, b'], ['a', 'b'], false],
  ['multiSelect', ['a'], ['a'], true],
  ['manyLinks', ['5', '1'], [1, 5], true],
  ['manyLinks', ['5'], [1, 5], false],
  ['manyLinks', [], null, true],
])('in a column %s, %j and %j: %p', (type, one, other, isAlike) => {
  expect(isStoredAlike(one, other, type)).toBe(isAlike)
})
