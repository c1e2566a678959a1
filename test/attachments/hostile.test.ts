import { afterEach, describe, expect, test } from 'bun:test'
import { gzipSync } from 'node:zlib'
import { json } from '../support/app'
import { type FileView, firstCell, picture, startFiles } from '../support/attachments'
import { fileBombs } from '../support/bombs'
import { signInAs } from '../support/session'

const files = await startFiles()
const cookie = await signInAs(files, 'viewer')

afterEach(() => expect(files.events.filter(({ kind }) => kind === 'request_failed')).toEqual([]))

const columns = ['one', 'two'].map((name) => ({ name, type: 'attachment' }))
const twins = ['left', 'right']
const own: { table: string; pk: number; column: string; file: FileView }[] = []
for (const table of twins) {
  const made = await json(files.call('/api/v1/tables', { as: 'admin', body: { name: table, columns } }))
  await files.call(`/api/v1/tables/${table}/records`, { as: 'admin', body: [{}, {}] })
  for (const pk of [1, 2]) {
    for (const { name: column } of columns) {
      const file = await files.attach('x.png', await picture(4, 4), `/api/v1/tables/${made.id}/records/${pk}/attachments/${column}`)
      own.push({ table, pk, column, file })
    }
  }
}

test('a file is found at its own address only: no part of another’s leads to it, though every part is there (SEC-51)', async () => {
  for (const { table, pk, column } of own) {
    for (const { table: itsTable, pk: itsPk, column: itsColumn, file } of own) {
      const isOwn = table === itsTable && pk === itsPk && column === itsColumn
      const address = `/api/v1/tables/${table}/records/${pk}/attachments/${column}/${file.id}`
      for (const [method, query] of [
        ['GET', ''],
        ['HEAD', ''],
        ['GET', '?size=small'],
      ] as const) {
        const answer = await files.call(address + query, { as: 'viewer', method })
        expect([address, method, query, answer.status]).toEqual([address, method, query, isOwn ? 200 : 404])
      }
      if (!isOwn) expect((await files.call(address, { as: 'admin', method: 'DELETE' })).status).toBe(404)
    }
  }
  for (const { file } of own) expect((await files.call(file.url, { as: 'viewer' })).status).toBe(200)
})

describe('what protects a file stands on every answer, by', () => {
  const { url } = own[0]!.file
  const token = files.tokens.viewer
  test.each([
    ['header', '', { authorization: `Bearer ${token}` }, 'same-origin'],
    ['query', `token=${token}`, {}, 'cross-origin'],
    ['cookie', '', { cookie }, 'same-origin'],
  ] as [string, string, Record<string, string>, string][])('%s', async (_way, credential, sent, policy) => {
    const etag = (await files.call(url, { as: 'viewer' })).headers.get('etag')!
    for (const [status, query, headers, method] of [
      [200, '', {}, 'GET'],
      [200, '', {}, 'HEAD'],
      [200, 'download', {}, 'GET'],
      [200, 'size=small', {}, 'GET'],
      [206, '', { range: 'bytes=0-3' }, 'GET'],
      [304, '', { 'if-none-match': etag }, 'GET'],
      [416, '', { range: 'bytes=99999-' }, 'GET'],
    ] as [number, string, Record<string, string>, string][]) {
      const answer = await files.call(`${url}?${[credential, query].filter(Boolean).join('&')}`, {
        method,
        headers: { ...sent, ...headers },
      })
      const get = (name: string) => answer.headers.get(name)
      expect([query, answer.status]).toEqual([query, status])
      expect(get('x-content-type-options')).toBe('nosniff')
      expect(get('referrer-policy')).toBe('no-referrer')
      expect(get('cache-control')).toBe('private, no-cache')
      expect(get('vary')).toStartWith('Authorization, Cookie')
      expect(get('content-security-policy')).toEndWith('; sandbox')
      expect(get('cross-origin-resource-policy')).toBe(policy)
      expect([...answer.headers].some(([, value]) => value.includes(token))).toBe(false)
    }
    const missing = await files.call(`${url.slice(0, -1)}x?${credential}`, { headers: sent })
    expect([missing.status, missing.headers.get('cache-control')]).toEqual([404, 'private, no-store'])
    expect(await missing.text()).not.toContain(token)
  })
})

test.each(['revoked', 'expired', 'disabled'])('a credential that was %s gets 401, whatever it asks on condition (SEC-59)', async (how) => {
  const { url } = own[0]!.file
  const etag = (await files.call(url, { as: 'viewer' })).headers.get('etag')!
  const { id, token } = await json(files.call('/auth/tokens', { as: 'editor', body: { name: how } }))
  expect((await files.call(`${url}?token=${token}`, { headers: { 'if-none-match': etag } })).status).toBe(304)
  const { user } = await json(files.call('/auth/me', { as: 'editor' }))
  if (how === 'revoked') await files.call(`/auth/tokens/${id}`, { as: 'editor', method: 'DELETE' })
  if (how === 'expired') await files.deps.db.query(`update rowhouse.tokens set expires_at = now() where id = $1::uuid`, [id])
  if (how === 'disabled') await files.call(`/api/v1/users/${user.id}`, { as: 'admin', method: 'PATCH', body: { disabled: true } })
  const conditions: Record<string, string>[] = [
    { 'if-none-match': etag },
    { 'if-none-match': '*' },
    { range: 'bytes=0-1', 'if-range': etag },
    { range: 'bytes=9999-' },
  ]
  for (const headers of conditions) {
    for (const method of ['GET', 'HEAD']) {
      const answer = await files.call(`${url}?token=${token}`, { method, headers })
      expect([headers, answer.status, answer.headers.get('etag')]).toEqual([headers, 401, null])
    }
  }
  if (how === 'disabled') await files.call(`/api/v1/users/${user.id}`, { as: 'admin', method: 'PATCH', body: { disabled: false } })
})

describe('bytes that are made to keep whoever looks at them busy (SEC-60)', () => {
  // test/executable/memory.test.ts measures the memory.
  test.each(fileBombs)('%s', async (_what, name, bytes) => {
    expect((await files.send(name, bytes())).status).toBe(201)
  })

  test('are not unpacked when they come packed: 415', async () => {
    const headers = { authorization: `Bearer ${files.tokens.editor}`, 'content-encoding': 'gzip', 'content-type': 'text/csv' }
    for (const path of [`${firstCell}/photos?name=x`, '/api/v1/tables/pets/import']) {
      const answer = await fetch(files.url + path, { method: 'POST', headers, body: gzipSync('name\nx\n') })
      expect([path, answer.status]).toEqual([path, 415])
    }
  })
})
