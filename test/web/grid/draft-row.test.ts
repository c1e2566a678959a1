import { beforeEach, describe, expect, test } from 'bun:test'
import { ApiError } from '../../../src/web/browser/api/api-error'
import { DraftRow } from '../../../src/web/browser/records/pages/draft-row'
import type { RecordValues } from '../../../src/web/browser/records/values/cell-values'

/** The records by key, as the service makes them: once for each. What fails is thrown before or behind that. */
let made: Map<string, RecordValues>
let bodies: string[]
let before: unknown[]
let behind: unknown[]
let later: RecordValues
let draft: DraftRow

beforeEach(() => {
  made = new Map()
  ;[bodies, before, behind, later, draft] = [[], [], [], {}, new DraftRow()]
})

async function create(body: string, key: string): Promise<RecordValues> {
  bodies.push(body)
  const [early, late] = [before.shift(), behind.shift()]
  if (early) throw early
  if (!made.has(key)) made.set(key, { id: made.size + 1, ...JSON.parse(body) })
  if (late) throw late
  return made.get(key)!
}

function save(pending: RecordValues): Promise<boolean> {
  draft.set({ pending })
  const learn = (_record: RecordValues, rest: RecordValues) => {
    later = rest
  }
  return draft.save(create, learn, () => {})
}

const lost = new TypeError('Failed to fetch')
const refused = (status: number, code?: ApiError['code']) => new ApiError(status, { code }, 0)
const [ann, older] = [{ name: 'Ann' }, { name: 'Ann', age: 5 }]

describe('a new row that was edited on before it was sent again', () => {
  test.each([
    ['nobody answered', lost],
    ['a proxy answered', refused(502)],
    ['the service does not know', refused(503, 'outcome_unknown')],
  ])('is made once, and the rest is written behind it: %s', async (_what, failure) => {
    behind = [failure]
    expect(await save(ann)).toBe(false)
    expect(await save(older)).toBe(true)
    expect([...made.values()]).toEqual([{ id: 1, name: 'Ann' }])
    expect(later).toEqual({ age: 5 })
  })

  test.each([
    ['the first request is under way', refused(409, 'request_in_progress')],
    ['the session has ended', refused(401, 'invalid_session')],
    ['the service is busy', refused(503, 'unavailable')],
  ])('is made once, also if in between %s', async (_what, failure) => {
    behind = [lost]
    before = [undefined, failure]
    expect([await save(ann), await save(older), await save(older)]).toEqual([false, false, true])
    expect([...made.values()]).toEqual([{ id: 1, name: 'Ann' }])
  })

  test('is made as it is now, if it was refused before', async () => {
    before = [refused(422, 'validation_failed')]
    expect([await save(ann), await save(older)]).toEqual([false, true])
    expect([...made.values()]).toEqual([{ id: 1, ...older }])
    expect(later).toEqual({})
  })

  test('is made as it is now, if what nobody answered turns out to be refused', async () => {
    before = [lost, refused(422, 'validation_failed')]
    expect([await save({ name: '' }), await save(ann)]).toEqual([false, true])
    expect(bodies).toEqual(['{"name":""}', '{"name":""}', '{"name":"Ann"}'])
    expect([...made.values()]).toEqual([{ id: 1, name: 'Ann' }])
  })
})

test('a row that was given up leaves nothing to the next one', async () => {
  before = [lost]
  await save(ann)
  draft.set(null)
  expect(await save({ name: 'Eve' })).toBe(true)
  expect([...made.values()]).toEqual([{ id: 1, name: 'Eve' }])
})
