import { describe, expect, test } from 'bun:test'
import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { type BackupManifest, requireRestorable } from '../../src/backup/archive/manifest'
import { unpackBackup } from '../../src/backup/copy/unpack'
import { contentsText, type ForgedEntry, faultOf, forgedBackup, manifestText, piecesOf, sealOf } from '../support/archives'
import { newFolder } from '../support/executable'

/** Tries to unpack it. @returns what was said, and what lies beside the folder that it was to go into */
async function unpack(bytes: Uint8Array) {
  const outside = newFolder()
  const folder = join(outside, 'a/b')
  mkdirSync(folder, { recursive: true })
  const signal = new AbortController().signal
  const problem = await unpackBackup(piecesOf(bytes), {
    folder,
    passphrase: undefined,
    signal,
    isWanted: () => true,
    begin: () => {},
  }).then(
    () => null,
    (error: Error) => error.message,
  )
  return { problem, outside: [...readdirSync(outside), ...readdirSync(join(outside, 'a'))] }
}

const refused: [string, ForgedEntry[], RegExp | string][] = [
  ['a way up', [{ name: 'postgres/../../x', text: 'x' }], 'lies outside'],
  ['a way up at once', [{ name: '../x', text: 'x' }], 'lies outside'],
  ['a folder above', [{ name: 'files/../../x/', type: 'directory' }], 'lies outside'],
  ['a path from the root', [{ name: '/tmp/rowhouse-hostile', text: 'x' }], 'lies outside'],
  ['a name of several blocks', [{ name: `files/${'x'.repeat(300)}`, text: 'x' }], /is a link or a device|damaged/],
  ['a link', [{ name: 'postgres/base', type: 'symlink', linkname: '/tmp' }], 'is a link or a device'],
  ['a hard link', [{ name: 'postgres/a', type: 'link', linkname: '/etc/passwd' }], 'is a link or a device'],
  ['a device', [{ name: 'postgres/a', type: 'character-device', devmajor: 1, devminor: 3 }], 'is a link or a device'],
  ['a pipe', [{ name: 'postgres/a', type: 'fifo' }], 'is a link or a device'],
  ['a program of its own', [{ name: 'runtime/bin/postgres', text: 'x' }], 'something unexpected'],
  ['settings of its own', [{ name: 'conf/pg_hba.conf', text: 'x' }], 'something unexpected'],
  ['a second manifest', [{ name: 'rowhouse-backup.json', text: manifestText() }], 'it has a second beginning'],
  ['no database', [{ name: 'files/a', text: 'x' }], /is missing|there is no database in it/],
]

test.each(refused)('a forged backup with %s is refused, unpacked or only looked at', async (_what, entries, sentence) => {
  const bytes = await forgedBackup(entries)
  const { problem, outside } = await unpack(bytes)
  expect(problem).toMatch(sentence)
  expect(await faultOf(bytes)).toMatch(sentence)
  expect(outside).toEqual(['a', 'b'])
})

test('a file that is in it twice is written once', async () => {
  const { problem } = await unpack(
    await forgedBackup([
      { name: 'files/a', text: 'x' },
      { name: 'files/a', text: 'y' },
    ]),
  )
  expect(problem).toContain('file already exists')
})

describe('a length that is not so is refused:', () => {
  /** The header of a file, or of what says more of the next one, with a size of its own. */
  const header = (size: string, type = '0') => {
    const block = Buffer.alloc(512)
    block.write('files/huge', 0)
    block.write('0000600\0', 100)
    block.write('0000000\0', 108)
    block.write('0000000\0', 116)
    if (size.startsWith('\x80')) block.write(size, 124, 'latin1')
    else block.write(`${size}\0`, 124)
    block.write('00000000000\0', 136)
    block.write('        ', 148)
    block.write(type, 156)
    block.write('ustar\x0000', 257)
    block.write(
      `${block
        .reduce((sum, byte) => sum + byte, 0)
        .toString(8)
        .padStart(6, '0')}\0 `,
      148,
    )
    return block
  }
  test.each([
    ['a file of 8 GB that ends at once', header('77777777777')],
    ['a file of 2^63 bytes', header('\x80\0\0\0\x7f\xff\xff\xff\xff\xff\xff\xff')],
    ['a negative length', header('\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff')],
    ['a header of 1 GB', header('10000000000', 'x')],
    ['a name of 1 GB', header('10000000000', 'L')],
  ])('%s', async (_what, rest) => {
    const bytes = await forgedBackup(
      [{ name: 'postgres/PG_VERSION', text: '18' }],
      manifestText(),
      Buffer.concat([rest, Buffer.alloc(1024)]),
    )
    expect(await faultOf(bytes)).toMatch(/damaged or was cut off|is a link or a device|lies outside/)
    expect((await unpack(bytes)).problem).toBe(await faultOf(bytes))
  })

  test('a manifest that does not end', async () => {
    expect(await faultOf(await forgedBackup([], manifestText({ rowhouse: 'x'.repeat(3 * 2 ** 20) })))).toBe(
      'This is not a backup of Rowhouse.',
    )
  })
})

test.each([
  ['nothing', new Uint8Array()],
  ['a text', Buffer.from('hello')],
  ['only zeros', new Uint8Array(10_000)],
])('%s is no backup', async (_what, bytes) => {
  expect(await faultOf(bytes)).toMatch(/not a backup of Rowhouse|damaged/)
})

test('another tar with a seal is no backup', async () => {
  expect(await faultOf(await sealOf(Bun.zstdCompressSync(new Uint8Array(10_240))))).toBe('This is not a backup of Rowhouse.')
})

test.each([
  ['another form', { format: 2 }, 'in a format that this one'],
  ['contents that are no JSON', null, 'not a backup of Rowhouse'],
])('%s is refused', async (_what, difference, sentence) => {
  const said = difference === null ? '{' : manifestText(difference)
  expect(await faultOf(await forgedBackup([{ name: 'postgres/PG_VERSION', text: contentsText }], said))).toContain(sentence)
})

test.each([
  ['an older PostgreSQL', { postgres: 17 }, 'this one holds PostgreSQL 18. Restore it with the release that made it, and bring it over'],
  ['a newer PostgreSQL', { postgres: 19 }, 'with PostgreSQL 19, and this one holds PostgreSQL 18. Use the newer release.'],
  ['another platform', { platform: 'plan9-mips' }, 'on plan9-mips, and this is'],
  ['a newer Rowhouse', { rowhouse: '9.0.0', migration: '9999_future' }, 'newer than this one'],
])('a backup of %s cannot be restored, and says why', (_what, difference, sentence) => {
  const manifest = JSON.parse(manifestText(difference)) as BackupManifest
  expect(() => requireRestorable(manifest)).toThrow(sentence)
})

test('a backup of an older release can be restored', () => {
  for (const migration of ['0000_initial', '0130_exempt_attempts', null])
    requireRestorable(JSON.parse(manifestText({ rowhouse: '0.0.1', migration })) as BackupManifest)
})
