import { expect, test } from 'bun:test'
import { mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { listBackups } from '../../src/backup/inventory/list'
import { mergeWindows } from '../../src/backup/inventory/window'
import { openStore } from '../../src/backup/store'
import { objectNameOf } from '../../src/backup/wal/segment'
import { readConfig } from '../../src/ops/settings/config'
import { forgedBackup, manifestText } from '../support/archives'
import { newFolder } from '../support/executable'

const at = (minute: number) => new Date(Date.UTC(2026, 10, 26, 10, minute))
const hash = 'ab'.repeat(32)
const segmentName = (number: number) => `0000000100000000000000${number.toString(16).toUpperCase().padStart(2, '0')}`

/** Segments by number, and the minute when each was archived. */
type Archived = [number: number, minute: number, hash?: string][]

/** @param start number of the segment that the recovery of the backup begins with; null without a label */
async function logOf(segments: Archived, start: number | null) {
  const folder = newFolder()
  const label =
    start === null ? [] : [{ name: 'postgres/backup_label', text: `START WAL LOCATION: 0/${start}000028 (file ${segmentName(start)})\n` }]
  const manifest = manifestText({ createdAt: at(4).toISOString(), walArchive: 'one' })
  writeFileSync(join(folder, 'a.tar.zst'), await forgedBackup([...label, { name: 'postgres/PG_VERSION', text: '18' }], manifest))
  mkdirSync(join(folder, 'wal/one/wal'), { recursive: true })
  for (const [number, minute, sha256 = hash] of segments) {
    const path = join(folder, 'wal/one/wal', objectNameOf({ segment: segmentName(number), sha256, isEncrypted: false }))
    writeFileSync(path, 'x')
    utimesSync(path, at(minute), at(minute))
  }
  const config = readConfig({})
  const { signal } = new AbortController()
  const store = openStore(folder, config)
  const [found] = await listBackups({ store, walArchive: join(folder, 'wal'), passphrase: undefined, config, signal })
  return { problem: found!.problem, ...found!.log }
}

test.each([
  [
    'a whole log up to its end',
    [
      [1, 1],
      [2, 5],
      [3, 9],
    ],
    2,
    { until: at(9), isBroken: false },
  ],
  [
    'none that begins later than it needs',
    [
      [3, 5],
      [4, 9],
    ],
    2,
    { until: null, isBroken: true },
  ],
  [
    'a log that was copied to another place, and has other times',
    [
      [1, 40],
      [2, 40],
      [4, 40],
    ],
    2,
    { until: at(40), isBroken: true },
  ],
  ['no log that has come since', [[1, 1]], 2, { until: null, isBroken: false }],
  ['no log at all', [], 2, { until: null, isBroken: false }],
  [
    'the log before its gap',
    [
      [1, 1],
      [2, 5],
      [4, 9],
    ],
    2,
    { until: at(5), isBroken: true },
  ],
  [
    'none where the gap comes first',
    [
      [1, 1],
      [3, 5],
      [4, 9],
    ],
    2,
    { until: null, isBroken: true },
  ],
  [
    'none of two logs that have the same name',
    [
      [1, 1],
      [2, 5],
      [2, 6, 'cd'.repeat(32)],
      [3, 9],
    ],
    2,
    { until: null, isBroken: true },
  ],
  [
    'none where it does not say where its log begins',
    [
      [1, 1],
      [2, 5],
    ],
    null,
    { until: null, isBroken: false },
  ],
] as [string, Archived, number | null, object][])('a backup is followed by %s', async (_, segments, start, expected) => {
  expect(await logOf(segments, start)).toEqual({ problem: null, ...expected } as never)
})

test('a backup that its last verification has found damaged is listed with that', async () => {
  const folder = newFolder()
  const manifest = manifestText({ createdAt: at(4).toISOString() })
  writeFileSync(join(folder, 'a.tar.zst'), await forgedBackup([{ name: 'postgres/PG_VERSION', text: '18' }], manifest))
  const config = readConfig({})
  const { signal } = new AbortController()
  const problemWith = async (text: string) => {
    writeFileSync(join(folder, 'a.tar.zst.verified'), text)
    const [found] = await listBackups({ store: openStore(folder, config), walArchive: undefined, passphrase: undefined, config, signal })
    return found!.problem
  }
  expect(await problemWith('{"at":"2026-11-26T10:05:00Z","problem":"A page is damaged."}\n')).toBe('It is damaged. A page is damaged.')
  for (const text of ['{"at":"2026-11-26T10:05:00Z","problem":null}\n', 'null', '']) expect(await problemWith(text)).toBeNull()
})

test('windows that touch are one', () => {
  const windows = [
    { from: at(20), until: at(30) },
    { from: at(1), until: at(5) },
    { from: at(4), until: at(9) },
    { from: at(2), until: at(3) },
    { from: at(40), until: at(40) },
  ]
  expect(mergeWindows(windows)).toEqual([
    { from: at(1), until: at(9) },
    { from: at(20), until: at(30) },
    { from: at(40), until: at(40) },
  ])
})
