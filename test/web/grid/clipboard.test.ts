import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { toPlainText } from '../../../src/web/browser/pages/grid/data/cell-values'
import { parseTsv, toHtmlTable, toTsv } from '../../../src/web/browser/pages/grid/edit/clipboard-formats'
import { moveBy, nextTabStop } from '../../../src/web/browser/pages/grid/view/cell-selection'
import { parseExact } from '../../../src/web/browser/values/exact-json'

test.each([
  [
    'a\tb\r\nc\td\r\n',
    [
      ['a', 'b'],
      ['c', 'd'],
    ],
  ],
  ['"two\nlines"\t"say ""so"""', [['two\nlines', 'say "so"']]],
  ['5" nails\tx', [['5" nails', 'x']]],
  [
    'a\t\n\tb',
    [
      ['a', ''],
      ['', 'b'],
    ],
  ],
])('%j is read as spreadsheets mean it', (text, block) => {
  expect(parseTsv(text)).toEqual(block)
})

test('what is copied comes back', () => {
  const line = fc.array(fc.string({ unit: fc.constantFrom('a', '"', '\t', '\n', ' ', 'é') }), { minLength: 2, maxLength: 2 })
  fc.assert(
    fc.property(fc.array(line, { minLength: 1, maxLength: 4 }), (block) => {
      // An empty last line cannot be told from the end of the one before it, so something stands there.
      const whole = [...block, ['x', 'y']]
      expect(parseTsv(toTsv(whole))).toEqual(whole)
    }),
  )
})

test('a table for other programs holds no markup of a value', () => {
  expect(toHtmlTable([['<b>&"', 'a\nb']])).toBe('<table><tbody><tr><td>&lt;b&gt;&amp;&quot;</td><td>a<br>b</td></tr></tbody></table>')
})

test('numbers keep their digits', () => {
  const { value } = parseExact('{"value": 12345678901234567890.50}') as { value: unknown }
  expect(toPlainText(value)).toBe('12345678901234567890.50')
  expect(JSON.stringify({ value })).toBe('{"value":12345678901234567890.50}')
})

test('moves stay inside, and Tab leaves at the end', () => {
  const size = { rows: 3, columns: 2, page: 2 }
  const place = { row: 2, column: 1 }
  const key = { key: 'ArrowDown', shiftKey: false, isCommand: false }
  expect(moveBy(key, { active: place, head: place }, size)?.active).toEqual(place)
  expect(moveBy({ ...key, key: 'x' }, { active: place, head: place }, size)).toBeNull()
  expect(nextTabStop(place, false, size)).toBeNull()
  expect(nextTabStop({ row: 1, column: 0 }, true, size)).toEqual({ row: 0, column: 1 })
})
