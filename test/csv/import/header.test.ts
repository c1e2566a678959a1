import { expect, test } from 'bun:test'
import { readHeader } from '../../../src/csv/import/header'
import { takeSample } from '../../../src/csv/import/new-table/sample'
import { rejection } from '../../support/rejection'

async function* chunksOf(text: string, size: number) {
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

const read = (text: string, size: number, known: string[] = [], hasHeader = true) => readHeader(chunksOf(text, size), { known, hasHeader })

test.each([
  ['a,b\nrest', { names: ['a', 'b'], delimiter: ',', lines: 1 }, 'rest'],
  ['a;b\r\nrest', { names: ['a', 'b'], delimiter: ';', lines: 1 }, 'rest'],
  ['a\tb\rrest', { names: ['a', 'b'], delimiter: '\t', lines: 1 }, 'rest'],
  ['a|b', { names: ['a', 'b'], delimiter: '|', lines: 1 }, ''],
  ['\n\r\n\ra,b\nrest', { names: ['a', 'b'], delimiter: ',', lines: 4 }, 'rest'],
  ['sep=;\r\na,b;c\nrest', { names: ['a,b', 'c'], delimiter: ';', lines: 2 }, 'rest'],
  ['"a\nb","c ""d"""\r\nrest', { names: ['a\nb', 'c "d"'], delimiter: ',', lines: 2 }, 'rest'],
  ['"a,b,c";"d"\nrest', { names: ['a,b,c', 'd'], delimiter: ';', lines: 1 }, 'rest'],
  ['größe, 名 \n1,2\n', { names: ['größe', '名'], delimiter: ',', lines: 1 }, '1,2\n'],
  // A quotation mark within a name is a part of it, as inches are.
  ['Screen 27",Price\n1,2\n', { names: ['Screen 27"', 'Price'], delimiter: ',', lines: 1 }, '1,2\n'],
])('the header of %j, however its bytes come', async (text, expected, rest) => {
  for (const size of [1, 2, 3, 7, 100]) {
    const header = await read(text, size)
    expect(header).toMatchObject(expected as object)
    // What was read beyond the header, and nothing of it.
    expect(rest).toStartWith(Buffer.from(header.rest).toString())
  }
})

test('without a header the first record stays, and tells how many cells there are', async () => {
  const header = await read('a;"b;\n";c\nd\n', 4, [], false)
  expect(header).toMatchObject({ names: ['', '', ''], delimiter: ';', lines: 0 })
  expect(Buffer.from(header.rest).toString()).toStartWith('a;"b;\n";c\n')
})

test('the delimiter is the one that finds most columns of the table', async () => {
  expect(await read('name,a|age,b\n', 5, ['name,a', 'age,b'])).toMatchObject({ delimiter: '|', names: ['name,a', 'age,b'] })
})

test.each([
  ['is empty', '', 1, 'the file is empty'],
  ['has blank lines only', '\n\n', 3, 'the file is empty'],
  ['opens a quotation mark', '\n"a,b\nc', 2, 'opens a quotation mark that is never closed'],
  ['has a line without an end', 'a'.repeat(600_000), 1, 'the header line is too long'],
  ['has a cell without an end', `"${'a\n'.repeat(300_000)}`, 1, 'the header line is too long'],
])('a file that %s has no header', async (_, text, line, message) => {
  expect(await rejection(read(text, 65_536))).toMatchObject({ extras: { lines: [{ line, column: null, message: { template: message } }] } })
})

test('of a file of any size only the beginning is read', async () => {
  let readBytes = 0
  const chunk = Buffer.from('1,"two, three",4\n'.repeat(4096))
  async function* endless() {
    yield Buffer.from('a,b,c\n')
    for (;;) {
      readBytes += chunk.length
      yield chunk
    }
  }
  const chunks = endless()
  const header = await readHeader(chunks, { known: [], hasHeader: true })
  const file = { header, chunks, found: { encoding: 'utf-8' as const }, bytes: () => readBytes, rowOf: (line: number) => line }
  const { records } = await takeSample(file)
  expect(records).toHaveLength(1000)
  expect(records[999]).toEqual(['1', 'two, three', '4'])
  expect(readBytes).toBeLessThan(1024 * 1024)
})

test('a sample ends before a record that was not read to its end', async () => {
  const long = 'x'.repeat(300_000)
  const chunks = chunksOf(`a,b\n1,"${long}"\n2,"${long}"\n3,y\n`, 65_536)
  const header = await readHeader(chunks, { known: [], hasHeader: true })
  const { records } = await takeSample({ header, chunks, found: { encoding: 'utf-8' }, bytes: () => 0, rowOf: (line) => line })
  expect(records.map(([first]) => first)).toEqual(['1'])
})
