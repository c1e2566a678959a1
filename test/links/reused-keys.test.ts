import { beforeAll, describe, expect, test } from 'bun:test'
import { json, startApp } from '../support/app'
import { makeLink, openAsJson, statusOf } from '../support/links'

const app = await startApp()
const records = '/api/v1/tables/codes/records'
const admin = (method: string, path: string, body?: object) => app.call(records + path, { as: 'admin', method, body })
const create = async (code: string, title: string) => expect((await admin('POST', '', { code, title })).status).toBe(201)
const remove = async (code: string) => expect((await admin('DELETE', `/${code}`)).status).toBe(204)

beforeAll(async () => {
  const columns = [
    { name: 'title', type: 'text' },
    { name: 'at', type: 'updatedAt' },
    { name: 'number', type: 'autoNumber' },
  ]
  const body = { name: 'codes', columns, primaryKey: { name: 'code', type: 'text' } }
  expect((await app.call('/api/v1/tables', { as: 'admin', body })).status).toBe(201)
})

describe('a link to a record whose key another record has by now does not open', () => {
  const ways: Record<string, (code: string) => Promise<void>> = {
    'after a deletion': async (code) => {
      await remove(code)
      await create(code, 'canary')
    },
    'after a change of the key': async (code) => {
      await admin('PATCH', `/${code}`, { code: `${code}-moved` })
      await create(code, 'canary')
    },
    'when that one got the key by a change': async (code) => {
      await remove(code)
      await create(`${code}-other`, 'canary')
      expect((await admin('PATCH', `/${code}-other`, { code })).status).toBe(200)
    },
    'after the table was emptied': async (code) => {
      await app.deps.db.query('truncate data.codes')
      await create(code, 'canary')
    },
  }
  test.each(Object.keys(ways))('%s', async (how) => {
    const code = how.replaceAll(' ', '-')
    await create(code, 'shared')
    const link = await makeLink(app, { table: 'codes', pk: code })
    await admin('PATCH', `/${code}`, { title: 'changed' })
    expect(JSON.stringify(await openAsJson(app, link.path))).toContain('changed')
    await ways[how]!(code)
    expect(await statusOf(app, link.path)).toBe(404)
    // For good: the log forgets, and the link does not.
    await app.deps.db.query('delete from rowhouse.changes')
    expect(await statusOf(app, link.path)).toBe(404)
    const later = await makeLink(app, { table: 'codes', pk: code })
    expect(JSON.stringify(await openAsJson(app, later.path))).toContain('canary')
  })
})

test('a link opens again when its record is restored from the trash', async () => {
  await create('kept', 'shared')
  const link = await makeLink(app, { table: 'codes', pk: 'kept' })
  await remove('kept')
  expect(await statusOf(app, link.path)).toBe(404)
  const { records: trash } = await json(app.call('/api/v1/tables/codes/trash', { as: 'admin' }))
  const { id } = trash.find(({ pk }: { pk: string }) => pk === 'kept')
  expect((await app.call(`/api/v1/tables/codes/trash/${id}/restore`, { as: 'admin', method: 'POST' })).status).toBe(201)
  expect(JSON.stringify(await openAsJson(app, link.path))).toContain('shared')
  await admin('PATCH', '/kept', { title: 'changed' })
  expect(JSON.stringify(await openAsJson(app, link.path))).toContain('changed')
})
