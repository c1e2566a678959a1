import { describe, expect, test } from 'bun:test'
import type { NewToken } from '../../../src/auth/model'
import { json, startApp } from '../../support/app'
import { bearer, makePerson } from '../../support/people'
import { expectProblem } from '../../support/problem'

const app = await startApp()
const { db } = app.deps
const columns = [{ name: 'title', type: 'text' }]
const makeTable = async (name: string): Promise<string> =>
  (await json(app.call('/api/v1/tables', { as: 'admin', body: { name, columns } }))).id
const [books, films] = [await makeTable('books'), await makeTable('films')]

type As = 'admin' | 'editor' | 'viewer'
const make = async (more: Partial<NewToken>, as: As = 'admin'): Promise<string> =>
  (await json(app.call('/auth/tokens', { as, body: { name: 'made', ...more } }))).token

const tokens = {
  full: await make({}),
  write: await make({ scope: 'write' }),
  read: await make({ scope: 'read' }),
  'full, books': await make({ tables: [books] }),
  'write, books': await make({ scope: 'write', tables: [books] }),
  'read, books': await make({ scope: 'read', tables: [books] }),
  'full, a viewer’s': await make({}, 'viewer'),
  'full, an editor’s': await make({}, 'editor'),
}
type Kind = keyof typeof tokens

const id = Bun.randomUUIDv7()
const record = { title: 'Emma' }
/**
 * For each request, what the tokens get in the order of `kinds`; s: insufficient_scope, f: forbidden, n: not found, and
 * so on by status.
 */
const kinds: Kind[] = ['full', 'write', 'read', 'full, books', 'write, books', 'read, books', 'full, an editor’s', 'full, a viewer’s']
const requests: [request: string, body: object | undefined, expected: string][] = [
  ['GET /auth/me', undefined, '200 200 200 200 200 200 200 200'],
  ['GET /api/v1/tables', undefined, '200 200 200 200 200 200 200 200'],
  ['GET /api/v1/tables/books', undefined, '200 200 200 200 200 200 200 200'],
  ['GET /api/v1/tables/films', undefined, '200 200 200 s s s 200 200'],
  [`GET /api/v1/tables/${films}`, undefined, '200 200 200 s s s 200 200'],
  ['GET /api/v1/tables/books/records', undefined, '200 200 200 200 200 200 200 200'],
  ['GET /api/v1/tables/films/records', undefined, '200 200 200 s s s 200 200'],
  ['GET /api/v1/tables/data.films/records', undefined, '200 200 200 s s s 200 200'],
  ['POST /api/v1/tables/books/records', record, '201 201 s 201 201 s 201 f'],
  ['POST /api/v1/tables/films/records', record, '201 201 s s s s 201 f'],
  ['PATCH /api/v1/tables/films/records/999', record, '404 404 s s s s 404 f'],
  ['DELETE /api/v1/tables/films/records/999', undefined, '404 404 s s s s 404 f'],
  ['POST /api/v1/tables', { name: 'books', columns }, '409 s s s s s f f'],
  ['GET /auth/tokens', undefined, '200 s s s s s 200 200'],
  ['POST /auth/tokens', { name: '' }, '422 s s s s s 422 422'],
  [`DELETE /auth/tokens/${id}`, undefined, '404 s s s s s 404 404'],
  ['GET /auth/sessions', undefined, '200 s s s s s 200 200'],
  ['DELETE /auth/sessions', undefined, '204 s s s s s 204 204'],
  [`DELETE /auth/sessions/${id}`, undefined, '404 s s s s s 404 404'],
  ['GET /api/v1/users', undefined, '200 s s s s s f f'],
  ['POST /api/v1/users', {}, '422 s s s s s f f'],
  [`GET /api/v1/users/${id}`, undefined, '404 s s s s s f f'],
  [`PATCH /api/v1/users/${id}`, { name: 'x' }, '404 s s s s s f f'],
  [`DELETE /api/v1/users/${id}`, undefined, '404 s s s s s f f'],
  [`POST /api/v1/users/${id}/reset`, undefined, '404 s s s s s f f'],
  [`DELETE /api/v1/users/${id}/sessions`, undefined, '404 s s s s s f f'],
  [`GET /api/v1/users/${id}/tokens`, undefined, '404 s s s s s f f'],
  [`DELETE /api/v1/users/${id}/tokens/${id}`, undefined, '404 s s s s s f f'],
  ['GET /api/v1/audit', undefined, '200 s s s s s f f'],
]

const letters: Record<string, string> = { insufficient_scope: 's', forbidden: 'f' }

async function shown(response: Response): Promise<string> {
  if (response.status !== 403) return String(response.status)
  const { code } = await json(response)
  const challenge = response.headers.get('www-authenticate')
  expect(challenge).toBe(code === 'insufficient_scope' ? 'Bearer realm="service", error="insufficient_scope"' : null)
  return letters[code] ?? code
}

describe.each(['header', 'query'])('what a token may do, by %s:', (transport) => {
  test.each(requests)('%s', async (request, body, expected) => {
    const [method = '', path] = request.split(' ')
    const found: string[] = []
    for (const kind of kinds) {
      const response =
        transport === 'header'
          ? await app.call(path!, { method, body, headers: bearer(tokens[kind]) })
          : await app.call(`${path}?token=${tokens[kind]}`, { method, body })
      found.push(await shown(response))
    }
    expect(found.join(' ')).toBe(expected)
  })
})

test('a token that is held to tables is shown these alone', async () => {
  const names = async (kind: Kind) =>
    (await json(app.call('/api/v1/tables', { headers: bearer(tokens[kind]) }))).tables.map((each: { name: string }) => each.name)
  expect(await names('read')).toEqual(['books', 'films'])
  expect(await names('read, books')).toEqual(['books'])
})

test('tables may be named when a token is made: it keeps their ids, each once', async () => {
  const body = { name: 'x', tables: ['books', 'data.films', books, books.toUpperCase()] }
  const made = await json(app.call('/auth/tokens', { as: 'admin', body }))
  expect(made.tables).toEqual([books, films])
})

test('a table that there is not is refused with the nearest name, and every other one too', async () => {
  const response = await app.call('/auth/tokens', { as: 'admin', body: { name: 'x', tables: ['bokos', 'films', 'quite another'] } })
  const problem = await expectProblem(response, 422, 'validation_failed')
  expect(problem.errors).toEqual([
    { path: '/tables/0', message: 'There is no such table. Did you mean "books"?' },
    { path: '/tables/2', message: 'There is no such table. GET /api/v1/tables lists the tables.' },
  ])
})

test('a table of the same name that comes later is another table', async () => {
  const old = await makeTable('lent')
  const token = await make({ tables: [old] })
  await db.query("update rowhouse.tables set name = 'lent before' where id = $1::uuid", [old])
  await db.query('alter table data.lent rename to "lent before"')
  await makeTable('lent')
  await expectProblem(await app.call('/api/v1/tables/lent', { headers: bearer(token) }), 403, 'insufficient_scope')
})

describe('the role of the owner is the upper bound, as it is at this moment', () => {
  const tries = async (token: string) => {
    const headers = bearer(token)
    const read = await app.call('/api/v1/tables/books/records', { headers })
    const write = await app.call('/api/v1/tables/books/records', { body: record, headers })
    return [read, write, await app.call('/api/v1/users', { headers })].map(({ status }) => status)
  }
  test.each([
    ['admin', [200, 201, 200]],
    ['editor', [200, 201, 403]],
    ['viewer', [200, 403, 403]],
  ] as const)('%s', async (role, expected) => {
    const { user, token } = await makePerson(app, 'admin')
    const own = async (body: object) => (await json(app.call('/auth/tokens', { body, headers: bearer(token) }))).token as string
    const child = await own({ name: 'child' })
    await app.call(`/api/v1/users/${user.id}`, { as: 'admin', method: 'PATCH', body: { role } })
    expect([await tries(token), await tries(child)]).toEqual([[...expected], [...expected]])
  })

  test('a token of scope full gives no more than the role when it makes another', async () => {
    const child = (
      await json(app.call('/auth/tokens', { body: { name: 'child', scope: 'full' }, headers: bearer(tokens['full, a viewer’s']) }))
    ).token
    await expectProblem(await app.call('/api/v1/users', { headers: bearer(child) }), 403, 'forbidden')
  })
})
