import { expect, spyOn, test } from 'bun:test'
import { json, startApp } from '../support/app'
import { makeLink, openAsJson, statusOf } from '../support/links'
import { expectProblem } from '../support/problem'

const app = await startApp()
const goods = (path: string, method: string, body?: object) => app.call(`/api/v1/tables/goods${path}`, { as: 'admin', method, body })

test('a link of a list goes on after a column was deleted and others got its name', async () => {
  const columns = ['title', 'cost', 'price'].map((name) => ({ name, type: 'text' }))
  await app.call('/api/v1/tables', { as: 'admin', body: { name: 'goods', columns } })
  await goods('/records', 'POST', [
    { title: 'a', cost: '1', price: 'canary' },
    { title: 'b', cost: '2', price: 'canary' },
  ])
  const { path } = await makeLink(app, { table: 'goods', query: 'select=title,cost&title=neq.b&order=title' })
  expect((await goods('/columns/cost?confirm=cost', 'DELETE')).status).toBe(204)
  expect((await goods('/columns/title', 'PATCH', { name: 'label' })).status).toBe(200)
  expect((await goods('/columns/price', 'PATCH', { name: 'cost' })).status).toBe(200)
  expect(await statusOf(app, path)).toBe(200)
  const shown = JSON.stringify(await openAsJson(app, path))
  expect([shown.includes('"label":"a"'), shown.includes('"b"'), shown.includes('canary')]).toEqual([true, false, false])
})

test('a link whose only column was deleted stays closed when another column gets its name', async () => {
  const columns = ['title', 'cost', 'price'].map((name) => ({ name, type: 'text' }))
  await app.call('/api/v1/tables', { as: 'admin', body: { name: 'wares', columns } })
  const wares = (path: string, method: string, body?: object) => app.call(`/api/v1/tables/wares${path}`, { as: 'admin', method, body })
  await wares('/records', 'POST', { title: 'a', cost: '1', price: 'canary' })
  const { path } = await makeLink(app, { table: 'wares', query: 'select=cost' })
  expect((await wares('/columns/cost?confirm=cost', 'DELETE')).status).toBe(204)
  expect((await wares('/columns/price', 'PATCH', { name: 'cost' })).status).toBe(200)
  expect(await statusOf(app, path)).toBe(404)
})

const admin = (path: string, method: string, body?: object) => app.call(`/api/v1${path}`, { as: 'admin', method, body })
const made = async (path: string, body: object) => expect((await admin(path, 'POST', body)).status).toBe(201)
const drop = async (table: string, column: string) =>
  expect((await admin(`/tables/${table}/columns/${column}?confirm=${column}`, 'DELETE')).status).toBe(204)
const rename = async (table: string, column: string, name: string) =>
  expect((await admin(`/tables/${table}/columns/${column}`, 'PATCH', { name })).status).toBe(200)
const text = (name: string) => ({ name, type: 'text' })

test('a link of groups is closed once their aggregate has lost its column, and shows no single records', async () => {
  const columns = [text('city'), { name: 'salary', type: 'integer' }, { name: 'bonus', type: 'integer' }]
  await made('/tables', { name: 'people', columns })
  await made('/tables/people/records', [
    { city: 'Bonn', salary: 1, bonus: 1 },
    { city: 'Bonn', salary: 3, bonus: 1 },
  ])
  const { path } = await makeLink(app, { table: 'people', query: 'select=city,salary.avg()' })
  const hidden = await makeLink(app, { table: 'people', query: 'select=city,bonus.sum()' })
  expect((await openAsJson(app, path)).records).toHaveLength(1)
  await drop('people', 'salary')
  expect(await statusOf(app, path)).toBe(404)
  await rename('people', 'city', 'town')
  await rename('people', 'bonus', 'extra')
  expect(await statusOf(app, path)).toBe(404)
  expect((await openAsJson(app, hidden.path)).records).toHaveLength(1)
  const rules = [{ group: 'role:editor', table: 'people', read: 'all', columns: { read: ['town'] } }]
  expect((await admin('/access', 'PUT', { rules })).status).toBe(200)
  expect(await statusOf(app, hidden.path)).toBe(404)
  expect((await admin('/access', 'PUT', { rules: [] })).status).toBe(200)
})

test('a link leaves out the columns of linked records that are gone or hidden, and keeps the others', async () => {
  await made('/tables', { name: 'authors', columns: [text('name'), text('email'), text('phone')] })
  await made('/tables', { name: 'books', columns: [text('title'), { name: 'author', type: 'link', options: { table: 'authors' } }] })
  await made('/tables/authors/records', { name: 'Ann', email: 'canary', phone: 'canary' })
  await made('/tables/books/records', { title: 'Emma', author: 1 })
  const { path } = await makeLink(app, { table: 'books', query: 'select=title,author(name,email,phone)' })
  const only = await makeLink(app, { table: 'books', query: 'select=author(email)' })
  const filtered = await makeLink(app, { table: 'books', query: 'select=title,author!inner(email)&author.email=eq.canary' })
  await drop('authors', 'email')
  expect((await openAsJson(app, path)).records).toEqual([{ title: 'Emma', author: { name: 'Ann', phone: 'canary' } }])
  expect(await statusOf(app, only.path)).toBe(404)
  expect(await statusOf(app, filtered.path)).toBe(404)
  await rename('authors', 'name', 'label')
  await rename('authors', 'phone', 'email')
  expect((await openAsJson(app, path)).records).toEqual([{ title: 'Emma', author: { label: 'Ann', email: 'canary' } }])
  const rules = [{ group: 'role:editor', table: 'authors', read: 'all', columns: { read: ['id', 'label'] } }]
  expect((await admin('/access', 'PUT', { rules })).status).toBe(200)
  expect((await openAsJson(app, path)).records).toEqual([{ title: 'Emma', author: { label: 'Ann' } }])
})

test('a link does not get a name that was changed while its password was hashed', async () => {
  await made('/tables', { name: 'stock', columns: [text('title'), text('state')] })
  const { hash } = app.deps.passwords
  const hashing = spyOn(app.deps.passwords, 'hash')
  const createWhile = (change: () => Promise<void>) => {
    hashing.mockImplementationOnce(async (password) => {
      await change()
      return hash(password)
    })
    const body = { table: 'stock', query: 'state=eq.open', password: 'seven walrus onyx' }
    return app.call('/api/v1/links', { as: 'editor', body })
  }
  try {
    const created = await createWhile(() => rename('stock', 'title', 'label'))
    expect([created.status, (await json(created)).query]).toEqual([201, 'state=eq.open'])
    await expectProblem(await createWhile(() => rename('stock', 'state', 'status')), 400, 'invalid_request')
    expect(hashing).toHaveBeenCalledTimes(2)
  } finally {
    hashing.mockRestore()
  }
  const { links } = await json(app.call('/api/v1/links?table=stock', { as: 'editor' }))
  expect(links.map(({ query }: { query: string }) => query)).toEqual(['status=eq.open'])
})
