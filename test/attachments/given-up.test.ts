import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { json, startApp } from '../support/app'
import { newFolder } from '../support/executable'
import { head, sendRaw } from '../support/raw'

const app = await startApp({ ROWHOUSE_QUERY_TIMEOUT: '1s', ROWHOUSE_TRANSFER_TIMEOUT: '3s', ROWHOUSE_DATA_DIR: join(newFolder(), 'data') })
const columns = [{ name: 'file', type: 'attachment' }]
await app.call('/api/v1/tables', { as: 'admin', body: { name: 'docs', columns } })
const { id } = await json(app.call('/api/v1/tables/docs/records', { as: 'editor', body: {} }))

const half = (path: string, type: string) => {
  const headers: [string, string][] = [
    ['Authorization', `Bearer ${app.tokens.editor}`],
    ['Content-Type', type],
    ['Content-Length', '1000'],
  ]
  return sendRaw(app.url, `${head('POST', path, headers)}{"half of it`, 30_000)
}

test('an upload whose time is up may be tried again, and nothing of it is left', async () => {
  const { status, body } = await half(`/api/v1/tables/docs/records/${id}/attachments/file?name=a.txt`, 'text/plain')
  expect([status, JSON.parse(body).code]).toEqual([503, 'unavailable'])
  const loose = async () => (await app.deps.db.sql`select from rowhouse.loose_files`).length
  while ((await loose()) > 0) await Bun.sleep(20)
  expect(app.events.filter(({ kind }) => kind === 'background_failed')).toEqual([])
})

test('that the use of a token is noted is no write of the request', async () => {
  await app.deps.db.sql`update rowhouse.tokens set last_used_at = now() - interval '1 hour'`
  const { status, body } = await half('/api/v1/tables/docs/records', 'application/json')
  expect([status, JSON.parse(body).code]).toEqual([503, 'unavailable'])
})
