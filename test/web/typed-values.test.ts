import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { roundDecimal, toJsonNumber, toTypedNumber } from '../../src/web/browser/values/decimal'
import { normalizeDate, normalizeTime, toLocalTimestamp, toUtcTimestamp } from '../../src/web/browser/values/timestamps'

describe('a moment', () => {
  test.each(['infinity', '-infinity', '0044-03-15T12:00:00+00:00 BC', '12026-01-01T00:00:00+00:00', '2026-01-31T11:00:00.123456+00:00'])(
    '%s is no local time to the millisecond, and stays as it is',
    (text) => {
      expect(toLocalTimestamp(text)).toBe(text)
      expect(toUtcTimestamp(text)).toBe(text)
    },
  )

  test('to the millisecond goes through a control and back', () => {
    const moments = fc.date({ min: new Date('0001-01-03T00:00:00Z'), max: new Date('9999-12-29T00:00:00Z'), noInvalidDate: true })
    fc.assert(
      fc.property(moments, (moment) => {
        const local = toLocalTimestamp(moment.toISOString())
        expect(toUtcTimestamp(local)).toBe(moment.toISOString())
      }),
    )
  })

  test.each([
    ['2026-02-30', '2026-02-30'],
    ['2026-02-30 10:00', '2026-02-30 10:00'],
    ['next week', 'next week'],
    ['2026-07-01T10:00:00Z', '2026-07-01T10:00:00Z'],
  ])('that is none, or has its offset, is sent as it was typed: %s', (typed, sent) => {
    expect(toUtcTimestamp(typed)).toBe(sent)
  })

  test('keeps the digits of its second', () => {
    expect(toUtcTimestamp('2026-07-01 12:30:15.2501')).toEndWith(':15.2501Z')
    expect(toUtcTimestamp('2026-07-01 12:30:15.25')).toEndWith(':15.250Z')
  })
})

test.each([
  ['1 234,5', ',', '1234.5'],
  ['\u22125', '.', '-5'],
  ['-.5', '.', '-0.5'],
  ['007', '.', '7'],
  ['1.234,5', ',', '1234.5'],
  ['1.234', ',', '1234'],
  ['1.5', ',', '1.5'],
  ['1,5', '.', '1.5'],
  ['1,234', '.', '1234'],
  ['$12.00', '.', '12.00'],
  ['5%', '.', '0.05'],
  ['1e-7', '.', '1e-7'],
  ['1.5 million', '.', null],
  ['5.', '.', null],
  ['NaN', '.', null],
])('the number %p with the mark %p is %p', (typed, mark, text) => {
  expect(toJsonNumber(typed, mark)).toBe(text)
})

const locales =
  'en-US en-GB en-IN en-ZA de-DE de-CH de-AT fr-FR fr-CH es-ES es-MX it-IT pt-BR pl-PL sv-SE nb-NO da-DK cs-CZ nl-NL fi-FI ru-RU hu-HU tr-TR ja-JP'.split(
    ' ',
  )
const markOf = (locale: string) => new Intl.NumberFormat(locale).formatToParts(1.5).find(({ type }) => type === 'decimal')!.value

test('numbers as every locale writes them are read with all their digits', () => {
  const styles: Intl.NumberFormatOptions[] = [
    {},
    { useGrouping: false },
    { style: 'currency', currency: 'EUR' },
    { style: 'currency', currency: 'USD' },
    { style: 'currency', currency: 'CHF', currencyDisplay: 'code' },
    { style: 'currency', currency: 'SEK', currencySign: 'accounting' },
    { style: 'percent' },
  ]
  fc.assert(
    fc.property(
      fc.bigInt({ min: -(10n ** 15n), max: 10n ** 15n }),
      fc.constantFrom(...locales),
      fc.constantFrom(...styles),
      fc.nat(4),
      (units, locale, style, scale) => {
        const digits = `${units < 0n ? '-' : ''}${String(units < 0n ? -units : units)
          .padStart(scale + 1, '0')
          .replace(new RegExp(`(\\d{${scale}})$`), scale ? '.$1' : '')}`
        const places = style.style === 'percent' ? Math.max(0, scale - 2) : scale
        const format = new Intl.NumberFormat(locale, { ...style, minimumFractionDigits: places, maximumFractionDigits: places })
        // What the format rounds away cannot be read again.
        const whole = style.style === 'percent' && scale < 2 ? `${digits.split('.')[0]}` : digits
        const text = format.format(whole as Intl.StringNumericLiteral)
        const read = toJsonNumber(text, markOf(locale) === ',' ? ',' : '.')
        expect(`${text}: ${Number(read)}`).toBe(`${text}: ${Number(whole)}`)
        const plain = (one: string) =>
          one
            .replace(/(\.\d*?)0+$/, '$1')
            .replace(/\.$/, '')
            .replace(/^-0$/, '0')
        expect(plain(read!)).toBe(plain(whole))
      },
    ),
  )
})

test('a number of the API is typed as the locale writes it, and read again', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^-?(0|[1-9]\d{0,20})(\.\d{1,12})?$/), fc.constantFrom(',', '.'), (text, mark) => {
      expect(toJsonNumber(toTypedNumber(text, mark), mark)).toBe(text)
    }),
  )
})

test.each([
  ['12.345', 2, '12.35'],
  ['-12.345', 2, '-12.35'],
  ['9.999', 2, '10.00'],
  ['0.004', 2, '0.00'],
  ['-0.004', 2, '0.00'],
  ['12.5', 0, '13'],
  ['12.50', 1, null],
  ['12', 0, null],
  ['12345678901234567890.15', 1, '12345678901234567890.2'],
])('%p to %p places is %p', (text, scale, rounded) => {
  expect(roundDecimal(text, scale)).toBe(rounded)
})

test.each([
  ['31.1.2026', 'en-US', '2026-01-31'],
  ['1/31/2026', 'en-US', '2026-01-31'],
  ['1/31/26', 'en-US', '2026-01-31'],
  ['31/01/2026', 'en-GB', '2026-01-31'],
  ['31.01.2026 8:30', 'de-DE', '2026-01-31 8:30'],
  ['1/31/2026, 8:30', 'en-US', '2026-01-31 8:30'],
  ['2026/1/31', 'ja-JP', '2026-01-31'],
  ['12/24/1980', 'en-GB', '1980-12-24'],
  ['1.31.2026', 'en-US', '1.31.2026'],
  ['31.1.26', 'de-DE', '2026-01-31'],
  ['Jan 31, 2026', 'en-US', '2026-01-31'],
  ['31 January 2026, 2:30 PM', 'en-GB', '2026-01-31 2:30 PM'],
  ['31. März 2026', 'de-DE', '2026-03-31'],
  ['31. Smarch 2026', 'de-DE', '31. Smarch 2026'],
  ['2026-01-31', 'de-DE', '2026-01-31'],
])('the day %p in %p is %p', (typed, locale, text) => {
  expect(normalizeDate(typed, locale)).toBe(text)
})

test('dates as every locale shows them are read again', () => {
  const days = fc.date({ min: new Date('1930-01-01T12:00:00Z'), max: new Date('2029-12-31T12:00:00Z'), noInvalidDate: true })
  const western = locales.filter((locale) => !/^(hu|ja|ru|tr|fi|cs)/.test(locale))
  fc.assert(
    fc.property(days, fc.constantFrom(...western), fc.constantFrom('short', 'medium', 'long'), (day, locale, dateStyle) => {
      const text = new Intl.DateTimeFormat(locale, { dateStyle: dateStyle as 'short', timeZone: 'UTC' }).format(day)
      expect(`${text}: ${normalizeDate(text, locale)}`).toBe(`${text}: ${day.toISOString().slice(0, 10)}`)
    }),
  )
})

test.each([
  ['2:30 PM', '14:30'],
  ['12:05 am', '00:05'],
  ['2:30\u202fp.m.', '14:30'],
  ['9:05', '09:05'],
  ['2026-01-31 8:30:15 PM', '2026-01-31 20:30:15'],
  ['13:30 PM', '13:30 PM'],
  ['noon', 'noon'],
])('the time %p is %p', (typed, text) => {
  expect(normalizeTime(typed)).toBe(text)
})
