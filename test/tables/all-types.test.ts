import { expect, test } from 'bun:test'
import { json, startApp } from '../support/app'
const app = await startApp()
test('all types', async () => {
  const authors = await json(app.call('/api/v1/tables', { as: 'admin', body: { name: 'authors', columns: [{ name: 'name', type: 'text' }] } }))
  console.log(JSON.stringify(authors))
  const r = await app.call('/api/v1/tables', { as: 'admin', body: { name: 'books', columns: [
    { name: 'a', type: 'longText', options: { minLength: 1, maxLength: 5, pattern: '^[a-z]+$' } },
    { name: 'b', type: 'float', options: { min: 1 } }, { name: 'c', type: 'time' }, { name: 'd', type: 'email' }, { name: 'e', type: 'url' }, { name: 'f', type: 'phone' },
    { name: 'g', type: 'select', options: { choices: ['x', { value: "y'\\,\"", color: 'red' }] }, default: 'x' },
    { name: 'h', type: 'multiSelect', options: { choices: ['x', 'y'] }, default: ['x', 'y'] }, { name: 'i', type: 'attachment', options: { maxFiles: 3, accept: ['image/*', '.pdf'] } },
    { name: 'j', type: 'link', options: { table: 'authors' } }, { name: 'k', type: 'manyLinks', options: { table: 'authors' } }, { name: 'self', type: 'manyLinks', options: { table: 'books' } },
    { name: 'parent', type: 'link', options: { table: 'books', onDelete: 'cascade' } },
    { name: 'l', type: 'user' }, { name: 'm', type: 'autoNumber' }, { name: 'n', type: 'createdAt' }, { name: 'o', type: 'updatedAt' }, { name: 'p', type: 'createdBy' }, { name: 'q', type: 'updatedBy' },
    { name: 'r', type: 'formula', options: { expression: 'upper(a) || \' \' || coalesce(b::text, \'-\')' } }, { name: 's', type: 'formula', options: { expression: 'b * 2 + extract(year from "n" at time zone \'UTC\')' } },
    { name: 'z', type: 'decimal', options: { precision: 6, scale: 2, min: 0 }, default: 5 }, { name: 'y', type: 'date', options: { min: '2020-01-01' } },
  ] } })
  console.log(r.status, await r.text())
  console.log(await (await app.call('/api/v1/tables/books/records', { as: 'editor', body: { a: 'abc', b: 2, c: '12:30', d: 'a@b.co', e: 'https://x.y', f: '+49 30 1', h: ['y'] } })).text())
  console.log(await (await app.call('/api/v1/tables/books/records', { as: 'editor', body: { a: 'ABC' } })).text())
  console.log(await (await app.call('/api/v1/tables/books/records/1', { as: 'editor', method: 'PATCH', body: { a: 'xy', self: [1] } })).text())
})
