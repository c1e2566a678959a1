import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { Failure } from '../../../../src/errors'
import { RestFailure } from '../../../../src/records/postgrest/errors/failure'
import { readBody } from '../../../../src/records/postgrest/request/body'

const rows = (type: string, text: string) => JSON.parse(readBody(type, text).text)

describe('a body', () => {
  test('of JSON keeps its text, numbers and all', () => {
    expect(readBody(null, '{"a": 1.10}')).toEqual({ text: '[{"a": 1.10}]', names: ['a'], count: 1, isArray: false, isUniform: true })
    expect(readBody('application/json; charset=utf-8', '[{"a":1},{"a":2}]')).toMatchObject({
      names: ['a'],
      count: 2,
      isArray: true,
      isUniform: true,
    })
    expect(readBody('application/json', '[]')).toMatchObject({ text: '[]', names: [], count: 0, isUniform: true })
    expect(readBody('application/json', '[{"a":1},{"b":2}]').isUniform).toBe(false)
    expect(readBody('application/json', '{"__proto__": 1, "constructor": 2}').names).toEqual(['__proto__', 'constructor'])
  })

  test('of CSV', () => {
    expect(rows('text/csv', 'a,b\r\n1,"x, ""y"""\n,NULL\n')).toEqual([
      { a: '1', b: 'x, "y"' },
      { a: '', b: null },
    ])
    expect(rows('text/csv', '\ufeffa\n"line\nbreak"')).toEqual([{ a: 'line\nbreak' }])
    expect(readBody('text/csv', 'a,b\n')).toMatchObject({ count: 0, names: ['a', 'b'] })
    expect(rows('text/csv', '')).toEqual([])
  })

  test('of a form', () => {
    expect(rows('application/x-www-form-urlencoded', 'a=1&b=x+y%26&a=2')).toEqual([{ a: '2', b: 'x y&' }])
  })

  test.each([
    ['application/json', ''],
    ['application/json', '1'],
    ['application/json', 'null'],
    ['application/json', '[1]'],
    ['application/json', '[[{}]]'],
    ['application/xml', '<a/>'],
    ['constructor', '{}'],
    ['text/csv', 'a,b\n1'],
    ['text/csv', 'a,a\n1,2'],
    ['text/csv', 'a\n"open'],
  ])('of %s that is wrong is refused: %s', (type, text) => {
    expect(() => readBody(type, text)).toThrow(RestFailure)
  })

  test('is read or refused, whatever it is', () => {
    const types = fc.constantFrom('application/json', 'text/csv', 'application/x-www-form-urlencoded')
    fc.assert(
      fc.property(types, fc.oneof(fc.string({ unit: 'binary' }), fc.json()), (type, text) => {
        try {
          expect(JSON.parse(readBody(type, text).text)).toBeArray()
        } catch (error) {
          if (!(error instanceof Failure)) throw error
        }
      }),
      { numRuns: 2000 },
    )
  })

  test('of CSV comes out as it was written', () => {
    const field = fc.string({ unit: 'grapheme' }).filter((text) => text !== 'NULL')
    fc.assert(
      fc.property(fc.array(fc.tuple(field, field), { minLength: 1 }), (lines) => {
        const written = [['one', 'two'], ...lines].map((line) => line.map((text) => `"${text.replaceAll('"', '""')}"`).join(',')).join('\n')
        expect(rows('text/csv', written)).toEqual(lines.map(([one, two]) => ({ one, two })))
      }),
    )
  })
})
