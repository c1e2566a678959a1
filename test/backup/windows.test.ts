import { expect, test } from 'bun:test'
import { mergeWindows, windowOf } from '../../src/backup/inventory/window'
import { objectNameOf } from '../../src/backup/wal/segment'

const at = (minute: number) => new Date(Date.UTC(2026, 10, 26, 10, minute))
const hash = 'ab'.repeat(32)
/** Segments by number, and the minute when each was archived. */
const archive = (segments: [number: number, minute: number, hash?: string][]) =>
  new Map(
    segments.map(([number, minute, sha256 = hash]) => [
      objectNameOf({ segment: `0000000100000000000000${number.toString(16).toUpperCase().padStart(2, '0')}`, sha256, isEncrypted: false }),
      { bytes: 1, changedAt: at(minute) },
    ]),
  )

test.each([
  [
    'a whole log up to its end',
    [
      [1, 1],
      [2, 5],
      [3, 9],
    ],
    4,
    { until: at(9), isBroken: false },
  ],
  [
    'a log of which the beginning was removed',
    [
      [2, 5],
      [3, 9],
    ],
    4,
    { until: at(9), isBroken: false },
  ],
  [
    'no log that has come since',
    [
      [1, 1],
      [2, 3],
    ],
    4,
    { until: null, isBroken: false },
  ],
  ['no log at all', [], 4, { until: null, isBroken: false }],
  [
    'the log before its gap',
    [
      [1, 1],
      [2, 5],
      [4, 9],
    ],
    4,
    { until: at(5), isBroken: true },
  ],
  [
    'none where the gap comes first',
    [
      [1, 1],
      [3, 5],
      [4, 9],
    ],
    4,
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
    4,
    { until: null, isBroken: true },
  ],
] as [string, [number, number, string?][], number, object][])('a backup is followed by %s', (_, segments, minute, expected) => {
  const found = windowOf(archive(segments), at(minute))
  expect(found).toEqual(expected as typeof found)
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
