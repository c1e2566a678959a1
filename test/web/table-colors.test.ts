import { expect, test } from 'bun:test'
import { tableColors } from '../../src/web/browser/values/table-colors'

const tables = Array.from({ length: 12 }, (_, number) => ({
  id: `table-${number * 7}`,
  createdAt: number < 10 ? `2026-11-${10 + number}T00:00:00Z` : null,
}))

test('tables have different colors, which those of later tables do not change', () => {
  const first = tableColors(tables.slice(0, 9))
  expect(new Set(first.values()).size).toBe(9)
  expect([...first.values()]).not.toContain('gray')
  const later = tableColors(tables.toReversed())
  expect(later.size).toBe(12)
  for (const [id, color] of first) expect(later.get(id)).toBe(color)
})
