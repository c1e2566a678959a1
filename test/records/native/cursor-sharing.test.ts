import { expect, test } from 'bun:test'
import { planLimits } from '../../../src/records/query/plan/limits'
import { json, startApp } from '../../support/app'

/**
 * A cursor in the order of a single key is read as a filter, in one statement with others like it. Nobody must see a
 * difference.
 */
const app = await startApp()
await app.call('/api/v1/tables', {
  as: 'admin',
  body: {
    name: 'things',
    columns: [
      { name: 'cursor', type: 'text' },
      { name: 'n', type: 'integer' },
    ],
  },
})
const body = Array.from({ length: 120 }, (_, index) => ({ cursor: `c${index}`, n: index % 7 }))
await app.call('/api/v1/tables/things/records', { as: 'editor', body })
const get = (query: string) => app.call(`/api/v1/tables/things/records${query}`, { as: 'viewer' })

async function walk(query: string): Promise<number[]> {
  const keys: number[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page: { records: { id: number }[]; nextCursor: string | null } = await json(get(`?${query}${cursor && `&cursor=${cursor}`}`))
    keys.push(...page.records.map(({ id }) => id))
    cursor = page.nextCursor
  }
  return keys
}

const all = Array.from({ length: 120 }, (_, index) => index + 1)

test.each([
  ['limit=11', all],
  ['limit=120', all],
  ['limit=7&order=id.desc', all.toReversed()],
  ['limit=5&n=eq.3', all.filter((id) => (id - 1) % 7 === 3)],
  ['limit=5&select=n,id&%22cursor%22=like.c1*', all.filter((id) => String(id - 1).startsWith('1'))],
  ['limit=9&or=(n.eq.1,n.eq.2)&order=id.desc', all.filter((id) => [1, 2].includes((id - 1) % 7)).toReversed()],
  ['limit=13&count=exact', all],
  ['limit=13&order=n,id', all.toSorted((one, other) => ((one - 1) % 7) - ((other - 1) % 7) || one - other)],
])('a walk by cursor with %s meets each record once, in order, alone and beside others', async (query, expected) => {
  expect(await walk(query)).toEqual(expected)
  expect(await Promise.all(Array.from({ length: 8 }, () => walk(query)))).toEqual(Array(8).fill(expected))
})

test('a list with as many conditions as are allowed has all of its pages', async () => {
  const conditions = Array.from({ length: planLimits.conditions }, (_, n) => `n.eq.${n}`)
  expect(await walk(`limit=50&or=(${conditions})`)).toEqual(all)
  expect((await get(`?or=(${conditions},n.is.null)`)).status).toBe(400)
})

test('a cursor of another order, a broken one, two of them, and one beside an offset are refused', async () => {
  const { nextCursor } = await json(get('?limit=3&order=id.desc'))
  for (const query of [
    `cursor=${nextCursor}`,
    'cursor=x',
    `order=id.desc&cursor=${nextCursor}&cursor=${nextCursor}`,
    `order=id.desc&offset=3&cursor=${nextCursor}`,
  ])
    expect({ query, status: (await get(`?${query}`)).status }).toEqual({ query, status: 400 })
})

test('a count beside a cursor is of the whole list', async () => {
  const { nextCursor } = await json(get('?limit=3'))
  expect((await json(get(`?limit=3&count=exact&cursor=${nextCursor}`))).totalCount).toBe(120)
})
