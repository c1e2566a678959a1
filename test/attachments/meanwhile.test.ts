import { afterEach, describe, expect, test } from 'bun:test'
import { json } from '../support/app'
import { firstCell, startFiles } from '../support/attachments'

/** What others do while the bytes of an upload come in. */
const files = await startFiles()
const column = `/api/v1/tables/pets/columns/${files.columnId('photos')}`

afterEach(async () => {
  expect(files.events.filter(({ kind }) => kind === 'request_failed')).toEqual([])
  expect(await files.deps.db.query('select from rowhouse.loose_files')).toHaveLength(0)
})

/** Bytes that pause until `work` is done. */
const pausing = (work: () => Promise<unknown>) =>
  new ReadableStream({
    start: async (controller) => {
      controller.enqueue(new Uint8Array(100_000))
      await Bun.sleep(100)
      await work()
      controller.enqueue(new Uint8Array(100))
      controller.close()
    },
  }) as BodyInit

const during = (work: () => Promise<unknown>, cell = `${firstCell}/photos`, token = files.tokens.editor) =>
  fetch(`${files.url}${cell}?name=slow`, { method: 'POST', body: pausing(work), headers: { authorization: `Bearer ${token}` } })

const admin = (method: string, path: string, body?: object) => files.call(path, { as: 'admin', method, ...(body ? { body } : {}) })

describe('an upload ends well while', () => {
  test('column and table get other names', async () => {
    const answer = await during(async () => {
      expect((await admin('PATCH', column, { name: 'pictures' })).status).toBe(200)
      expect((await admin('PATCH', '/api/v1/tables/pets', { name: 'animals' })).status).toBe(200)
    })
    expect([answer.status, await answer.clone().text()]).toEqual([201, expect.stringContaining('slow')])
    const [{ url }] = (await answer.json()) as [{ url: string }]
    expect((await files.call(url, { as: 'viewer' })).status).toBe(200)
    expect((await admin('PATCH', '/api/v1/tables/animals', { name: 'pets' })).status).toBe(200)
    expect((await admin('PATCH', column, { name: 'photos' })).status).toBe(200)
  })

  test('the record is changed by others', async () => {
    const answer = await during(async () => {
      expect((await admin('PATCH', '/api/v1/tables/pets/records/1', { name: 'Max' })).status).toBe(200)
    })
    expect(answer.status).toBe(201)
    expect(await json(admin('GET', '/api/v1/tables/pets/records/1'))).toMatchObject({ name: 'Max' })
  })
})

describe('an upload leaves nothing when', () => {
  const refused = async (status: number, work: () => Promise<unknown>, cell?: string, token?: string) => {
    const before = files.stored()
    expect((await during(work, cell, token)).status).toBe(status)
    expect(files.stored()).toEqual(before)
  }

  test('its token is revoked meanwhile', async () => {
    const { id, token } = await json(files.call('/auth/tokens', { as: 'editor', body: { name: 'short' } }))
    const revoke = () => files.call(`/auth/tokens/${id}`, { as: 'editor', method: 'DELETE' })
    await refused(401, revoke, undefined, token)
  })

  test('its user becomes a viewer meanwhile', async () => {
    const { users } = await json(admin('GET', '/api/v1/users'))
    const { id } = users.find(({ email }: { email: string }) => email === 'editor@example.org')
    await refused(403, () => admin('PATCH', `/api/v1/users/${id}`, { role: 'viewer' }))
    expect((await admin('PATCH', `/api/v1/users/${id}`, { role: 'editor' })).status).toBe(200)
  })

  test('its record is deleted meanwhile', async () => {
    await refused(404, () => admin('DELETE', '/api/v1/tables/pets/records/2'), firstCell.replace('/1/', '/2/').concat('/photos'))
  })

  test('its cell fills up meanwhile', async () => {
    const cell = `${firstCell}/papers`
    const answer = await during(async () => {
      for (const name of ['a', 'b']) await files.attach(name, 'x', cell)
    }, cell)
    expect(answer.status).toBe(409)
    expect((await files.cell('papers')).map(({ name }) => name)).toEqual(['a', 'b'])
    expect(files.stored().filter((name) => name.includes('.'))).toEqual([])
  })

  test('its column is deleted meanwhile', async () => {
    await refused(404, () => admin('DELETE', `${column}?confirm=photos`))
  })
})
