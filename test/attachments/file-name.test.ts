import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { cleanFileName } from '../../src/attachments/file-name'
import { contentDisposition } from '../../src/http/response/content-disposition'

describe('any name', () => {
  test('becomes one that is short, visible and no path', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 600 }), (sent) => {
        const name = cleanFileName(sent)
        expect(name.length).toBeGreaterThan(0)
        expect(Buffer.byteLength(name)).toBeLessThanOrEqual(255)
        expect(name).not.toMatch(/[/\\\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069\u2028\u2029]/)
        expect(name.isWellFormed()).toBe(true)
        expect(['.', '..']).not.toContain(name)
        expect(cleanFileName(name)).toBe(name)
      }),
      { numRuns: 2000 },
    )
  })

  test('stays as it is once it is clean, also with what joins letters', () => {
    const unit = fc.constantFrom('\u200c', '\u200d', '\u3000', ' ', 'a', 'م', '👩', '.', '/', '\u0301', '\ufeff', '\u200e')
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 200 }), (sent) => {
        const name = cleanFileName(sent)
        expect(cleanFileName(name)).toBe(name)
        expect(name).not.toMatch(/[\x00-\x7f][\u200c\u200d]|[\u200c\u200d][\x00-\x7f]|^[\u200c\u200d]|[\u200c\u200d]$/)
      }),
      { numRuns: 3000 },
    )
  })

  test('makes one header that says it back', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (sent) => {
        const name = cleanFileName(sent)
        const header = contentDisposition('attachment', name)
        expect(header).toMatch(/^attachment; filename="[^"\\%;/\r\n]*"(; filename\*=UTF-8''[\w%.!~-]+)?$/)
        expect(header).toMatch(/^[\x20-\x7e]*$/)
        new Headers({ 'content-disposition': header })
        const [, encoded] = /filename\*=UTF-8''(.*)$/.exec(header) ?? []
        const [, plain] = /filename="([^"]*)"/.exec(header) ?? []
        expect(encoded === undefined ? plain : decodeURIComponent(encoded)).toBe(name)
      }),
      { numRuns: 2000 },
    )
  })

  test('keeps its extension when it is cut', () => {
    expect(cleanFileName(`${'a'.repeat(400)}.jpeg`)).toBe(`${'a'.repeat(250)}.jpeg`)
    expect(cleanFileName(`a.${'b'.repeat(400)}`)).toHaveLength(255)
  })
})
