import { beforeAll, describe, expect, test } from 'bun:test'
import { toJson } from '../../src/web/browser/fields/field-draft'
import { locale } from '../../src/web/browser/language'
import { formatDate, formatTimestamp } from '../../src/web/browser/values/format'
import { toLocalTimestamp, toUtcTimestamp } from '../../src/web/browser/values/timestamps'
import { type DateKind, readTypedDate, toTypedDate } from '../../src/web/browser/values/typed-dates'

const speak = (language: string) => Object.defineProperty(navigator, 'languages', { value: [language], configurable: true })
beforeAll(() => void speak('en-GB'))

/** Every ninth day of some years: each month and each day of the week. */
const days = Array.from({ length: 200 }, (_, index) => new Date(Date.UTC(2024, 0, 1 + index * 9)).toISOString().slice(0, 10))

describe.each(['en-GB', 'en-US', 'en-CA', 'en-AU', 'en-IN', 'en-IE', 'en-ZA', 'en'])('in %s', (language) => {
  test.each([undefined, 'short', 'long', 'iso'])('a day of the form %s is edited as cells show it, and read again', (dateFormat) => {
    speak(language)
    expect(locale()).toBe(language)
    for (const day of days) {
      expect(toTypedDate('date', day, { dateFormat })).toBe(formatDate(`${day}T00:00:00`, { dateFormat }))
      expect(readTypedDate('date', toTypedDate('date', day, { dateFormat }))).toBe(day)
    }
  })

  test('a timestamp is edited as cells show it, and keeps its seconds', () => {
    speak(language)
    for (const day of days.slice(0, 41)) {
      expect(toTypedDate('dateTime', `${day}T00:30`)).toBe(formatTimestamp(`${day}T00:30`))
      for (const time of ['00:00', '12:00', '12:30:15', '23:59:59.250']) {
        const local = `${day}T${time}`
        const read = readTypedDate('dateTime', toTypedDate('dateTime', local, { dateFormat: 'long' }))
        expect(read).toBe(toUtcTimestamp(local))
      }
    }
  })
})

test.each<[DateKind, string]>([
  ['date', ''],
  ['date', 'infinity'],
  ['date', '0026-01-12'],
  ['date', '12026-01-12'],
  ['date', 'next week'],
  ['time', '08:30:00.123456'],
  ['dateTime', 'infinity'],
  ['dateTime', '2026-01-31T11:00:00.123456+00:00'],
  ['dateTime', '0044-03-15T12:00:00+00:00 BC'],
])('a %s that its form cannot show is edited as it is: %p', (kind, value) => {
  speak('en-GB')
  expect(toTypedDate(kind, value)).toBe(value)
})

test('an offset typed in the hour that clocks show twice is kept', () => {
  const before = process.env.TZ
  process.env.TZ = 'Europe/Berlin'
  try {
    speak('en-GB')
    const [first, second] = ['2026-10-25T00:30:00.000Z', '2026-10-25T01:30:00.000Z']
    expect([first, second].map(toLocalTimestamp)).toEqual(['2026-10-25T02:30', '2026-10-25T02:30:00+01:00'])
    expect(toLocalTimestamp('2026-10-25T02:30:15.250+01:00')).toBe('2026-10-25T02:30:15.250+01:00')
    expect(toLocalTimestamp('2026-10-25T03:30:00+01:00')).toBe('2026-10-25T03:30')
    for (const text of ['2026-10-25 02:30+01:00', '2026-10-25T01:30Z', '25.10.2026 02:30+01:00']) {
      const draft = toLocalTimestamp(String(readTypedDate('dateTime', text)))
      expect(Date.parse(JSON.parse(toJson({ type: 'dateTime' }, draft)!))).toBe(Date.parse(second))
      // The text that the input shows once it is left, and what it then means.
      const shown = toTypedDate('dateTime', draft)
      expect(shown).toBe('2026-10-25 02:30:00+01:00')
      expect(Date.parse(String(readTypedDate('dateTime', shown)))).toBe(Date.parse(second))
    }
    expect(Date.parse(toUtcTimestamp(toLocalTimestamp(second)))).toBe(Date.parse(second))
  } finally {
    process.env.TZ = before
  }
})
