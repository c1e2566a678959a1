import { expect, test } from 'bun:test'
import { cellText } from '../../src/web/browser/pages/tables/cell-text'

const words = { yes: 'yes', no: 'no' }

test.each([
  [null, 'text', ''],
  ['12345678901234567890', 'bigint', '12345678901234567890'],
  [true, 'boolean', 'yes'],
  [['Events', 'Prices'], 'multiSelect', 'Events, Prices'],
  [[{ id: '1', name: 'plan.pdf' }], 'attachment', 'plan.pdf'],
  [{ a: 1 }, 'json', '{"a":1}'],
  ['not a day', 'date', 'not a day'],
])('%p of %s is shown as %p', (value, type, text) => {
  expect(cellText(value, type, words)).toBe(text)
})
