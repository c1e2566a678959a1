import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { csvLine } from '../../src/csv/line'
import { readRecords } from '../../src/csv/reader'
import { createScanner } from '../../src/csv/scanner'
import { inLanguage } from '../../src/messages/translation'

function scan(text: string | Buffer, columns: number, sizes: number[] = [1 << 20], delimiter = ',') {
  const bytes = Buffer.from(text)
  const scanner = createScanner(delimiter, columns, 1)
  const out: Uint8Array[] = []
  for (let at = 0, turn = 0; at < bytes.length; turn++) {
    const size = Math.max(1, sizes[turn % sizes.length]!)
    out.push(...scanner.feed(bytes.subarray(at, at + size)))
    at += size
  }
  out.push(...scanner.end())
  return { text: Buffer.concat(out).toString(), scanner, problems: inLanguage(scanner.problems, 'en'), rows: scanner.rows() }
}

describe('the scanner', () => {
  test.each([
    ['a,b\nc,d\n', 'a,b\nc,d\n', 2],
    ['a,b\nc,d', 'a,b\nc,d', 2],
    ['a,b\r\nc,d\r\n', 'a,b\r\nc,d\r\n', 2],
    ['a,b\rc,d\r', 'a,b\rc,d\r', 2],
    // PostgreSQL takes one kind of line end only, that of the first record.
    ['a,b\nc,d\r\ne,f\r', 'a,b\nc,d\ne,f\n', 3],
    ['a,b\r\nc,d\n', 'a,b\r\nc,d\r\n', 2],
    ['"a\n""x"",",b\n', '"a\n""x"",",b\n', 1],
    ['\n\na,b\n\n\n', 'a,b\n', 1],
    ['', '', 0],
    // To COPY every quotation mark opens or closes quotes.
    ['5",b\n', '5"""",b\n', 1],
    ['a""b,"c"d"\n', 'a""""""b,"c"d""""\n', 1],
  ])('hands on %j', (text, expected, rows) => {
    expect(scan(text, 2)).toMatchObject({ text: expected, problems: [], rows })
    expect(scan(text, 2, [1])).toMatchObject({ text: expected, problems: [], rows })
  })

  test('leaves out records of another length, and says in which line they begin', () => {
    const { text, problems, scanner } = scan('a,b\n"x\ny"\n\nc,d\ne\nf,g\n', 2)
    expect(text).toBe('a,b\nc,d\nf,g\n')
    expect(problems).toEqual([
      { line: 3, column: null, message: 'has 1 cells, and the header has 2' },
      { line: 7, column: null, message: 'has 1 cells, and the header has 2' },
    ])
    expect([1, 2, 3].map(scanner.fileLine)).toEqual([2, 6, 8])
  })

  test('tells of a quotation mark that is never closed', () => {
    expect(scan('a,b\nc,"d\ne,f\n', 2).problems).toEqual([
      { line: 3, column: null, message: 'opens a quotation mark that is never closed' },
    ])
  })

  test('keeps what PostgreSQL before 18 would take for the end of the data', () => {
    expect(scan('a\n\\.\nb\n\\.', 1)).toMatchObject({ text: 'a\n"\\."\nb\n"\\."', rows: 4 })
  })

  test('keeps an empty line of a file with one column, where it is a record', () => {
    expect(scan('a\n\nb\n', 1)).toMatchObject({ text: 'a\n\nb\n', rows: 3 })
  })

  test('hands on a very long record before it has ended, and gives up where it turns out wrong', () => {
    const long = 'x'.repeat(3_000_000)
    expect(scan(`a,${long}\nb,c\n`, 2, [65_536])).toMatchObject({ text: `a,${long}\nb,c\n`, rows: 2, problems: [] })
    const wrong = scan(`${long}\nb,c\n`, 2, [65_536])
    expect({ isBroken: wrong.scanner.isBroken(), line: wrong.problems[0]?.line }).toEqual({ isBroken: true, line: 2 })
  })
})

test('a very long cell of quotation marks is handed on in parts', () => {
  const marks = '"'.repeat(1_500_000)
  for (const end of ['\n', '']) {
    const { text, rows, problems } = scan(`a,x${marks}${end}`, 2, [65_536])
    expect({ rows, problems, isRight: text === `a,x"${marks}${marks}"${end}` }).toEqual({ rows: 1, problems: [], isRight: true })
  }
})

const cell = fc.string({ unit: fc.constantFrom('a', 'ü', '"', ',', ';', '\n', '\r', ' ', '\\', '.', "'", '😀'), maxLength: 6 })
const records = fc.array(fc.array(cell, { minLength: 2, maxLength: 2 }), { maxLength: 12 })

test('whatever the cells are and however the bytes come, every record is found whole', () => {
  fc.assert(
    fc.property(
      records,
      fc.constantFrom('\n', '\r\n', '\r'),
      fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 5 }),
      (rows, end, sizes) => {
        const text = rows.map((row) => csvLine(row, ',') + end).join('')
        const scanned = scan(text, 2, sizes)
        expect(scanned).toMatchObject({ text, rows: rows.length, problems: [] })
        expect(readRecords(Buffer.from(text), ',', rows.length + 1).map(({ cells }) => cells)).toEqual(rows)
      },
    ),
  )
})

test('no bytes make it fail or grow', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), fc.integer({ min: 1, max: 50 }), (bytes, size) => {
      const whole = scan(Buffer.from(bytes), 2)
      const pieces = scan(Buffer.from(bytes), 2, [size])
      expect(pieces.text).toBe(whole.text)
      expect(pieces.problems).toEqual(whole.problems)
      expect(pieces.rows).toBe(whole.rows)
    }),
  )
})
