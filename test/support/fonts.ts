import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const notoSans = join(import.meta.dir, '../../node_modules/@expo-google-fonts/noto-sans/400Regular/NotoSans_400Regular.ttf')

/** A font for Hebrew letters: Noto Sans under another name, with its glyphs of A, B, C …. */
export function hebrewFont(): Uint8Array {
  const font = readFileSync(notoSans)
  const tables = new Map<string, number>()
  for (let index = 0; index < font.readUInt16BE(4); index++) {
    const entry = 12 + index * 16
    tables.set(font.toString('latin1', entry, entry + 4), entry)
  }
  const nameEntry = tables.get('name')!
  const names = font.subarray(font.readUInt32BE(nameEntry + 8), font.readUInt32BE(nameEntry + 8) + font.readUInt32BE(nameEntry + 12))
  const utf16 = (text: string) => Buffer.from(text, 'utf16le').swap16()
  for (let at = names.indexOf(utf16('Noto Sans')); at >= 0; at = names.indexOf(utf16('Noto Sans'))) utf16('Alef Sans').copy(names, at)
  const cmap = Buffer.alloc(12 + 16 + 12)
  cmap.writeUInt16BE(1, 2)
  cmap.writeUInt16BE(3, 4)
  cmap.writeUInt16BE(10, 6)
  cmap.writeUInt32BE(12, 8)
  cmap.writeUInt16BE(12, 12)
  cmap.writeUInt32BE(28, 16)
  cmap.writeUInt32BE(1, 24)
  // From U+05D0 to U+05EA, at glyph 36.
  cmap.writeUInt32BE(0x5d0, 28)
  cmap.writeUInt32BE(0x5ea, 32)
  cmap.writeUInt32BE(36, 36)
  const cmapEntry = tables.get('cmap')!
  font.writeUInt32BE(font.length, cmapEntry + 8)
  font.writeUInt32BE(cmap.length, cmapEntry + 12)
  return new Uint8Array(Buffer.concat([font, cmap]))
}
