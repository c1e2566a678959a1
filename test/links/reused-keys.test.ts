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

test('a link of an earlier release, which did not note the last change, ends as well', async () => {
  await create('older', 'shared')
  await create('older-same', 'shared')
  const [link, same] = [await makeLink(app, { table: 'codes', pk: 'older' }), await makeLink(app, { table: 'codes', pk: 'older-same' })]
  await admin('PATCH', '/older-same', { title: 'changed' })
  await remove('older')
  await create('older', 'canary')
  await app.deps.db.query('update rowhouse.share_links set last_change = null')
  expect(await statusOf(app, link.path)).toBe(404)
  expect(await statusOf(app, same.path)).toBe(200)
})

test('a record of a transaction that began before the link, and ended after it, is another one', async () => {
  await create('early', 'shared')
  const { path } = await app.deps.db.transaction(async ({ query }) => {
    await query("update data.codes set title = 'begun' where code = 'early-none'")
    await query("insert into data.codes (code, title) values ('early-other', 'logged before the link')")
    const link = await makeLink(app, { table: 'codes', pk: 'early' })
    await query("delete from data.codes where code = 'early'")
    await query("insert into data.codes (code, title) values ('early', 'canary')")
    return link
  })
  expect(await statusOf(app, path)).toBe(404)
})

test('a link that ends so is in the audit log, without an actor', async () => {
  await create('audited', 'shared')
  const { id, path } = await makeLink(app, { table: 'codes', pk: 'audited' })
  await remove('audited')
  await create('audited', 'canary')
  for (let time = 0; time < 2; time++) expect(await statusOf(app, path)).toBe(404)
  const { entries } = await json(app.call('/api/v1/audit?kind=link_revoked', { as: 'admin' }))
  const own = entries.filter(({ subjectId }: { subjectId: string }) => subjectId === id)
  expect(own).toMatchObject([{ actorId: null, credential: 'none', result: 'ok' }])
})

const restore = async (table: string, key: string) => {
  const { records: trash } = await json(app.call(`/api/v1/tables/${table}/trash`, { as: 'admin' }))
  const { id } = trash.find(({ pk }: { pk: string }) => pk === key)
  const answer = await app.call(`/api/v1/tables/${table}/trash/${id}/restore`, { as: 'admin', method: 'POST' })
  expect([answer.status, await answer.text()]).toEqual([201, expect.any(String)])
}
const undo = async (response: Promise<Response>) => {
  const requestId = (await response).headers.get('x-request-id')
  expect((await app.call(`/api/v1/changes/${requestId}/undo`, { as: 'admin', method: 'POST' })).status).toBe(200)
}
const move = async (from: string, to: string) => expect((await admin('PATCH', `/${from}`, { code: to })).status).toBe(200)
const addColumn = async (name: string) => {
  const body = { name, type: 'text' }
  expect((await app.call('/api/v1/tables/codes/columns', { as: 'admin', body })).status).toBe(201)
}

describe('a link opens again when its record', () => {
  const ways: Record<string, (code: string) => Promise<void>> = {
    'is restored from the trash': async (code) => {
      await remove(code)
      await restore('codes', code)
    },
    'is restored after a column was added': async (code) => {
      await remove(code)
      await addColumn('added')
      await restore('codes', code)
    },
    'is restored twice': async (code) => {
      for (let time = 0; time < 2; time++) {
        await remove(code)
        await restore('codes', code)
      }
    },
    'gets its key back': async (code) => {
      await move(code, `${code}-moved`)
      await move(`${code}-moved`, code)
    },
    'gets its key back by an undo': (code) => undo(admin('PATCH', `/${code}`, { code: `${code}-moved` })),
    'comes back by an undo': (code) => undo(admin('DELETE', `/${code}`)),
    'is restored and gets its key back': async (code) => {
      await move(code, `${code}-moved`)
      await remove(`${code}-moved`)
      await restore('codes', `${code}-moved`)
      await move(`${code}-moved`, code)
    },
  }
  test.each(Object.keys(ways))('%s', async (how) => {
    const code = how.replaceAll(' ', '-')
    await create(code, 'shared')
    const link = await makeLink(app, { table: 'codes', pk: code })
    await ways[how]!(code)
    expect(JSON.stringify(await openAsJson(app, link.path))).toContain('shared')
    await admin('PATCH', `/${code}`, { title: 'changed' })
    expect(JSON.stringify(await openAsJson(app, link.path))).toContain('changed')
    // As when the oldest partition of the log is dropped.
    await app.deps.db.query("delete from rowhouse.changes where operation = 'delete' or old_key is not null")
    expect(JSON.stringify(await openAsJson(app, link.path))).toContain('changed')
  })

  test('was restored and the log forgot the deletion before the link was opened', async () => {
    await create('forgotten', 'shared')
    const link = await makeLink(app, { table: 'codes', pk: 'forgotten' })
    await remove('forgotten')
    await restore('codes', 'forgotten')
    await app.deps.db.query("delete from rowhouse.changes where operation = 'delete'")
    expect(JSON.stringify(await openAsJson(app, link.path))).toContain('shared')
  })

  test('has a key that is only written in another way', async () => {
    const body = { name: 'prices', columns: [{ name: 'title', type: 'text' }], primaryKey: { name: 'price', type: 'text' } }
    expect((await app.call('/api/v1/tables', { as: 'admin', body })).status).toBe(201)
    await app.deps.db.query('alter table data.prices alter price type numeric using price::numeric')
    await app.deps.db.query("insert into data.prices (price, title) values (1.5, 'shared')")
    await app.deps.catalog.refresh()
    const link = await makeLink(app, { table: 'prices', pk: '1.5' })
    await app.deps.db.query('update data.prices set price = 1.50')
    expect(JSON.stringify(await openAsJson(app, link.path))).toContain('shared')
    await app.deps.db.query('delete from data.prices')
    await app.deps.db.query("insert into data.prices (price, title) values (1.500, 'canary')")
    expect(await statusOf(app, link.path)).toBe(404)
  })
})

test('a link does not open when an earlier record with its key is restored', async () => {
  await create('twice', 'earlier')
  await remove('twice')
  const { records: trash } = await json(app.call('/api/v1/tables/codes/trash', { as: 'admin' }))
  const { requestId } = trash.find(({ pk }: { pk: string }) => pk === 'twice')
  await create('twice', 'shared')
  const link = await makeLink(app, { table: 'codes', pk: 'twice' })
  await move('twice', 'twice-moved')
  expect((await app.call(`/api/v1/changes/${requestId}/undo?skipChanged=true`, { as: 'admin', method: 'POST' })).status).toBe(200)
  await create('twice', 'canary')
  expect(await statusOf(app, link.path)).toBe(404)
})
