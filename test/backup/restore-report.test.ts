import { describe, expect, test } from 'bun:test'
import { type BackupManifest, newManifest } from '../../src/backup/archive/manifest'
import type { Restored } from '../../src/backup/restore/restore'
import { describeRestored } from '../../src/commands/backup/restore-report'

const createdAt = '2026-11-23T03:15:00.000Z'
const read = {
  manifest: newManifest({ createdAt, migration: null, attachments: 'disk' }),
  contents: { tables: 1, records: 2, users: 1, attachments: 0, databaseBytes: 3, fileBytes: 0 },
}
const restored: Restored = { dataDir: '/data', followed: null, lost: { count: 0, first: null, brought: 0 }, bucket: null }
const [time, lastChangeAt] = [new Date('2026-11-23T10:15:00Z'), new Date('2026-11-23T10:00:00Z')]

describe('a restore along the archive says how far it went', () => {
  test.each([
    [
      'a time that is reached',
      { lastChangeAt, isTargetReached: true },
      time,
      'the last change in it is of 2026-11-23T10:00:00.000Z.',
      false,
    ],
    ['a time without a change before', { lastChangeAt: null, isTargetReached: true }, time, 'nothing has changed since then.', false],
    [
      'a time after the archive',
      { lastChangeAt, isTargetReached: false },
      time,
      'the archive of the log ends before the requested time: the last change in it is of 2026-11-23T10:00:00.000Z.',
      true,
    ],
    [
      'a time with an archive that has nothing',
      { lastChangeAt: null, isTargetReached: false },
      time,
      'the archive of the log ends before the requested time, and has no change after the backup.',
      true,
    ],
    ['latest', { lastChangeAt, isTargetReached: false }, 'latest', 'the last change in it is of 2026-11-23T10:00:00.000Z.', false],
    [
      'latest with an archive that has nothing',
      { lastChangeAt: null, isTargetReached: false },
      'latest',
      'the archive of the log has no change after it.',
      false,
    ],
  ] as const)('%s', (_what, followed, target, said, isMissing) => {
    const { lines, missing } = describeRestored({ ...restored, followed }, read, target)
    const line = `The backup is of ${createdAt}; ${said}`
    expect(lines).toEqual(['Restored into /data.', line, 'Start it with: rowhouse serve --data-dir=/data'])
    expect(missing).toEqual(isMissing ? [line] : [])
  })
})

test('lost attachments are printed with --quiet, too', () => {
  const lost = { count: 2, first: { id: '7', name: 'scan.pdf' }, brought: 0 }
  const { lines, missing } = describeRestored({ ...restored, followed: { lastChangeAt, isTargetReached: true }, lost }, read, time)
  expect(missing).toEqual([
    expect.stringMatching(/^2 attachments are neither in the backup nor in the archive, scan\.pdf \(7\) among them/),
  ])
  expect(lines).toContain(missing[0]!)
})

test('attachments that were in a bucket by then are not lost, and --quiet names the bucket', () => {
  const place = 's3://pictures/team/'
  const lost = { count: 2, first: { id: '7', name: 'scan.pdf' }, brought: 1 }
  const along = { ...restored, followed: { lastChangeAt, isTargetReached: true }, bucket: place }
  const { lines, missing } = describeRestored({ ...along, lost }, read, time)
  expect(missing).toEqual([`Attachments were in ${place} by then, and 2 of them only there: set S3_BUCKET and S3_PREFIX to that.`])
  expect(lines).toContain(missing[0]!)
  expect(lines.join()).not.toContain('nor in the archive')
  expect(describeRestored(along, read, time).missing).toEqual([])
})

test('a restore without the log says until when changes are in the backup', () => {
  const logical = { schemas: ['data'], server: '18.1', extensions: [], roles: [] }
  const timesOf = (manifest: BackupManifest) => describeRestored(restored, { ...read, manifest }, null).lines[1]
  expect(timesOf(read.manifest)).toBe(`The backup began at ${createdAt}; what was changed after the database was copied is not in it.`)
  expect(timesOf({ ...read.manifest, logical })).toBe(`The backup is of ${createdAt}; what was changed since then is not in it.`)
})
