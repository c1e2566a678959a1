import { describe, expect, test } from 'bun:test'
import { RestFailure } from '../../../../src/records/postgrest/errors/failure'
import { readAccept } from '../../../../src/records/postgrest/request/media'
import { appliedPreferences, readPreferences } from '../../../../src/records/postgrest/request/preferences'
import { contentRange, rangeStatus, readRowRange } from '../../../../src/records/postgrest/request/range'

function refusal(work: () => unknown) {
  try {
    work()
  } catch (error) {
    if (error instanceof RestFailure) return error.answer
  }
  throw new Error('It was not refused.')
}

describe('Prefer', () => {
  test.each([
    [null, {}],
    ['', {}],
    ['return=representation', { return: 'representation' }],
    [' count=exact ,  tx=rollback,return=minimal', { count: 'exact', tx: 'rollback', return: 'minimal' }],
    ['tx=commit, tx=rollback', { tx: 'commit' }],
    ['resolution=merge-duplicates,missing=default', { resolution: 'merge-duplicates', missing: 'default' }],
    ['handling=strict, max-affected=5', { handling: 'strict', maxAffected: 5 }],
    ['max-affected=5', {}],
    ['return=everything, nonsense, count, constructor=1, __proto__=x', {}],
  ])('%s', (header, preferences) => {
    expect({ ...readPreferences(header) }).toEqual(preferences as object)
  })

  test('what is unknown is refused only where that was asked for, by its name', () => {
    const { status, code, details } = refusal(() => readPreferences('handling=strict, nope=s3cret, <x>, count=all'))
    expect({ status, code, details }).toEqual({ status: 400, code: 'PGRST122', details: 'Invalid preferences: nope, count' })
  })

  test('what was applied is told, in PostgREST’s order', () => {
    const preferences = readPreferences('count=exact, handling=strict, return=minimal, max-affected=3, missing=null')
    expect(appliedPreferences(preferences, ['return', 'count', 'handling', 'maxAffected'])).toBe(
      'return=minimal, count=exact, handling=strict, max-affected=3',
    )
    expect(appliedPreferences(preferences, ['tx'])).toBeUndefined()
  })
})

describe('Range', () => {
  test.each([
    [null, {}, { offset: 0, limit: 1000 }],
    [null, { limit: 5, offset: 2 }, { offset: 2, limit: 5 }],
    [null, { limit: 5000 }, { offset: 0, limit: 1000 }],
    ['0-9', {}, { offset: 0, limit: 10 }],
    ['5-', {}, { offset: 5, limit: 1000 }],
    ['5-', { limit: 1500 }, { offset: 5, limit: 1000 }],
    ['2000-2009', {}, { offset: 2000, limit: 10 }],
    ['2000-', { offset: 10 }, { offset: 2000, limit: 1000 }],
    ['5-5', {}, { offset: 5, limit: 1 }],
    ['2-9', { limit: 5, offset: 1 }, { offset: 2, limit: 4 }],
    ['0-9', { limit: 0 }, { offset: 0, limit: 0 }],
    ['items=0-9', {}, { offset: 0, limit: 1000 }],
    ['-5', {}, { offset: 0, limit: 1000 }],
    ['999999999999999999999-', {}, { offset: 0, limit: 1000 }],
  ])('%s with %o', (header, query, range) => {
    expect(readRowRange(header, query, 1000)).toEqual(range)
  })

  test.each([
    ['9-1', {}],
    ['5-9', { limit: 2, offset: 0 }],
  ])('%s with %o leaves nothing', (header, query) => {
    expect(refusal(() => readRowRange(header, query, 1000))).toMatchObject({ status: 416, code: 'PGRST103' })
  })

  test('Content-Range and the status', () => {
    expect([contentRange(0, 10, undefined), contentRange(5, 5, 20), contentRange(0, 0, undefined), contentRange(0, 0, 0)]).toEqual([
      '0-9/*',
      '5-9/20',
      '*/*',
      '*/0',
    ])
    expect([rangeStatus(0, 5, undefined), rangeStatus(0, 5, 5), rangeStatus(0, 4, 5), rangeStatus(5, 0, 5)]).toEqual([200, 200, 206, 206])
    expect(refusal(() => rangeStatus(6, 0, 5))).toMatchObject({ status: 416, headers: { 'content-range': '*/5' } })
  })
})

describe('Accept', () => {
  test.each([
    [null, 'array', false],
    ['*/*', 'array', false],
    ['application/json', 'array', false],
    ['text/html, application/json;q=0.9', 'array', false],
    ['application/vnd.pgrst.object+json', 'object', false],
    ['application/vnd.pgrst.object', 'object', false],
    ['application/vnd.pgrst.object+json; nulls=stripped', 'object', true],
    ['application/vnd.pgrst.array+json;nulls=stripped', 'array', true],
    ['application/json;q=0.1, text/csv', 'csv', false],
    ['TEXT/CSV', 'csv', false],
  ])('%s', (header, form, isStripped) => {
    expect(readAccept(header)).toMatchObject({ form, isStripped } as object)
  })

  test.each(['application/xml', 'application/vnd.pgrst.plan+json', 'application/json;q=0', 'constructor', '<s3cret>', ';,;'])(
    '%s is refused',
    (header) => {
      const answer = refusal(() => readAccept(header))
      expect(answer).toMatchObject({ status: 406, code: 'PGRST107' })
      expect(answer.message).not.toContain('s3cret')
    },
  )
})
