import { expect, test } from 'bun:test'
import { chooseForVerification, verificationOf } from '../../src/backup/proof/verify'

const now = new Date('2026-11-26T12:00:00Z')
const daysAgo = (days: number) => new Date(now.getTime() - days * 86_400_000)

test.each([
  [
    'the oldest of those that were never tried out again',
    [
      ['a', 30],
      ['b', 20],
      ['c', 1],
    ],
    [],
    'a',
  ],
  [
    'the one whose verification is the longest ago',
    [
      ['a', 30],
      ['b', 20],
    ],
    [
      ['a', 8],
      ['b', 9],
    ],
    'b',
  ],
  [
    'one that was never tried out before others',
    [
      ['a', 30],
      ['b', 20],
    ],
    [['a', 8]],
    'b',
  ],
  [
    'none within a week of the last verification',
    [
      ['a', 30],
      ['b', 20],
    ],
    [['a', 6]],
    null,
  ],
  ['none that is younger than a week', [['a', 6]], [], null],
  ['none where there is none', [], [], null],
] as [string, [string, number][], [string, number][], string | null][])(
  'each week the service tries out %s',
  (_, backups, verifications, expected) => {
    const dated = backups.map(([name, days]) => ({ name, at: daysAgo(days) }))
    const files = new Map([
      ...dated.map(({ name, at }) => [name, { changedAt: at }] as const),
      ...verifications.map(([name, days]) => [verificationOf(name), { changedAt: daysAgo(days) }] as const),
    ])
    expect(chooseForVerification(files, dated, now)).toBe(expected)
  },
)

test('one that could not be tried out waits until there is no other', () => {
  const dated = ['a', 'b'].map((name, index) => ({ name, at: daysAgo(30 - index) }))
  const files = new Map(dated.map(({ name, at }) => [name, { changedAt: at }]))
  expect(chooseForVerification(files, dated, now, new Set(['a']))).toBe('b')
  expect(chooseForVerification(files, dated, now, new Set(['a', 'b']))).toBe('a')
})
