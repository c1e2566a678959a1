import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { datedBackups, expiredBackups } from '../../src/backup/schedule/retention'
import { readRetention, readSchedule } from '../../src/ops/settings/backup-settings'

describe('a schedule', () => {
  test.each([
    ['15 3 * * * Europe/Berlin', '2026-11-22T12:00:00Z', '2026-11-23T02:15:00.000Z'],
    ['15 3 * * * UTC', '2026-11-22T12:00:00Z', '2026-11-23T03:15:00.000Z'],
    ['0 */6 * * 1-5 UTC', '2026-11-21T12:00:00Z', '2026-11-23T00:00:00.000Z'],
    ['@daily America/New_York', '2026-11-22T12:00:00Z', '2026-11-23T05:00:00.000Z'],
    // The clock is put forward from 2:00 to 3:00, and back from 3:00 to 2:00.
    ['30 2 * * * Europe/Berlin', '2026-03-28T12:00:00Z', '2026-03-29T01:00:00.000Z'],
    ['30 2 * * * Europe/Berlin', '2026-10-25T00:30:00Z', '2026-10-26T01:30:00.000Z'],
  ])('%s has after %s the time %s', (text, after, expected) => {
    expect(readSchedule(text).next(new Date(after))?.toISOString()).toBe(expected)
  })

  test('without a zone is in that of the machine', () => {
    const { timeZone } = Intl.DateTimeFormat().resolvedOptions()
    expect(readSchedule('15 3 * * *').text).toBe(`15 3 * * * ${timeZone}`)
  })

  test('whose day never comes has no time', () => expect(readSchedule('0 0 30 2 * UTC').next(new Date())).toBeNull())

  test.each(['', 'x', '15 3 * *', '99 3 * * *', '* * * * * * *', '15 3 * * * Nowhere/Else', '15 3 * * * UTC more', '@sometimes'])(
    'is not %p',
    (text) => expect(() => readSchedule(text)).toThrow(/^(must be five fields as in crontab|names a time zone that does not exist)/),
  )
})

describe('a retention', () => {
  test('names numbers of backups', () => {
    expect(readRetention('last 3, 7 daily, 4 weekly,12 monthly')).toEqual({ last: 3, daily: 7, weekly: 4, monthly: 12 })
    expect(readRetention('3 weekly')).toEqual({ last: 0, daily: 0, weekly: 3, monthly: 0 })
    expect(readRetention('all')).toBeNull()
  })

  test.each(['', '7', '0 daily', 'last', '3 last', 'last 0', '7 yearly', 'daily', '-1 daily', '7 daily;4 weekly', '99999 daily'])(
    'is not %p',
    (text) => expect(() => readRetention(text)).toThrow(/^must /),
  )

  const named = (at: Date) => `rowhouse-${at.toISOString().replace(/[-:]|\.\d+/g, '')}.tar.zst`
  const keptOf = (times: string[], text: string) => {
    const backups = datedBackups(
      times.map((time) => named(new Date(time))),
      { isProven: true },
    )
    const gone = expiredBackups(backups, readRetention(text))
    return backups.filter((backup) => !gone.includes(backup)).map(({ at }) => at.toISOString().slice(0, 16))
  }

  test('keeps the newest of each of the last days, weeks and months', () => {
    const times = [
      '2026-11-23T03:15Z',
      '2026-11-23T01:00Z',
      '2026-11-22T03:15Z',
      '2026-11-21T03:15Z',
      '2026-11-15T03:15Z',
      '2026-10-31T03:15Z',
      '2026-10-01T03:15Z',
    ]
    expect(keptOf(times, '2 daily')).toEqual(['2026-11-23T03:15', '2026-11-22T03:15'])
    // November 23 is a Monday.
    expect(keptOf(times, '3 weekly')).toEqual(['2026-11-23T03:15', '2026-11-22T03:15', '2026-11-15T03:15'])
    expect(keptOf(times, '5 monthly')).toEqual(['2026-11-23T03:15', '2026-10-31T03:15'])
    expect(keptOf(times, 'last 3')).toEqual(['2026-11-23T03:15', '2026-11-23T01:00', '2026-11-22T03:15'])
    expect(keptOf(times, 'last 2, 1 daily')).toEqual(['2026-11-23T03:15', '2026-11-23T01:00'])
    expect(keptOf(times, 'all')).toHaveLength(7)
  })

  test('never loses the newest, keeps no more than it says, and keeps the same when it is asked again', () => {
    const time = fc.integer({ min: Date.UTC(2020, 0), max: Date.UTC(2030, 0) }).map((ms) => new Date(Math.floor(ms / 1000) * 1000))
    const retention = fc
      .record({ last: fc.nat(5), daily: fc.nat(9), weekly: fc.nat(6), monthly: fc.nat(14) })
      .filter(({ last, daily, weekly, monthly }) => last + daily + weekly + monthly > 0)
    fc.assert(
      fc.property(fc.uniqueArray(time, { minLength: 1, maxLength: 60, selector: Number }), retention, (times, kept) => {
        const backups = times.map((at) => ({ name: named(at), at }))
        const gone = expiredBackups(backups, kept)
        const left = backups.filter((backup) => !gone.includes(backup))
        expect(Math.max(...left.map(({ at }) => Number(at)))).toBe(Math.max(...times.map(Number)))
        expect(left.length).toBeLessThanOrEqual(kept.last + kept.daily + kept.weekly + kept.monthly)
        expect(expiredBackups(left, kept)).toEqual([])
      }),
    )
  })

  test('is for names of its own alone', () => {
    const names = [
      'rowhouse-20261123T031500Z.tar.zst',
      'rowhouse-20261123T031500Z.tar.zst.age',
      'rowhouse-20261123T031500Z.tar.zst.unproven',
    ]
    const others = [
      'mine.tar.zst',
      'rowhouse-20261123T031500Z.tar.zst.part',
      'x-rowhouse-20261123T031500Z.tar.zst',
      'rowhouse-20269923T031500Z.tar.zst',
    ]
    expect(datedBackups([...names, ...others], { isProven: true }).map(({ name }) => name)).toEqual(names.slice(0, 2))
    expect(datedBackups([...names, ...others], { isProven: false }).map(({ name }) => name)).toEqual(names.slice(2))
  })
})
