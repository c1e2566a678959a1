import { afterAll } from 'bun:test'
import { startApp } from './app'
import { startPostgrest } from './postgrest'
import { rpc, shop } from './shop'

export type Headers = Record<string, string>
/** A request; a body other than text is sent as JSON. */
export type Sent = [method: string, path: string, body?: unknown, headers?: Headers]

export const exact = { prefer: 'count=exact' }
export const one = { accept: 'application/vnd.pgrst.object+json' }
export const csv = { accept: 'text/csv' }
export const json = { 'content-type': 'application/json' }
export const shown = { ...json, prefer: 'return=representation' }
export const prefer = (...preferences: string[]) => ({ ...json, prefer: preferences.join(', ') })

/** Both services run it and undo it, so that all requests find the same rows. */
export const undone = ([method, path, body, headers = {}]: Sent): Sent => [
  method,
  path,
  body,
  { ...headers, prefer: [(headers as Headers).prefer, 'tx=rollback'].filter(Boolean).join(', ') },
]

type Answer = { status: number; code?: string; body?: unknown; headers?: Record<string, string | null> }

const compared = ['content-type', 'content-range', 'preference-applied', 'location']

/** Rowhouse and PostgREST on the same tables. @returns a function that sends both the same request */
export async function startBoth(): Promise<(sent: Sent) => Promise<{ ours: Answer; theirs: Answer }>> {
  const app = await startApp({ ROWHOUSE_SCHEMAS: 'shop,side', ROWHOUSE_RPC: rpc.join(',') })
  await app.deps.db.sql.unsafe(shop)
  const postgrest = await startPostgrest(app.target, ['shop', 'side'])
  afterAll(postgrest.stop)
  return async ([method, path, content, sentHeaders = {}]) => {
    const body = content === undefined || typeof content === 'string' ? content : JSON.stringify(content)
    const headers = { ...profileOf(method), ...sentHeaders }
    const theirs = await fetch(postgrest.url + path, { method, body, headers })
    const ours = await fetch(`${app.url}/rest/v1${path}`, {
      method,
      body,
      headers: { ...headers, authorization: `Bearer ${app.tokens.editor}` },
    })
    return { ours: await answerOf(ours), theirs: await answerOf(theirs) }
  }
}

/** Ours also serves the schema `data`, as the first one. */
const profileOf = (method: string): Headers => ({ [['GET', 'HEAD'].includes(method) ? 'accept-profile' : 'content-profile']: 'shop' })

async function answerOf(response: Response): Promise<Answer> {
  const type = response.headers.get('content-type') ?? ''
  const text = await response.text()
  const body = /json/.test(type) && text ? JSON.parse(text) : text
  const headers = Object.fromEntries(compared.map((name) => [name, response.headers.get(name)?.replace('/rest/v1/', '/') ?? null]))
  // Our error messages have their own wording and never repeat a value.
  return { status: response.status, ...(response.status < 400 && response.status !== 300 ? { body, headers } : { code: body.code }) }
}
