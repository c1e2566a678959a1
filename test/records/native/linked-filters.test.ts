import { describe, expect, test } from 'bun:test'
import { json, startApp } from '../../support/app'

const app = await startApp()
const create = async (path: string, body: unknown) => {
  const response = await app.call(path, { as: 'admin', body })
  if (response.status !== 201) throw new Error(await response.text())
}
const table = (name: string, columns: object[]) => create('/api/v1/tables', { name, columns })
await table('people', [{ name: 'name', type: 'text' }])
await table('tasks', [
  { name: 'title', type: 'text' },
  { name: 'owner', type: 'link', options: { table: 'people' } },
  // The names of a table and of a word of the grammar.
  { name: 'people', type: 'link', options: { table: 'people' } },
  { name: 'order', type: 'manyLinks', options: { table: 'people' } },
  { name: 'parent', type: 'link', options: { table: 'tasks' } },
])
await create('/api/v1/tables/people/columns', { name: 'owns', type: 'reverseLinks', options: { table: 'tasks', column: 'owner' } })
await create('/api/v1/tables/people/records', [{ name: 'Ann Ash' }, { name: 'Ben Birch' }, {}])
await create('/api/v1/tables/tasks/records', [
  { title: 'a', owner: 1, people: 2, order: [1, 2] },
  { title: 'b', owner: 2, people: 1, order: [3], parent: 1 },
  { title: 'c', owner: 3 },
  { title: 'd', parent: 2 },
])

const titles = async (query: string) => {
  const { records } = await json(app.call(`/api/v1/tables/tasks/records?order=title&${query}`, { as: 'editor' }))
  return records?.map(({ title }: { title: string }) => title).join('')
}

describe('a filter on linked records', () => {
  test.each([
    ['a link', 'owner(name)=ilike.*ann*', 'a'],
    ['a link without the text, without a text and without a record', 'owner(name)=not.ilike.*ann*', 'bcd'],
    ['a link that has the name of a table to which several links lead', 'people(name)=ilike.*ann*', 'b'],
    ['links to many', 'order(name)=ilike.*i*', 'a'],
    ['links to many, none of which match', 'order(name)=not.ilike.*i*', 'bcd'],
    ['a link to the same table', 'parent(title)=eq.a', 'b'],
    ['several conditions on one link, and quoted names', '"owner"("name")=ilike.*n*&owner("name")=like.B*', 'b'],
    ['a group', 'or=(owner(name).ilike.*ann*,and(parent(title).eq.b,owner.is.null))', 'ad'],
    ['a negated condition in a group', 'or=(order(name).not.is.null,title.eq.d)', 'acd'],
    ['a link to a record with a value', 'owner(name)=is.not_null', 'ab'],
    ['links to many, one of which has a value', 'order(name)=is.not_null', 'a'],
    ['a negated group', 'not.or=(owner(name).ilike.*ann*,title.eq.d)', 'bc'],
    ['a list', 'owner(name)=in.("Ann Ash",x)', 'a'],
  ])('finds %s', async (_what, query, found) => {
    expect(await titles(query)).toBe(found)
  })

  test('counts, and is of the other side of a link, of an embedded record, and of /rest/v1', async () => {
    const counted = await json(app.call('/api/v1/tables/tasks/records?owner(name)=ilike.*n*&count=exact', { as: 'editor' }))
    expect(counted.totalCount).toBe(2)
    const owners = await json(app.call('/api/v1/tables/people/records?owns(title)=eq.b&select=name', { as: 'editor' }))
    expect(owners.records).toEqual([{ name: 'Ben Birch' }])
    const rest = await json(app.call('/rest/v1/tasks?select=title,parent!inner(title)&parent.owner(name)=like.A*', { as: 'editor' }))
    expect(rest).toEqual([{ title: 'b', parent: { title: 'a' } }])
  })

  test('has the values of each request, although they share a statement', async () => {
    const found = await Promise.all(['Ann', 'Ben', 'Ann', 'no'].map((name) => titles(`owner(name)=like.${name}*`)))
    expect(found).toEqual(['a', 'b', 'a', ''])
  })

  test.each([
    ['a column without links', 'title(name)=eq.x', 'No foreign key joins'],
    ['an unknown column of the linked table', 'owner(nmae)=eq.x', 'name'],
    ['an operator that does not work on its type', 'owner(id)=like.x', 'does not work'],
    ['an unclosed parenthesis', 'owner(name=eq.x', 'owner(name'],
  ])('of %s is refused', async (_what, query, message) => {
    const response = await app.call(`/api/v1/tables/tasks/records?${query}`, { as: 'editor' })
    expect(response.status).toBe(400)
    expect(JSON.stringify(await response.json())).toContain(message)
  })

  test('does not show what the caller may not read', async () => {
    const read = { group: 'everyone', table: 'tasks', read: 'all', create: 'all', update: 'all', delete: 'all' }
    const save = (...rules: object[]) => app.call('/api/v1/access', { as: 'admin', method: 'PUT', body: { rules } })
    const answer = async (query: string) => (await app.call(`/api/v1/tables/tasks/records?${query}`, { as: 'editor' })).status
    expect((await save(read, { ...read, table: 'people', read: 'name=like.B*' })).status).toBe(200)
    expect(await titles('owner(name)=ilike.*n*')).toBe('b')
    expect((await save(read, { ...read, table: 'people', columns: { read: ['id'] } })).status).toBe(200)
    expect(await answer('owner(name)=ilike.*n*')).toBe(403)
    expect((await save(read, { ...read, table: 'people', group: 'role:viewer' })).status).toBe(200)
    expect(await answer('owner(name)=ilike.*n*')).toBe(400)
    expect((await save()).status).toBe(200)
  })
})
