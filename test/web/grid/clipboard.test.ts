import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { parseInput, toClipboardText } from '../../../src/web/browser/pages/grid/edit/cell-input'
import {
  parseCopiedCells,
  parseTsv,
  toClipboardLines,
  toHtmlTable,
  toTsv,
} from '../../../src/web/browser/pages/grid/edit/clipboard-formats'
import { afterCreation, moveBy, nextTabStop } from '../../../src/web/browser/pages/grid/model/cell-selection'
import { toPlainText } from '../../../src/web/browser/records/values/cell-values'
import { parseExact } from '../../../src/web/browser/values/exact-json'
import { UnreadableInput } from '../../../src/web/browser/values/unreadable-input'

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
  expect(toHtmlTable([['=1+1', '1']], (column) => column === 0)).toBe(
    `<table><tbody><tr><td style="mso-number-format:'\\@'" sdnum="1033;0;@">=1+1</td><td>1</td></tr></tbody></table>`,
  )
  expect(toHtmlTable([['<b>&"', 'a\nb']])).toBe('<table><tbody><tr><td>&lt;b&gt;&amp;&quot;</td><td>a<br>b</td></tr></tbody></table>')
})

test('lines of a cell stay in one cell of a spreadsheet, whatever ends them', () => {
  const lineBreak = '<br style="mso-data-placement:same-cell">'
  expect(toHtmlTable([['a\nb\r\nc\rd']], () => false)).toBe(
    `<table><tbody><tr><td>${['a', 'b', 'c', 'd'].join(lineBreak)}</td></tr></tbody></table>`,
  )
})

test('one cell is copied as it is, and several as spreadsheets read them', () => {
  for (const text of ['Anna "Annie" Lee', '"all"', 'two\nlines', 'a\tb', '']) expect(toClipboardLines([[text]])).toBe(text)
  expect(toClipboardLines([['say "so"', 'x']])).toBe('"say ""so"""\tx')
})

test('what any page can put into the clipboard as our own cells is held against their shape', () => {
  expect(parseCopiedCells('{"block":[["a"]],"links":[[null]]}')).toEqual({ block: [['a']], links: [[undefined]] })
  for (const wrong of [
    '',
    '{',
    'null',
    '{"block":[["a"]]}',
    '{"block":[],"links":[]}',
    '{"block":[[]],"links":[]}',
    '{"block":[[1]],"links":[]}',
  ])
    expect(parseCopiedCells(wrong)).toBeNull()
})

describe('lists of choices', () => {
  const column = (choices: string[]) => ({
    id: '',
    name: 'm',
    type: 'multiSelect',
    required: false,
    readOnly: false,
    description: null,
    options: { choices },
  })

  test('come back as the list that was copied', () => {
    const choice = fc.string({ unit: fc.constantFrom('a', 'A', ',', ' ', '"', '[', ']'), minLength: 1, maxLength: 4 })
    fc.assert(
      fc.property(fc.uniqueArray(choice, { minLength: 1, maxLength: 4 }), fc.nat(), (choices, seed) => {
        const list = choices.filter((_choice, at) => (seed >> at) % 2 === 0)
        expect(parseInput(toClipboardText(list, column(choices)), column(choices))).toEqual(list)
      }),
    )
  })

  test('are plain text where that is unmistakable, and text of several readings is refused', () => {
    const [red, dark] = ['Red', 'dark']
    const confusing = column(['Red, dark', red, dark, 'x'])
    expect(toClipboardText(['Red, dark', 'x'], column(['Red, dark', 'x']))).toBe('Red, dark, x')
    expect(toClipboardText(['Red, dark'], confusing)).toBe('Red, dark')
    expect(toClipboardText([red, dark], confusing)).toBe('["Red","dark"]')
    expect(parseInput('red, dark, x', confusing)).toBeInstanceOf(UnreadableInput)
    expect(parseInput('x, red,', confusing)).toEqual(['x', red])
    expect(toClipboardText(['gone', 'x'], confusing)).toBe('gone, x')
  })
})

test('numbers keep their digits', () => {
  const { value } = parseExact('{"value": 12345678901234567890.50}') as { value: unknown }
  expect(toPlainText(value)).toBe('12345678901234567890.50')
  expect(JSON.stringify({ value })).toBe('{"value":12345678901234567890.50}')
})

test('moves stay inside, and Tab leaves at the end', () => {
  const size = { rows: 3, records: 3, columns: 2, page: 2 }
  const place = { row: 2, column: 1 }
  const key = { key: 'ArrowDown', shiftKey: false, isCommand: false }
  expect(moveBy(key, { active: place, head: place }, size)?.active).toEqual(place)
  expect(moveBy({ ...key, key: 'x' }, { active: place, head: place }, size)).toBeNull()
  expect(nextTabStop(place, false, size)).toBeNull()
  expect(nextTabStop({ row: 1, column: 0 }, true, size)).toEqual({ row: 0, column: 1 })
})

test('jumps and ranges end at the last record, and one step leads to the row to type into', () => {
  const size = { rows: 4, records: 3, columns: 2, page: 9 }
  const at = (row: number) => ({ active: { row, column: 0 }, head: { row, column: 0 } })
  const rowAfter = (key: string, row: number, more: object = {}) =>
    moveBy({ key, shiftKey: false, isCommand: false, ...more }, at(row), size)!.head.row
  expect([rowAfter('PageDown', 0), rowAfter('ArrowDown', 0, { isCommand: true }), rowAfter('End', 0, { isCommand: true })]).toEqual([
    2, 2, 2,
  ])
  expect([rowAfter('ArrowDown', 2), rowAfter('ArrowDown', 2, { isCommand: true }), rowAfter('PageDown', 2)]).toEqual([3, 3, 3])
  expect(rowAfter('ArrowDown', 2, { shiftKey: true })).toBe(2)
})

test('a row that became a record before an earlier one did takes the selection with it', () => {
  const at = (row: number) => ({ active: { row, column: 1 }, head: { row, column: 1 } })
  const rows = [9, 10, 11, 12, 13].map((row) => afterCreation(at(row), 10, 2).active.row)
  expect(rows).toEqual([9, 11, 12, 10, 13])
})

test('a row whose record is not shown leaves its place to the next one', () => {
  const at = (row: number) => ({ active: { row, column: 1 }, head: { row, column: 1 } })
  const rows = [9, 10, 11, 12].map((row) => afterCreation(at(row), 9, 1, false).active.row)
  expect(rows).toEqual([9, 10, 10, 11])
})
