import { beforeAll, describe, expect, test } from 'bun:test'
import { json, startApp } from '../support/app'

/** What errors tell a caller under access rules, where several tables or files are written. */
const app = await startApp()
const { db } = app.deps

const make = async (path: string, body: object) => expect((await app.call(path, { as: 'admin', body })).status).toBe(201)
const allowed = { group: 'everyone', table: 'books', read: 'all', create: 'all', update: 'all', delete: 'all' }
const visible = ['title', 'cover']
const save = async (...rules: object[]) =>
  expect((await app.call('/api/v1/access', { as: 'admin', method: 'PUT', body: { rules } })).status).toBe(200)

beforeAll(async () => {
  await make('/api/v1/tables', { name: 'authors', columns: [{ name: 'name', type: 'text' }] })
  await make('/api/v1/tables', {
    name: 'books',
    columns: [
      { name: 'title', type: 'text' },
      { name: 'isbn', type: 'text' },
      { name: 'author', type: 'integer' },
      { name: 'cover', type: 'attachment' },
    ],
  })
  await app.call('/api/v1/tables/books/records', { as: 'admin', body: { title: 'Emma', isbn: 'one' } })
  await save({ ...allowed, columns: { read: visible, write: visible } })
})

describe('an error at the commit of a batch names no hidden column', () => {
  const author = { method: 'POST', table: 'authors', body: { name: 'Zola' } }
  const book = { method: 'POST', table: 'books', body: { title: 'Nana' } }
  const send = (as: 'admin' | 'editor', operations: object[], headers = {}) =>
    app.call('/api/v1/batch', { as, body: { operations }, headers })

  test.each([
    ['unique (isbn)', 'isbn', `'one'`],
    ['foreign key (author) references data.authors', 'author', '99'],
  ])('%s', async (definition, column, value) => {
    await db.query(`alter table data.books add constraint late ${definition} deferrable initially deferred`)
    await db.query(`alter table data.books alter ${column} set default ${value}`)
    try {
      for (const operations of [[book], [author, book]])
        for (const headers of [{}, { 'idempotency-key': Bun.randomUUIDv7() }]) {
          const [whole, narrow] = [await send('admin', operations, headers), await send('editor', operations, headers)]
          expect([whole.status, narrow.status]).toEqual([409, 409])
          expect((await json(whole)).errors[0].path).toBe(`/${column}`)
          expect((await json(narrow)).errors).toEqual([{ path: '', message: expect.any(String) }])
        }
    } finally {
      await db.query(`alter table data.books drop constraint late, alter ${column} drop default`)
    }
  })

  test('and names one that the caller sees', async () => {
    await db.query('alter table data.books add constraint late unique (title) deferrable initially deferred')
    try {
      for (const operations of [
        [book, book],
        [author, book, book],
      ]) {
        const { errors, message } = await json(send('editor', operations))
        expect([errors[0].path, message]).toEqual(['/title', 'Another record has this value in "title".'])
      }
    } finally {
      await db.query('alter table data.books drop constraint late')
    }
  })
})

test('an error of an upload or of a removed file names no hidden column and no rule of one', async () => {
  const cell = '/api/v1/tables/books/records/1/attachments/cover'
  const upload = (name: string) =>
    app.call(`${cell}?name=${name}`, { as: 'editor', body: 'text', headers: { 'content-type': 'text/plain' } })
  const first = await upload('first.txt')
  expect(first.status).toBe(201)
  const [{ url }] = await json(first)
  await db.query(`alter table data.books add constraint isbn_is_good check (isbn <> 'one') not valid`)
  try {
    for (const answer of [await upload('second.txt'), await app.call(url, { as: 'editor', method: 'DELETE' })]) {
      expect(answer.status).toBe(422)
      expect((await json(answer)).errors).toEqual([{ path: '', message: 'does not fit a rule of this table' }])
    }
  } finally {
    await db.query('alter table data.books drop constraint isbn_is_good')
  }
})
