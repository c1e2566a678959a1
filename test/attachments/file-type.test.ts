import { describe, expect, test } from 'bun:test'
import { findType, isAccepted } from '../../src/attachments/file-type'
import { picture } from '../support/attachments'

const emptyZip = Uint8Array.from([0x50, 0x4b, 5, 6, ...Array<number>(18).fill(0)])
const ofOldWord = Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.alloc(600)])
const text = (value: string) => Buffer.from(value)
const png = await picture(3, 3)

/** `accept`, the name, the bytes, and whether a column takes them. */
const cases: [string, string, Uint8Array, boolean][] = [
  ['.pdf', 'a.pdf', text('%PDF-1.7\n'), true],
  ['.pdf', 'a.PDF', text('%PDF-1.7\n'), true],
  ['.pdf', 'a.pdf', text('just text'), false],
  ['.pdf', 'a.pdf', emptyZip, false],
  ['.pdf', 'a.pdf', Uint8Array.from([0, 1, 2]), false],
  ['.pdf', 'a.pdf', new Uint8Array(0), false],
  ['.pdf', 'a.txt', text('%PDF-1.7\n'), false],
  ['.png', 'a.png', png, true],
  ['.png', 'a.png', text('<html><script>alert(1)</script>'), false],
  ['.jpeg', 'a.jpg', png, false],
  ['image/*', 'a.exe', png, true],
  ['image/png', 'a.png', text('GIF89a'), false],
  ['.docx', 'a.docx', emptyZip, true],
  ['.docx', 'a.docx', text('just text'), false],
  ['.doc', 'a.doc', ofOldWord, true],
  ['.pdf', 'a.pdf', ofOldWord, false],
  ['.csv', 'a.csv', text('a,b\n'), true],
  ['.csv', 'a.csv', Buffer.from('a,\xe4\n', 'latin1'), true],
  ['.csv', 'a.csv', text('<!doctype html><script>'), false],
  ['.txt', 'a.txt', text('<svg onload="alert(1)"/>'), false],
  ['.svg', 'a.svg', text('<svg xmlns="http://www.w3.org/2000/svg"/>'), true],
  ['.html', 'a.htm', text('<html>'), true],
  ['.xml', 'a.xml', text('<?xml version="1.0"?><a/>'), true],
  ['.vcf', 'a.vcf', text('\ufeffBEGIN:VCARD'), true],
  ['.blend1', 'a.blend1', Uint8Array.from([0, 1, 2]), true],
]

describe('a column that takes', () => {
  test.each(cases)('%s asked for %s', async (pattern, name, bytes, isTaken) => {
    expect(isAccepted([pattern], await findType(bytes, name), name)).toBe(isTaken)
  })
})
