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
import { fileParameters } from '../../../src/web/browser/pages/import/file-options'
import { offsetAt } from '../../../src/web/browser/pages/import/local-times'
import { readLines } from '../../../src/web/browser/pages/import/problems/file-lines'

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
  const columns = ['Größe', 'First name', 'i'].map((name) => ({ name, type: 'text', readOnly: false }))
  const table = { columns, primaryKey: [] as string[] } as TableView
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

test.each([
  ['windows-1252', '6e616d653b636974790a4dfc6c6c65723b4bf66c6e0a4afc7267656e2047726fdf3b44fc7373656c646f72660a'], // Müller;Köln
  [
    'windows-1252',
    '5072e96e6f6d3b56696c6c650a48e96ce86e653b4f726ce9616e730a4672616ee76f69733b426573616ee76f6e20e02063f474e90a4e6feb6c3b4eee6d65730a',
  ], // Hélène;Orléans
  ['windows-1252', '6e6f6d6272653b6369756461640a4d75f16f7a3b4de16c6167610a4a6f73e9204962e1f1657a3b4c65f36e0a'], // Muñoz;Málaga
  ['windows-1252', '707265e76f3b31303020800a4a6fe36f3b53e36f205061756c6f0a436f6e636569e7e36f3b56697365750a'], // João;São Paulo
  ['windows-1252', '6e61766e3b62790a53f872656e20c672f83bc5726875730a426af8726e3b54726f6d73f80a'], // Søren Ærø;Århus
  ['windows-1252', '63697474e03b7065726368e90ae83b7069f90a'], // è;più
  ['windows-1252', '6e616d650adc62657220756e73209620936f6b940a'], // Über uns – “ok”
  ['windows-1252', '70726963650a31303020800a'], // 100 €
  [
    'windows-1250',
    '6a6de96e6f3b6dec73746f0a4a69f8ed2044766ff8e16b3b42726e6f0a8ae1726b61204e6f76e16b6f76e13b506c7a65f20a4b617465f8696e613b487261646563204b72e16c6f76e92c2054f86562ede80a',
  ], // Jiří Dvořák;Brno
  [
    'windows-1250',
    '696d69ea3b6d696173746f0aa3756b61737a2057f36a63696b3ba3f3649f0a4d61b3676f727a6174612044b962726f77736b613b4b72616bf3772c208c7769ea74610a',
  ], // Łukasz Wójcik;Łódź
  ['windows-1250', '6ee9763b76e1726f730a537af56b652047657267f53b4779f5720a54fb7a6f6c74f320d664f66e3b50e963730a'], // Szőke Gergő;Győr
  ['windows-1250', '696d653b677261640a8e656c6a6b6f20d0757269e63bc8616b6f7665630a4d619a61208a617269e63b506f9e6567610a'], // Željko Đurić;Čakovec
  ['windows-1251', 'e8ecff3be3eef0eee40ac8e2e0ed20cfe5f2f0eee23bcceef1eae2e00ac0edede03bd1e0edeaf22dcfe5f2e5f0e1f3f0e30a'], // Иван Петров;Москва
  ['windows-1251', 'b3ec27ff3becb3f1f2ee0ab2e2e0ed20afe6e0eae5e2e8f73bcae8bfe20a'], // Іван Їжакевич;Київ
  ['macintosh', '6e616d653b636974790a4d9f6c6c65723b4b9a6c6e0a4a9f7267656e2047726fa73b449f7373656c646f72660a'], // Müller;Köln
  ['macintosh', '50728e6e6f6d3b56696c6c650a488e6c8f6e653b4f726c8e616e730a4672616e8d6f69733b426573616e8d6f6e0a'], // Hélène;Orléans
  ['macintosh', '4b8a73650a6d9a636874650a'], // möchte
  ['shift_jis', '96bc914f3b8f5a8f8a0a8e52936391be98593b938c8b9e937390e791e393638be60a8db293a189d48e713b91e58de38e730a'], // 山田太郎;東京都千代田区
  ['shift_jis', '6e616d653b6e6f74650a536f6e793b835c836a815b8a948eae89ef8ed00a546f796f74613b83678388835e8ea993ae8ed482cc82ad82e982dc0a'], // Sony;ソニー株式会社
  ['gbk', 'd0d5c3fb3bb3c7cad00acdf5d0a1c3f73bb1b1bea9cad00ac0eebbaa3bc9cfbaa3cad0c6d6b6abd0c2c7f80ad5c5ceb03bd6d0b9fab9e3d6dd0a'], // 王小明;北京市
  ['euc-kr', 'c0ccb8a73bb5b5bdc30ab1e8c3b6bcf63bbcadbfefc6afbab0bdc30ac0ccbfb5c8f13bbacebbeab1a4bfaabdc30a'], // 김철수;서울특별시
])('%s is proposed where it fits best', async (encoding, hex) => {
  expect(await readCsvSample(fileOf(new Uint8Array(Buffer.from(hex, 'hex'))), {})).toMatchObject({ encoding } as never)
})
