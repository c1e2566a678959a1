import { beforeAll, describe, expect, test } from 'bun:test'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pack } from 'tar-stream'
import { newFolder, run } from '../support/executable'
import { usedDataDir } from '../support/used-data'

let good: Uint8Array<ArrayBuffer>

beforeAll(async () => {
  const file = join(newFolder(), 'good')
  const { dataDir } = await usedDataDir()
  const { code, stderr } = await run(['backup', file], { environment: { ROWHOUSE_DATA_DIR: dataDir } })
  if (code !== 0) throw new Error(stderr)
  good = new Uint8Array(readFileSync(file))
}, 60_000)

/** Tries to restore these bytes in a folder of its own. @returns what was said, and all that is in that folder then */
async function restore(bytes: Uint8Array, before: (folder: string) => void = () => {}, dataDir = 'new/data') {
  const folder = newFolder()
  before(folder)
  const file = join(newFolder(), 'backup')
  writeFileSync(file, bytes)
  const { code, stderr, stdout } = await run(['restore', file], { cwd: folder, environment: { ROWHOUSE_DATA_DIR: join(folder, dataDir) } })
  return { code, stderr, stdout, left: readdirSync(folder, { recursive: true }).map(String).sort() }
}

type Item = Parameters<ReturnType<typeof pack>['entry']>[0] & { text?: string }

const manifest = {
  format: 1,
  rowhouse: '0.1.0',
  postgres: 18,
  platform: `${process.platform}-${process.arch}`,
  createdAt: '2026-01-01T00:00:00Z',
  migration: null,
  attachments: 'disk',
}

const listed = (entries: Item[]) =>
  entries
    .filter(({ type }) => type !== 'directory')
    .map(({ name, text = '' }) =>
      JSON.stringify({ name, size: text.length, sha256: new Bun.CryptoHasher('sha256').update(text).digest('hex') }),
    )
    .join('\n')

/** As somebody would make it who knows how, with a list that fits. */
async function forged(items: Item[], said: object = manifest): Promise<Uint8Array> {
  const tar = pack()
  const entries: Item[] = [{ name: 'rowhouse-backup.json', text: JSON.stringify(said) }, ...items]
  for (const { text = '', ...header } of [...entries, { name: 'rowhouse-backup.list', text: `${listed(entries)}\n` }])
    tar.entry(header, text)
  tar.finalize()
  const chunks: Uint8Array[] = []
  for await (const chunk of tar) chunks.push(chunk as Uint8Array)
  return Bun.zstdCompressSync(Buffer.concat(chunks))
}

describe('is refused, and nothing is written', () => {
  test.each([0.3, 0.9, 0.999])('a backup that was cut after %d of it', async (part) => {
    const { code, stderr, left } = await restore(good.slice(0, Math.floor(good.length * part)))
    expect([code, left]).toEqual([1, []])
    expect(stderr).toMatch(/damaged or was cut off|no backup of Rowhouse/)
  })

  test.each([0.001, 0.2, 0.7, 0.9999])('a backup with another byte after %d of it', async (part) => {
    const bytes = good.slice()
    bytes[Math.floor(bytes.length * part)]! ^= 0x10
    const { code, stderr, left } = await restore(bytes)
    expect([code, left]).toEqual([1, []])
    expect(stderr).toMatch(/damaged or was cut off|no backup of Rowhouse/)
  })

  test('bytes that were changed with the compression made anew', async () => {
    const tar = Buffer.from(Bun.zstdDecompressSync(good))
    tar[tar.indexOf('rowhouse backup')]! ^= 0x10
    const { code, stderr, left } = await restore(Bun.zstdCompressSync(tar))
    expect([code, left]).toEqual([1, []])
    expect(stderr).toContain('postgres/backup_label has other bytes than were written')
  })

  test.each([
    ['nothing', new Uint8Array()],
    ['a text', Buffer.from('hello')],
    ['a tar that is no backup', Bun.zstdCompressSync(new Uint8Array(10_240))],
  ])('%s', async (_what, bytes) => {
    const { code, stderr, left } = await restore(bytes)
    expect([code, stderr, left]).toEqual([1, 'rowhouse: This is no backup of Rowhouse.\n', []])
  })

  test.each<[string, Item[], string]>([
    ['a way up', [{ name: 'postgres/../../x', text: 'x' }], 'lies outside'],
    ['a way up at once', [{ name: '../x', text: 'x' }], 'lies outside'],
    ['a folder above', [{ name: 'files/../../x/', type: 'directory' }], 'lies outside'],
    ['a path from the root', [{ name: '/tmp/rowhouse-hostile', text: 'x' }], 'lies outside'],
    [
      'a link',
      [
        { name: 'postgres/base', type: 'symlink', linkname: '/tmp' },
        { name: 'postgres/base/rowhouse-hostile', text: 'x' },
      ],
      'is a link or a device',
    ],
    ['a hard link', [{ name: 'postgres/a', type: 'link', linkname: '/etc/passwd' }], 'is a link or a device'],
    ['a device', [{ name: 'postgres/a', type: 'character-device', devmajor: 1, devminor: 3 }], 'is a link or a device'],
    ['a pipe', [{ name: 'postgres/a', type: 'fifo' }], 'is a link or a device'],
    ['a program of its own', [{ name: 'runtime/bin/postgres', text: 'x' }], 'does not belong into it'],
    ['settings of its own', [{ name: 'conf/pg_hba.conf', text: 'x' }], 'does not belong into it'],
    [
      'a file twice',
      [
        { name: 'files/a', text: 'x' },
        { name: 'files/a', text: 'y' },
      ],
      'cannot be written: file already exists',
    ],
    ['a second manifest', [{ name: 'rowhouse-backup.json', text: '{}' }], 'does not belong into it'],
  ])('a forged one with %s', async (_what, items, sentence) => {
    const { code, stderr, left } = await restore(await forged(items))
    expect([code, left]).toEqual([1, []])
    expect(stderr).toStartWith('rowhouse: ')
    expect(stderr).toContain(sentence)
    expect(existsSync('/tmp/rowhouse-hostile')).toBe(false)
  })

  test.each([
    ['another form', { format: 2 }, 'in a form that this one'],
    ['another PostgreSQL', { postgres: 17 }, 'with PostgreSQL 17, and this one holds PostgreSQL 18'],
    ['another platform', { platform: 'darwin-arm64' }, 'on darwin-arm64, and this is'],
    ['a newer Rowhouse', { rowhouse: '9.0.0', migration: '9999_future' }, 'newer than this one'],
  ])('a backup of %s', async (_what, difference, sentence) => {
    const { code, stderr, left } = await restore(await forged([], { ...manifest, ...difference }))
    expect([code, stderr, left]).toEqual([1, expect.stringContaining(sentence), []])
  })

  test('a backup that holds no database', async () => {
    const { code, stderr, left } = await restore(await forged([{ name: 'files/a', text: 'x' }]))
    expect([code, stderr, left]).toEqual([1, 'rowhouse: There is no database in this backup.\n', []])
  })

  test('a folder that is not empty', async () => {
    const { code, stderr, left } = await restore(
      good,
      (folder) => {
        mkdirSync(join(folder, 'data'))
        writeFileSync(join(folder, 'data/mine'), 'mine')
      },
      'data',
    )
    expect([code, left]).toEqual([1, ['data', 'data/mine']])
    expect(stderr).toContain('data is not empty (mine), and nothing is written over. Name a new folder with --data-dir')
  })
})

test('what a restore that was killed has left does not keep the next from an empty folder', async () => {
  const { code, stdout } = await restore(good, (folder) => mkdirSync(join(folder, 'data/restoring/postgres'), { recursive: true }), 'data')
  expect([code, stdout]).toEqual([0, expect.stringContaining('1 table, 0 records, 1 user, 0 attachments')])
}, 60_000)
