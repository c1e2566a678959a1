import { expect, test } from 'bun:test'
import { startApp } from '../support/app'
import { makeLink, openAsJson, statusOf } from '../support/links'

const app = await startApp()
await app.call('/api/v1/tables', {
  as: 'admin',
  body: {
    name: 'people',
    columns: [
      { name: 'name', type: 'text' },
      { name: 'salary', type: 'integer' },
    ],
  },
})
const boss = { name: 'boss', type: 'link', options: { table: 'people' } }
expect((await app.call('/api/v1/tables/people/columns', { as: 'admin', body: boss })).status).toBe(201)
await app.call('/api/v1/tables/people/records', {
  as: 'admin',
  body: [
    { name: 'Ann', salary: 70001, boss: 2 },
    { name: 'Bob', salary: 80002, boss: 3 },
    { name: 'Cid', salary: 90003, boss: 1 },
  ],
})

const cursorOf = (values: unknown[]) => Buffer.from(JSON.stringify(values)).toString('base64url')

/** Every page of the list, and the addresses that led to them. */
async function pagesOf(query: string) {
  const { path } = await makeLink(app, { table: 'people', query })
  const pages: { records: { name: string }[]; next: string | null }[] = []
  for (let next: string | null = path; next !== null; next = pages.at(-1)!.next) pages.push(await openAsJson(app, next))
  const names = pages.flatMap(({ records }) => records.map(({ name }) => name))
  const places = pages.flatMap(({ next }) => (next === null ? [] : [new URL(next, app.url).searchParams]))
  return { path, names, places }
}

test.each([
  ['a column', 'select=name&order=salary.desc&limit=1', ['salary desc first,id desc', '90003', '3'], ['Cid', 'Bob', 'Ann']],
  ['the key', 'select=name&limit=1', ['id asc', '1'], ['Ann', 'Bob', 'Cid']],
  [
    'a column of a linked record',
    'select=id,name,boss(name)&order=boss(salary)&limit=1',
    ['boss salary asc last,id asc', '70001', '3'],
    ['Cid', 'Ann', 'Bob'],
  ],
])('a list in the order of %s that it does not show has no cursor', async (_what, query, values, expected) => {
  const { path, names, places } = await pagesOf(query)
  expect(names).toEqual(expected)
  expect(places.map((place) => [place.has('cursor'), place.get('offset')])).toEqual([
    [false, '1'],
    [false, '2'],
  ])
  expect(await statusOf(app, `${path}?cursor=${cursorOf(values)}`)).toBe(404)
})

test('a list that shows the values of its order is paged by cursors', async () => {
  for (const query of ['order=salary.desc&limit=1', 'select=id,name,pay:salary&order=salary.desc&limit=1']) {
    const { names, places } = await pagesOf(query)
    expect(names).toEqual(['Cid', 'Bob', 'Ann'])
    expect(places.map((place) => place.get('cursor'))).toEqual([
      cursorOf(['salary desc first,id desc', '90003', '3']),
      cursorOf(['salary desc first,id desc', '80002', '2']),
    ])
  }
})
