import { expect, test } from 'bun:test'
import { type DetectedEncoding, type Encoding, toUtf8 } from '../../src/csv/encoding'
import { settled } from '../support/rejection'

async function decode(bytes: Buffer, size: number, asked?: Encoding) {
  async function* pieces() {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
  }
  const found: DetectedEncoding = { encoding: 'utf-8' }
  const out: Uint8Array[] = []
  for await (const chunk of toUtf8(pieces(), asked, found)) out.push(chunk)
  return { text: Buffer.concat(out).toString('utf8'), encoding: found.encoding }
}

const utf16be = (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le').swap16()

test.each([
  ['plain ASCII', Buffer.from('name\nAda\n'), 'name\nAda\n', 'utf-8'],
  ['nothing', Buffer.alloc(0), '', 'utf-8'],
  ['UTF-8', Buffer.from('name\nÜ😀\n'), 'name\nÜ😀\n', 'utf-8'],
  ['UTF-8 with a mark', Buffer.from('\ufeffname\nÜ\n'), 'name\nÜ\n', 'utf-8'],
  ['UTF-16, little end first', Buffer.from('\ufeffname\nÜ😀\n', 'utf16le'), 'name\nÜ😀\n', 'utf-16le'],
  ['UTF-16, big end first', utf16be('name\nÜ😀\n'), 'name\nÜ😀\n', 'utf-16be'],
  ['Windows-1252', Buffer.from('name\nM\xfcller \x80\n', 'latin1'), 'name\nMüller €\n', 'windows-1252'],
  ['Windows-1252 at the very end', Buffer.from('name\n\xfc', 'latin1'), 'name\nü', 'windows-1252'],
] as const)('%s', async (_name, bytes, text, encoding) => {
  for (const size of [1, 2, 3, 5, 1000]) expect(await decode(bytes, size)).toEqual({ text, encoding })
})

test('an encoding that was asked for is taken', async () => {
  expect(await decode(Buffer.from('Ã¼', 'latin1'), 10, 'windows-1252')).toEqual({ text: 'Ã¼', encoding: 'windows-1252' })
})

test.each([
  ['windows-1250', '8ae1e8ec', 'Šáčě'],
  ['windows-1251', 'cff0e8e2e5f2', 'Привет'],
  ['macintosh', '4b8a7365', 'Käse'],
  ['shift_jis', '938c8b9e835c', '東京ソ'],
  ['gbk', 'b1b1bea9', '北京'],
  ['euc-kr', 'bcadbfef', '서울'],
] as const)('%s is read where it is named, however the bytes come', async (encoding, hex, text) => {
  const bytes = Buffer.concat([Buffer.from('name\n'), Buffer.from(hex, 'hex'), Buffer.from('\n')])
  for (const size of [1, 2, 3, 1000]) expect(await decode(bytes, size, encoding)).toEqual({ text: `name\n${text}\n`, encoding })
})

test.each([
  ['shift_jis', '938c8b'],
  ['gbk', 'b1b1be'],
  ['euc-kr', 'bcadbf'],
] as const)('a character of %s that is cut off is refused', async (encoding, hex) => {
  expect(await settled(decode(Buffer.from(hex, 'hex'), 10, encoding))).toThrow('a problem')
})

test('what is no UTF-16 is refused', async () => {
  expect(await settled(decode(Buffer.from([0xff, 0xfe, 0x00, 0xd8, 0x41, 0x00]), 10))).toThrow('a problem')
})

test.each([
  ['.xlsx', Buffer.from('504b030414000600', 'hex')],
  ['.xls', Buffer.from('d0cf11e0a1b11ae1', 'hex')],
])('an %s that is sent as CSV is told as such', async (_what, bytes) => {
  expect(await settled(decode(bytes, 2))).toThrow('This is a spreadsheet')
})
