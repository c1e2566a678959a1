import { beforeAll, describe, expect, test } from 'bun:test'
import { type AuditEntry, pruneAudit, recordAudit } from '../../../src/auth/audit/audit-log'
import { json, startApp } from '../../support/app'
import { expectProblem } from '../../support/problem'

const app = await startApp()
const { db } = app.deps
const [ada, bob] = [Bun.randomUUIDv7(), Bun.randomUUIDv7()]
const read = (query = '') => app.call(`/api/v1/audit${query}`, { as: 'admin' })
const entries = async (query = ''): Promise<AuditEntry[]> => (await json(read(query))).entries
const add = (entry: Partial<AuditEntry> = {}) =>
  recordAudit(db, { kind: 'login', result: 'ok', credential: 'none', address: '192.0.2.1', ...entry })

beforeAll(async () => {
  for (let n = 0; n < 20; n++) await add({ actorId: n % 2 ? ada : bob, kind: n % 5 ? 'login' : 'logout' })
  // One an hour, the last one an hour ago.
  await db.query(`update rowhouse.audit a set at = now() - make_interval(hours => r.n::int)
    from (select id, row_number() over (order by id desc) as n from rowhouse.audit) r where r.id = a.id`)
})

describe('GET /api/v1/audit', () => {
  test('shows the newest first, times in UTC', async () => {
    const all = await entries()
    expect(all).toHaveLength(20)
    expect(Object.keys(all[0]!).sort()).toEqual([
      'actorId',
      'address',
      'at',
      'count',
      'credential',
      'credentialId',
      'id',
      'kind',
      'lastAt',
      'result',
      'subjectId',
    ])
    for (const { at, lastAt, count } of all) {
      expect(at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
      expect([lastAt, count]).toEqual([at, 1])
    }
    expect(all.map(({ at }) => at)).toEqual(
      all
        .map(({ at }) => at)
        .sort()
        .reverse(),
    )
  })

  test.each(['viewer', 'editor'] as const)('is not for a %s', async (as) => {
    await expectProblem(await app.call('/api/v1/audit', { as }), 403, 'forbidden')
  })

  test('is not for a stranger', async () => {
    await expectProblem(await app.call('/api/v1/audit'), 401, 'unauthenticated')
  })

  test('does not take the token for a filter', async () => {
    expect((await app.call(`/api/v1/audit?limit=1&token=${app.tokens.admin}`)).status).toBe(200)
  })

  test('pages without a gap or a repeat, while more is written', async () => {
    const before = (await entries()).map(({ id }) => id)
    const seen: string[] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page: { entries: AuditEntry[]; nextCursor: string | null } = await json(read(`?limit=3${cursor && `&cursor=${cursor}`}`))
      seen.push(...page.entries.map(({ id }) => id))
      await Promise.all([add(), add()])
      cursor = page.nextCursor
    }
    expect(seen).toEqual(before)
    await db.query("delete from rowhouse.audit where at > now() - interval '30 minutes'")
  })

  test('says by nextCursor whether there is more', async () => {
    for (const [limit, hasMore] of [
      [19, true],
      [20, false],
      [1000, false],
    ] as const) {
      expect({ limit, hasMore: (await json(read(`?limit=${limit}`))).nextCursor !== null }).toEqual({ limit, hasMore })
    }
  })

  const hoursAgo = (hours: number) => encodeURIComponent(new Date(Date.now() - hours * 3_600_000).toISOString())
  test.each([
    ['actor', () => `?actor=${ada}`, 10],
    ['kind', () => '?kind=logout', 4],
    ['actor and kind', () => `?actor=${ada}&kind=logout`, 2],
    ['from', () => `?from=${hoursAgo(5.5)}`, 5],
    ['to', () => `?to=${hoursAgo(5.5)}`, 15],
    ['from and to', () => `?from=${hoursAgo(8.5)}&to=${hoursAgo(5.5)}`, 3],
    ['a time with an offset', () => `?from=${encodeURIComponent('2020-01-01T00:00:00+02:00')}`, 20],
    ['somebody who did nothing', () => `?actor=${Bun.randomUUIDv7()}`, 0],
    ['a time to come', () => `?from=${encodeURIComponent('9999-12-31T23:59:59Z')}`, 0],
  ] as [string, () => string, number][])('filters by %s', async (_what, query, count) => {
    expect(await entries(query())).toHaveLength(count)
  })

  test('pages what it filtered', async () => {
    const first = await json(read('?kind=logout&limit=3'))
    const second = await json(read(`?kind=logout&limit=3&cursor=${first.nextCursor}`))
    expect([first.entries.length, second.entries.length, second.nextCursor]).toEqual([3, 1, null])
  })

  test.each([
    'actor=ada',
    'actor=',
    'kind=nothing',
    'kind=login&kind=logout',
    'from=yesterday',
    'from=2026-01-01',
    'from=2026-02-31T00:00:00Z',
    'to=2026-12-31T23:59:60Z',
    'to=0000-01-01T00:00:00Z',
    'from=9999-12-31T23:59:59-05:00',
    'to=0001-01-01T00:00:00%2B05:00',
    'limit=0',
    'limit=1001',
    'limit=1.5',
    'limit=x',
    'cursor=x',
    'offset=1',
    'actor=%00',
    `actor=${ada}'--`,
  ])('refuses ?%s', async (query) => {
    await expectProblem(await read(`?${query}`), 400, 'invalid_request')
  })

  test.each(['POST', 'PUT', 'PATCH', 'DELETE'])('takes no %s: nobody changes it', async (method) => {
    await expectProblem(await app.call('/api/v1/audit', { as: 'admin', method }), 405, 'method_not_allowed')
  })
})

test('what was folded is found by any time between its first and its last', async () => {
  await add({ kind: 'csrf_rejected', result: 'refused' })
  await add({ kind: 'csrf_rejected', result: 'refused' })
  await db.query(`update rowhouse.audit set at = now() - interval '50 minutes', last_at = now() - interval '10 minutes' where count = 2`)
  const found = async (from: number, to: number) => {
    const [begin, end] = [from, to].map((minutes) => encodeURIComponent(new Date(Date.now() - minutes * 60_000).toISOString()))
    return (await entries(`?kind=csrf_rejected&from=${begin}&to=${end}`)).map(({ count }) => count)
  }
  expect(await Promise.all([found(60, 0), found(60, 40), found(40, 20), found(20, 0), found(60, 55), found(5, 0)])).toEqual([
    [2],
    [2],
    [2],
    [2],
    [],
    [],
  ])
  await db.query("delete from rowhouse.audit where kind = 'csrf_rejected'")
})

test('what is older than the retention is swept, and nothing else', async () => {
  await db.query("update rowhouse.audit set at = at - interval '89 days' where actor_id = $1::uuid", [ada])
  await db.query("update rowhouse.audit set at = at - interval '91 days' where actor_id = $1::uuid", [bob])
  await pruneAudit(db, 90)
  expect((await entries()).map(({ actorId }) => actorId)).toEqual(Array(10).fill(ada))
})
