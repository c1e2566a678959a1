import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { valuesOf } from '../../../src/plugins/host/values'

/** A plugin gets a number where JavaScript keeps each of its digits, and else a text with all of them. */
const digits = fc.array(fc.nat({ max: 9 }), { minLength: 1, maxLength: 25 }).map((list) => list.join(''))
const decimal = fc
  .tuple(fc.constantFrom('', '-'), digits, fc.option(digits), fc.option(fc.integer({ min: -330, max: 310 })))
  .map(([sign, whole, fraction, power]) => {
    const first = whole.replace(/^0+(?=\d)/, '')
    return `${sign}${first}${fraction === null ? '' : `.${fraction}`}${power === null ? '' : `e${power}`}`
  })
const read = (text: string) => (valuesOf(`{"d":${text}}`) as { d: number | string }).d

/** A number as a fraction of integers, so that two texts are compared without any rounding. */
function fractionOf(text: string): [bigint, bigint] {
  const [, sign = '', whole = '', fraction = '', power = '0'] = /^(-?)(\d+)(?:\.(\d+))?(?:e\+?(-?\d+))?$/i.exec(text)!
  const places = Number(power) - fraction.length
  const all = BigInt(whole + fraction) * (sign ? -1n : 1n)
  return places < 0 ? [all, 10n ** BigInt(-places)] : [all * 10n ** BigInt(places), 1n]
}
const isSame = (one: string, other: string) => {
  const [[a, b], [c, d]] = [fractionOf(one), fractionOf(other)]
  return a * d === c * b
}

test('text, number and text again are the same number, or it stays a text', () => {
  fc.assert(
    fc.property(decimal, (text) => {
      const value = read(text)
      const number = Number(text)
      const isKept = Number.isFinite(number) && isSame(String(number), text) && (Number.isSafeInteger(number) || !Number.isInteger(number))
      expect(value).toBe(isKept ? number : text)
    }),
    { numRuns: 2000 },
  )
})

test('each number that JavaScript has and PostgreSQL writes stays a number', () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
      fc.pre(!Number.isInteger(value) || Number.isSafeInteger(value))
      expect(read(JSON.stringify(value))).toBe(value === 0 ? 0 : value)
    }),
  )
})

test.each([
  '1.000000000000000001',
  '0.99999999999999999999',
  '250.00000000000000001',
  '1234567890123456.1',
  '123456789.123456789123',
  '9007199254740993',
  '-12345678901234567890',
  '1e400',
])('%s keeps its digits', (text) => {
  expect(read(text)).toBe(text)
})

test.each(['12.50', '0.10', '-3', '1.000000', '1500', '0.30000000000000004', '100e-2'])('%s is a number', (text) => {
  expect(read(text)).toBe(Number(text))
})
