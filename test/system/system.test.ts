import { describe, expect, test } from 'bun:test'
import { json, startApp } from '../support/app'

const app = await startApp()

describe('GET /api/v1/system', () => {
  test('says what the service stands on, and how full it is', async () => {
    expect(await json(app.call('/api/v1/system', { as: 'admin' }))).toEqual({
      database: { kind: expect.stringMatching(/^(inside|own)$/), version: expect.stringMatching(/^\d+/), sizeBytes: expect.any(Number) },
      storage: { place: expect.any(String), files: 0, sizeBytes: 0, freeBytes: expect.any(Number) },
    })
  })

  test('counts the attachments', async () => {
    const columns = [{ name: 'papers', type: 'attachment' }]
    const table = await json(app.call('/api/v1/tables', { as: 'admin', body: { name: 'orders', columns } }))
    await app.call(`/api/v1/tables/${table.id}/records`, { as: 'admin', body: {} })
    await app.call(`/api/v1/tables/${table.id}/records/1/attachments/papers?name=note.txt`, {
      as: 'admin',
      method: 'POST',
      body: 'twelve bytes',
      headers: { 'content-type': 'text/plain' },
    })
    expect((await json(app.call('/api/v1/system', { as: 'admin' }))).storage).toMatchObject({ files: 1, sizeBytes: 12 })
  })

  test('is for administrators', async () => {
    expect((await app.call('/api/v1/system', { as: 'editor' })).status).toBe(403)
    expect((await app.call('/api/v1/system')).status).toBe(401)
  })
})
