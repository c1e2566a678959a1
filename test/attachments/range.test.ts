import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { readByteRange } from '../../src/attachments/range'

test('a range lies within the file, whatever was asked', () => {
  const sign = fc.constantFrom('0', '1', '9', '-', ',', ' ', 'a', '=', '99999999999999999999')
  fc.assert(
    fc.property(fc.array(sign, { maxLength: 8 }), fc.nat(100), (signs, size) => {
      const range = readByteRange(`bytes=${signs.join('')}`, size)
      if (range === null || range === 'unsatisfiable') return
      expect(range.start).toBeGreaterThanOrEqual(0)
      expect(range.start).toBeLessThan(range.end)
      expect(range.end).toBeLessThanOrEqual(size)
    }),
    { numRuns: 5000 },
  )
})

test('what was asked well is answered so', () => {
  fc.assert(
    fc.property(fc.nat(1000), fc.nat(1000), fc.integer({ min: 1, max: 1000 }), (start, length, size) => {
      fc.pre(start < size)
      expect(readByteRange(`bytes=${start}-${start + length}`, size)).toEqual({ start, end: Math.min(size, start + length + 1) })
    }),
  )
})
