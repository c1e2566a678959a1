import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { TableView } from '../../../src/tables/model'
import { guessMapping } from '../../../src/web/browser/pages/import/column-mapping'
import {
  type CsvSample,
  parseRows,
  readCsvSample,
  type SampleDelimiter,
  sampleDelimiters,
} from '../../../src/web/browser/pages/import/csv-sample'
import { readLines } from '../../../src/web/browser/pages/import/file-lines'
import { fileParameters } from '../../../src/web/browser/pages/import/file-options'
import { offsetAt } from '../../../src/web/browser/pages/import/local-times'

const fileOf = (...parts: BlobPart[]) => new File(parts, 'orders.csv')

describe('the beginning of a file', () => {
  test.each([
    [
      'a;b\n1;2\n',
      ';',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    [
      'sep=|\r\na|b\r\n1|2',
      '|',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    [
      'a,"b ""c"", d",e\n\n"1\n2",3,""\n',
      ',',
      [
        ['a', 'b "c", d', 'e'],
        ['1\n2', '3', ''],
      ],
    ],
    [
      'a\tb\r1\t2\r',
      '\t',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
  ])('%j is apart by %j', async (text, delimiter, rows) => {
    expect(await readCsvSample(fileOf(text), {})).toEqual({ encoding: 'utf-8', delimiter, rows } as never)
  })

  test.each([
    ['utf-8', new Uint8Array([0xef, 0xbb, 0xbf, 0xc3, 0xa9])],
    ['utf-16le', new Uint8Array([0xff, 0xfe, 0xe9, 0])],
    ['utf-16be', new Uint8Array([0xfe, 0xff, 0, 0xe9])],
    ['windows-1252', new Uint8Array([0xe9])],
  ])('in %s', async (encoding, bytes) => {
    expect(await readCsvSample(fileOf(bytes), {})).toMatchObject({ encoding, rows: [['é']] } as never)
  })

  test('leaves the encoding to the service where it is ASCII alone and more follows', async () => {
    const ascii = 'name,city\n'.repeat(10_000)
    expect(await readCsvSample(fileOf(ascii), {})).toMatchObject({ encoding: 'utf-8', isEncodingOpen: true })
    for (const [file, options] of [
      [fileOf(ascii), { encoding: 'utf-8' }],
      [fileOf('name,city\n'), {}],
      [fileOf(`é${ascii}`), {}],
    ] as const) {
      expect(await readCsvSample(file, options)).not.toHaveProperty('isEncodingOpen')
    }
  })

  test('is read as whatever was written', () => {
    const cell = fc.string({ unit: fc.constantFrom('a', 'é', ' ', '"', ',', ';', '\n', '\r', '|') })
    const rows = fc.array(fc.array(cell, { minLength: 2, maxLength: 3 }), { minLength: 1, maxLength: 10 })
    const delimiter = fc.constantFrom(...(Object.keys(sampleDelimiters) as SampleDelimiter[]))
    fc.assert(
      fc.property(rows, delimiter, fc.constantFrom('\n', '\r\n', '\r'), (written, each, end) => {
        const text = written.map((row) => row.map((value) => `"${value.replaceAll('"', '""')}"`).join(each)).join(end)
        expect(parseRows(Buffer.from(text), each)).toEqual(written)
      }),
    )
  })
})

test('the encoding is sent only where the beginning shows it, or the user chose it', () => {
  const found: CsvSample = { encoding: 'utf-8', delimiter: ',', rows: [] }
  const parameters = (sample: Partial<CsvSample>) =>
    fileParameters({ ...found, ...sample }, { ambiguous: [] }, { hasHeader: true, timezone: 'UTC' })
  expect(parameters({ isEncodingOpen: true })).toEqual({ delimiter: 'comma', timezone: 'UTC' })
  expect(parameters({})).toEqual({ delimiter: 'comma', encoding: 'utf-8', timezone: 'UTC' })
})

test('headers are matched with columns as people see them, and those without a name with none', () => {
  const table = { columns: ['Größe', 'First name', 'i'].map((name) => ({ name, type: 'text', readOnly: false })) } as TableView
  expect(guessMapping(table, ['gro\u0308\u00dfe', 'First\u00a0\u200bname', ''])).toEqual(['Größe', 'First name', ''])
  expect(guessMapping(table, ['', ''])).toEqual(['Größe', 'First name'])
})

test('lines are found by their numbers, across the chunks of a file', async () => {
  const text = Array.from({ length: 50_000 }, (_, line) => `line ${line + 1}`).join('\r\n')
  const found = await readLines(fileOf(text), 'utf-8', [1, 2, 40_000, 50_000, 60_000])
  expect([...found]).toEqual([1, 2, 40_000, 50_000].map((line) => [line, `line ${line}`]))
})

test.each([
  ['2026-07-01 10:00', 'Europe/Berlin', undefined, '+02:00'],
  ['2026-01-31T23:30:15.5', 'Europe/Berlin', undefined, '+01:00'],
  ['2026-03-29 03:00', 'Europe/Berlin', undefined, '+02:00'],
  ['31.7.2026, 10:00', 'America/New_York', 'dmy', '-04:00'],
  ['1/31/2026 2:30 PM', 'Asia/Kathmandu', 'mdy', '+05:45'],
  ['2026-07-01 10:00', 'UTC', undefined, '+00:00'],
  ['1850-01-01 10:00', 'Europe/Berlin', undefined, '+00:53:28'],
  ['2026-07-01T10:00:00Z', 'Europe/Berlin', undefined, null],
  ['2026-07-01', 'Europe/Berlin', undefined, null],
  ['10:00', 'Europe/Berlin', undefined, null],
  ['2026-13-01 10:00', 'Europe/Berlin', undefined, null],
] as const)('the preview shows the offset of %s in %s', (cell, zone, dates, offset) => {
  expect(offsetAt(cell, zone, dates)).toBe(offset)
})
