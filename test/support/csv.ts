import { createHash } from 'node:crypto'
import { connect, type Socket } from 'node:net'
import { json, type TestApp } from './app'
import { hangMs } from './processes'

export const sha256 = (bytes: Uint8Array | string): string => createHash('sha256').update(bytes).digest('hex')

/** A table with a column of each simple type, for files of every kind. */
export async function makeContacts(app: TestApp, name: string, more: object[] = []): Promise<string> {
  const columns = [
    { name: 'name', type: 'text', required: true },
    { name: 'email', type: 'text', unique: true },
    { name: 'age', type: 'integer' },
    { name: 'balance', type: 'decimal', options: { precision: 12, scale: 2 } },
    { name: 'active', type: 'boolean' },
    { name: 'born', type: 'date' },
    { name: 'created', type: 'dateTime' },
    { name: 'notes', type: 'json' },
    ...more,
  ]
  const answer = await app.call('/api/v1/tables', { as: 'admin', body: { name, columns } })
  if (answer.status !== 201) throw new Error(`Making the table answered ${answer.status}: ${await answer.text()}`)
  return (await json(answer)).id
}

export type Received = { head: string; body: Buffer; isEndedWell: boolean; isClosed: boolean }

/**
 * A client that reads bytes from the socket, so that it sees whether a chunked body ended with its last chunk. `take`
 * may stop reading (`socket.pause()`) or leave (`socket.destroy()`).
 */
export function readRaw(
  url: string,
  path: string,
  token: string,
  limitMs = hangMs,
  take?: (socket: Socket, bytes: number) => void,
): Promise<Received> {
  const { hostname, port } = new URL(url)
  return new Promise((done) => {
    const chunks: Buffer[] = []
    let bytes = 0
    const socket = connect({ host: hostname, port: Number(port) }, () => {
      socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\nConnection: close\r\n\r\n`)
    })
    const finish = (isClosed: boolean) => {
      clearTimeout(timer)
      socket.destroy()
      done({ ...parse(Buffer.concat(chunks)), isClosed })
    }
    const timer = setTimeout(() => finish(false), limitMs)
    socket.on('data', (chunk) => {
      chunks.push(chunk as Buffer)
      bytes += chunk.length
      take?.(socket, bytes)
    })
    socket.on('error', () => {})
    socket.on('close', () => finish(true))
  })
}

function parse(bytes: Buffer): Omit<Received, 'isClosed'> {
  const end = bytes.indexOf('\r\n\r\n')
  const head = bytes.subarray(0, Math.max(end, 0)).toString('latin1')
  const body: Buffer[] = []
  let at = end + 4
  for (;;) {
    const lineEnd = bytes.indexOf('\r\n', at)
    const size = lineEnd < 0 ? Number.NaN : Number.parseInt(bytes.subarray(at, lineEnd).toString('latin1'), 16)
    if (Number.isNaN(size)) return { head, body: Buffer.concat(body), isEndedWell: false }
    if (size === 0) return { head, body: Buffer.concat(body), isEndedWell: true }
    body.push(bytes.subarray(lineEnd + 2, lineEnd + 2 + size))
    at = lineEnd + 2 + size + 2
  }
}

/** Creates hundreds of thousands of rows, which would take long through the API. */
export const fillContacts = (app: TestApp, name: string, rows: number) =>
  // The time limit of the service is meant for requests, not for this many records at once. Connections other than
  // those for exports and imports are also dropped when they are silent for longer.
  app.deps.db.bulk.begin(async (tx) => {
    await tx`set local statement_timeout = 0`
    await tx.unsafe(
      `insert into data."${name}" (name, email, age, balance, active, born, created, notes)
        select 'Name ' || g, 'user' || g || '@example.org', g % 90, g * 1.37, g % 2 = 0, date '1990-01-01' + g % 9000,
          timestamptz '2026-01-01 00:00:00Z' + g * interval '1 minute', to_jsonb(array['"quoted"', 'and, comma', repeat('x', 60)])
        from generate_series(1, ${rows}) g`,
    )
  })

type Upload = { as?: 'admin' | 'editor' | 'viewer'; query?: string; type?: string; headers?: Record<string, string> }

/** Sends a file to `/api/v1/tables/{path}`; a table's name means its import. */
export function upload(
  app: TestApp,
  path: string,
  file: string | Uint8Array | FormData | ReadableStream,
  call: Upload = {},
): Promise<Response> {
  const { as = 'editor', query = '', type = 'text/csv', headers = {} } = call
  return fetch(`${app.url}/api/v1/tables/${path}${path === 'import' ? '' : '/import'}${query}`, {
    method: 'POST',
    body: file as string,
    headers: { authorization: `Bearer ${app.tokens[as]}`, ...(file instanceof FormData ? {} : { 'content-type': type }), ...headers },
  })
}
