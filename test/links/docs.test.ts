import { expect, test } from 'bun:test'
import { json, startApp } from '../support/app'
import { examplesOf } from '../support/examples'

/** The examples of docs/share-links.md are true: they are run one after the other. */
const app = await startApp()
const { id: authors } = await json(
  app.call('/api/v1/tables', { as: 'admin', body: { name: 'authors', columns: [{ name: 'name', type: 'text' }] } }),
)
await app.call('/api/v1/tables', {
  as: 'admin',
  body: {
    name: 'books',
    columns: [
      { name: 'title', type: 'text' },
      { name: 'pages', type: 'integer' },
      { name: 'author', type: 'link', options: { table: authors } },
    ],
  },
})
await app.call('/api/v1/tables/authors/records', { as: 'editor', body: { name: 'Jane Austen' } })
await app.call('/api/v1/tables/books/records', {
  as: 'editor',
  body: [
    { title: 'Emma', pages: 474, author: 1 },
    { title: 'Persuasion', pages: 236, author: 1 },
    { title: 'Lady Susan', pages: 120, author: 1 },
  ],
})

const examples = examplesOf('share-links.md')
let made = { id: '', url: '' }

test('there are examples', () => {
  expect(examples.length).toBeGreaterThan(10)
})

test.each(examples.map((example) => [example.title, example]))('%s', async (_title, { method, path, headers, body, status, answer }) => {
  const at = path.replace('%7Btoken%7D', made.url.slice(-43)).replace('%7Bid%7D', made.id)
  const response = await app.call(at, { as: path.startsWith('/s/') ? undefined : 'editor', method, headers, body })
  const got = await response.text()
  expect({ status: response.status, got }).toEqual({ status, got })
  if (status === 201) made = JSON.parse(got)
  if (answer) expect(JSON.parse(got)).toMatchObject(JSON.parse(answer))
})
