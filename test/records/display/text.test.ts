import { expect, test } from 'bun:test'
import { momentText, numberText } from '../../../src/records/display/text'

test.each([
  ['UTC', 'de', '27.12.2026, 23:27 UTC'],
  ['Europe/Berlin', 'de', '28.12.2026, 00:27 MEZ'],
  ['Europe/London', 'en', '27 Dec 2026, 23:27 GMT'],
] as const)('a timestamp in the zone %s names it in the language %s', (zone, language, text) => {
  expect(momentText('2026-12-27T23:27:00Z', language, zone)).toBe(text)
})

test.each([
  ['75', 'de', { hasThousands: true, leastDecimals: 2, currency: 'EUR' }, '75,00\u00a0€'],
  ['-1234.567', 'en', { hasThousands: true, leastDecimals: 2, currency: 'GBP' }, '-£1,234.567'],
  ['1500', 'de', { hasThousands: true, leastDecimals: 0, currency: 'JPY' }, '1.500\u00a0¥'],
  ['1234.5', 'en', { hasThousands: false, decimals: 2 }, '1234.50'],
] as const)('the number %s in the language %s', (number, language, form, text) => {
  expect(numberText(number, language, form)).toBe(text)
})
