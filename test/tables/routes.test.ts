import { describe, expect, test } from 'bun:test'
import { json, startApp } from '../support/app'

const app = await startApp()

const books = { name: 'books', columns: [{ name: 'title', type: 'text', required: true }] }

describe('POST /api/v1/tables', () => {
  test.each([
    ['a stranger', undefined, books, 401],
    ['a viewer', 'viewer', books, 403],
    ['an editor', 'editor', books, 403],
    ['a stranger with a bad body, who learns nothing about it', undefined, {}, 401],
    ['an editor with a bad body, who learns nothing about it', 'editor', {}, 403],
    ['an admin with a bad body', 'admin', { name: '', columns: [] }, 422],
  ] as const)('refuses %s', async (_who, as, body, status) => {
    expect((await app.call('/api/v1/tables', { as, body })).status).toBe(status)
  })

  test('makes a real table with a counted key', async () => {
    const response = await app.call('/api/v1/tables', { as: 'admin', body: books })
    expect(response.status).toBe(201)
    expect(await response.json()).toMatchObject({
      schema: 'data',
      name: 'books',
      primaryKey: ['id'],
      readOnly: false,
      columns: [
        { name: 'id', type: 'bigint', required: true },
        { name: 'title', type: 'text', required: true, unique: false, default: null, options: {} },
      ],
    })
    const columns = await app.deps.db.query<{ text: string }>(
      "select column_name || ' ' || data_type as text from information_schema.columns where table_schema = 'data' and table_name = 'books' order by ordinal_position",
    )
    expect(columns.map(({ text }) => text)).toEqual(['id bigint', 'title text'])
  })

  test('a name that is taken: 409, and nothing is half-made', async () => {
    const response = await app.call('/api/v1/tables', { as: 'admin', body: { ...books, columns: [] } })
    expect(response.status).toBe(409)
    expect(await json(app.call('/api/v1/tables', { as: 'viewer' }))).toMatchObject({ tables: [{ name: 'books', columns: [{}, {}] }] })
  })
})
