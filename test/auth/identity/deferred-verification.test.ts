import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { json } from '../../support/app'
import { type Holder, startTwo } from '../../support/presuming'
import { until } from '../../support/processes'

const { app, other, careful, newHolder: holderOf, send, queriesOf } = await startTwo()
const { db } = app.deps
const newHolder = () => holderOf('viewer')

const columns = [{ name: 'title', type: 'text' }]
const idOf = async (name: string): Promise<string> => (await json(app.call('/api/v1/tables', { as: 'admin', body: { name, columns } }))).id
const [books, films] = [await idOf('books'), await idOf('films')]
const records = '/api/v1/tables/books/records'
await app.call(records, { as: 'admin', body: [{ title: 'Emma' }, { title: 'Persuasion' }, { title: 'Sanditon' }] })
const etag = (await app.call(`${records}/1`, { as: 'admin' })).headers.get('etag')!

/**
 * Every kind of answer that a reading route gives; some of them without a statement, some by a statement that fails.
 */
const asked: [kind: string, path: string, headers: Record<string, string>, status: number][] = [
  ['a record', `${records}/1`, {}, 200],
  ['a record that has not changed', `${records}/1`, { 'if-none-match': etag }, 304],
  ['a part of a record', `${records}/1?select=title`, {}, 200],
  ['no record', `${records}/99`, {}, 404],
  ['what is no key', `${records}/x`, {}, 404],
  ['what is no UTF-8', `${records}/%ff`, {}, 404],
  ['a list', `${records}?title=eq.Emma&count=exact`, {}, 200],
  ['a list by a bad query', `${records}?nothing=eq.1`, {}, 400],
  ['a list by a bad pattern', `${records}?title=match.[`, {}, 400],
  ['no table', '/api/v1/tables/nothing/records', {}, 404],
  ['rows', '/rest/v1/books?title=eq.Emma', {}, 200],
  ['a row by its key', '/rest/v1/books?id=eq.1', {}, 200],
  ['a part of the rows', '/rest/v1/books', { prefer: 'count=exact', range: '0-0' }, 206],
  ['one row of several', '/rest/v1/books', { accept: 'application/vnd.pgrst.object+json' }, 406],
  ['rows behind the last', '/rest/v1/books?offset=99', { prefer: 'count=exact' }, 416],
  ['rows by a bad query', '/rest/v1/books?nothing=eq.1', {}, 400],
  ['rows of no table', '/rest/v1/nothing', {}, 404],
]

describe('a caller who was there a moment ago', () => {
  test('is found out by the statement that reads, and by no other', async () => {
    const holder = await newHolder()
    const read = (path: string, headers = {}, method?: string) => queriesOf(() => send(app.url, holder, path, { headers, method }))
    expect(await read(`${records}/1`)).toBe(2)
    expect(await read(`${records}/1`)).toBe(1)
    expect(await read(`${records}/1`, { 'if-none-match': etag })).toBe(1)
    expect(await read(`${records}/1`, {}, 'HEAD')).toBe(1)
    expect(await read(`${records}?limit=1`)).toBe(1)
    expect(await read('/rest/v1/books?limit=1')).toBe(1)
    expect(await read('/rest/v1/books?id=eq.1')).toBe(1)
    // Without a row nothing is proven, and the look-up comes behind; what the short way does not find the long way
    // looks for too.
    expect(await read(`${records}/99`)).toBe(3)
  })

  test('and many of them share a statement', async () => {
    const holders = await Promise.all(Array.from({ length: 8 }, newHolder))
    const ask = () => Promise.all(holders.map((holder, index) => send(app.url, holder, `${records}/${1 + (index % 2)}`)))
    await ask()
    const answers: Response[] = []
    expect(await queriesOf(async () => answers.push(...(await ask())))).toBeLessThanOrEqual(8)
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200))
  })

  test('is not presumed to delete', async () => {
    const holder = await newHolder()
    await send(app.url, holder, `${records}/1`)
    await db.query("update rowhouse.users set role = 'editor' where id = $1::uuid", [holder.userId])
    expect((await send(app.url, holder, `${records}/3`, { method: 'DELETE' })).status).toBe(204)
  })
})

const changes: Record<string, (holder: Holder) => Promise<unknown>> = {
  'the token is revoked': ({ id }) => careful.db.query('delete from rowhouse.tokens where id = $1::uuid', [id]),
  'the token ends': ({ id }) => careful.db.query('update rowhouse.tokens set expires_at = now() where id = $1::uuid', [id]),
  'the user is disabled': ({ userId }) => careful.db.query('update rowhouse.users set disabled_at = now() where id = $1::uuid', [userId]),
  'the token is held to another table': ({ id }) =>
    careful.db.query('update rowhouse.tokens set tables = array[$2::uuid] where id = $1::uuid', [id, films]),
}

describe('the next request knows', () => {
  for (const [what, change] of Object.entries(changes)) {
    test.each(asked)(`that ${what}, for %s`, async (_kind, path, headers, status) => {
      const holder = await newHolder()
      for (let time = 0; time < 2; time++) expect((await send(app.url, holder, path, { headers })).status).toBe(status)
      await change(holder)
      const [answer, expected] = [await send(app.url, holder, path, { headers }), await send(other.url, holder, path, { headers })]
      expect(answer.status).toBe(expected.status)
      expect(what.endsWith('another table') || answer.status === 401).toBe(true)
    })
  }

  test('that a token has ended by itself', async () => {
    const holder = await newHolder()
    const ask = async () => (await send(app.url, holder, `${records}/1`)).status
    let ms = 100
    await until('it was used before it ended', async () => {
      // The busier the machine, the later it ends.
      ms *= 2
      const change = `update rowhouse.tokens set expires_at = now() + interval '${ms} milliseconds' where id = $1::uuid`
      await careful.db.query(change, [holder.id])
      return (await ask()) === 200
    })
    const over = () => db.query('select from rowhouse.tokens where id = $1::uuid and expires_at <= now()', [holder.id])
    await until('it has ended', async () => (await over()).length === 1)
    expect(await ask()).toBe(401)
  })

  test('that a column has another name', async () => {
    const holder = await newHolder()
    const titles = async () => Object.keys((await json(send(app.url, holder, '/api/v1/tables/films/records?limit=1'))).records[0])
    await app.call('/api/v1/tables/films/records', { as: 'admin', body: { title: 'Alien' } })
    for (const name of ['name', 'title', 'name', 'title']) {
      await titles()
      await careful.db.query(`alter table data.films rename ${name === 'name' ? 'title' : 'name'} to ${name}`, [], { prepare: false })
      expect(await titles()).toContain(name)
    }
  })

  test('in a flood, from the moment on that the change is made', async () => {
    for (const [what, change] of Object.entries(changes)) {
      const holder = await newHolder()
      let changedAt = Number.POSITIVE_INFINITY
      const late: number[] = []
      const early: number[] = []
      const flood = async (index: number) => {
        const [, path, headers] = asked[index % asked.length]!
        while (late.length < 50) {
          const sentAt = performance.now()
          const { status } = await send(app.url, holder, path, { headers })
          if (sentAt > changedAt) late.push(status)
          else early.push(status)
        }
      }
      const changing = until('answers come', () => early.length >= 2 * asked.length).then(async () => {
        await change(holder)
        changedAt = performance.now()
      })
      await Promise.all([changing, ...Array.from({ length: asked.length }, (_, index) => flood(index))])
      expect(late.length).toBeGreaterThan(0)
      expect(early).toContain(200)
      const isRefused = (status: number) => status === 401 || (what.endsWith('another table') && [403, 404].includes(status))
      expect(late.filter((status) => !isRefused(status))).toEqual([])
    }
  })
})

type Step = { kind: 'ask'; index: number } | { kind: 'change'; statement: string }

const statements = [
  'update rowhouse.tokens set tables = array[$2::uuid] where id = $1::uuid',
  'update rowhouse.tokens set tables = array[$3::uuid, $2::uuid] where id = $1::uuid',
  'update rowhouse.tokens set tables = null where id = $1::uuid',
  "update rowhouse.tokens set expires_at = now() - interval '1 second' where id = $1::uuid",
  "update rowhouse.tokens set expires_at = now() + interval '1 hour' where id = $1::uuid",
  "update rowhouse.tokens set last_used_at = now() - interval '1 hour' where id = $1::uuid",
  'update rowhouse.tokens set last_used_at = null where id = $1::uuid',
  'update rowhouse.users set disabled_at = now() where id = (select user_id from rowhouse.tokens where id = $1::uuid)',
  'update rowhouse.users set disabled_at = null where id = (select user_id from rowhouse.tokens where id = $1::uuid)',
  'update rowhouse.catalog_version set version = version + 1',
]
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('ask' as const), index: fc.nat(asked.length - 1) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('change' as const), statement: fc.constantFrom(...statements) }) },
)

/** What of an answer is not another one each time. */
const essence = async (response: Response) => [response.status, (await response.text()).replace(/"requestId":"[^"]*"/, '')]

test('whatever happens in whatever order, an instance that presumes answers as one that never does', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 30 }), async (steps) => {
      const holder = await newHolder()
      for (const each of steps) {
        if (each.kind === 'change') {
          const used = [holder.id, films, books].slice(0, Math.max(0, ...[...each.statement.matchAll(/\$(\d)/g)].map(([, n]) => Number(n))))
          await careful.db.query(each.statement, used)
          continue
        }
        const [, path, headers] = asked[each.index]!
        const [answer, expected] = [await send(app.url, holder, path, { headers }), await send(other.url, holder, path, { headers })]
        expect(await essence(answer)).toEqual(await essence(expected))
      }
    }),
    { numRuns: 25 },
  )
})
