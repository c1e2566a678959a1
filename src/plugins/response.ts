import { sessionCookie } from '../auth/identity/credential'
import type { PluginEndpoint } from './load/declaration'

/** The form of the response, and callbacks for events during it. */
export type ResponseExtras = {
  /** Whether only the headers are sent. */
  isHead: boolean
  /** The plugin tried to set Rowhouse's session cookie, which was left out. */
  onOurCookie: () => void
  /** A stream broke off. */
  onBroken: (error: unknown) => void
  /** The response is complete, or its reader has left. */
  onEnd: () => void
}

/** A mistake of the plugin: its response does not fit the schema that it declared. */
class WrongAnswer extends Error {}

/** Makes the response from the value that `handle` returned. @throws WrongAnswer */
export function answerWith(value: unknown, { response }: PluginEndpoint, beside: ResponseExtras): Response | Promise<Response> {
  if (value instanceof Response) return guarded(value, beside)
  if (isStream(value)) {
    const headers = new Headers({ 'content-type': 'application/octet-stream' })
    return new Response(streamBody(value, headers, beside), { headers })
  }
  beside.onEnd()
  if (value === undefined) return new Response(null, { status: 204 })
  const text = JSON.stringify(value)
  if (text === undefined) throw new WrongAnswer('The endpoint returned something that is not JSON.')
  // The second check is for a value that JSON.stringify converts, such as a Date.
  if (response && !response.accepts(value) && !response.accepts(JSON.parse(text)))
    throw new WrongAnswer('The response does not fit the schema "response" of the endpoint.')
  return new Response(text, { headers: { 'content-type': 'application/json' } })
}

type Chunks = AsyncIterable<string | Uint8Array>

const isStream = (value: unknown): value is Chunks =>
  typeof value === 'object' && value !== null && typeof (value as Partial<Chunks>)[Symbol.asyncIterator] === 'function'

/** For a HEAD, ends the stream at once: Elysia would read it to its end, to measure it. */
function streamBody(chunks: Chunks, headers: Headers, beside: ResponseExtras): ReadableStream<Uint8Array> | null {
  if (!beside.isHead) return watched(chunks, beside)
  beside.onEnd()
  void endUnread(chunks).catch(() => {})
  // Bun sends this instead of a length of 0.
  headers.set('transfer-encoding', 'chunked')
  return null
}

/** The iterator of a stream cancels it only after the first read. */
async function endUnread(chunks: Chunks): Promise<void> {
  await (chunks instanceof ReadableStream ? chunks.cancel() : chunks[Symbol.asyncIterator]().return?.())
}

function watched(chunks: Chunks, { onBroken, onEnd }: ResponseExtras): ReadableStream<Uint8Array> {
  const iterator = chunks[Symbol.asyncIterator]()
  // An error after the reader has left is ignored.
  let isWanted = true
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await iterator.next()
        if (!isWanted) return
        if (!done) return controller.enqueue(bytesOf(value))
        onEnd()
        controller.close()
      } catch (error) {
        onEnd()
        if (!isWanted) return
        onBroken(error)
        // Bun would print an error with source code to the standard error. The connection also breaks without an error.
        controller.error()
      }
    },
    cancel: async () => {
      isWanted = false
      onEnd()
      await iterator.return?.()
    },
  })
}

const encoder = new TextEncoder()

function bytesOf(chunk: unknown): Uint8Array {
  if (typeof chunk === 'string') return encoder.encode(chunk)
  if (chunk instanceof Uint8Array) return chunk
  throw new WrongAnswer('A stream of the endpoint gave something that is neither text nor bytes.')
}

/** Headers about the transfer to this service; Bun has decoded the body. */
const ofTheTransfer = ['content-encoding', 'content-length', 'transfer-encoding', 'connection', 'keep-alive']

/** SEC-120: `cors` and the settings alone decide who may read a response, not a server that `fetch` called. */
const ofCors = ['access-control-allow-origin', 'access-control-allow-credentials']

/** A copy, so that the plugin's own response does not get the headers that are added. */
function guarded(response: Response, beside: ResponseExtras): Response | Promise<Response> {
  if (response.bodyUsed) throw new WrongAnswer('The endpoint returned a Response whose body has been read already.')
  const headers = new Headers(response.headers)
  // A response with a URL came from `fetch`.
  if (response.url) for (const name of ofTheTransfer) headers.delete(name)
  for (const name of ofCors) headers.delete(name)
  if (headers.has('set-cookie')) dropOurCookie(headers, beside.onOurCookie)
  const copy = (body: BodyInit | null) => new Response(body, { status: response.status, statusText: response.statusText, headers })
  const kind = bodyKind(response)
  if (kind === 'stream') return copy(streamBody(response.body!, headers, beside))
  beside.onEnd()
  if (kind === 'memory' && !headers.has('content-type')) return typed(response, copy, headers)
  return copy(response.body)
}

/**
 * Bun tells the kind of a body nowhere else, and `response.body` turns every body into a stream, which loses its length
 * and type.
 */
function bodyKind(response: Response): 'stream' | 'memory' | 'other' {
  const text = Bun.inspect(response)
  if (/^ {2}ReadableStream /m.test(text)) return 'stream'
  return /^ {2}Blob /m.test(text) ? 'memory' : 'other'
}

/** Sends a text as a text. Bun sets the type by itself for the original response, but not for a copy. */
async function typed(response: Response, copy: (body: BodyInit) => Response, headers: Headers): Promise<Response> {
  const bytes = await response.bytes()
  headers.set('content-type', isText(bytes) ? 'text/plain;charset=utf-8' : 'application/octet-stream')
  return copy(bytes)
}

function isText(bytes: Uint8Array): boolean {
  if (bytes.includes(0)) return false
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return true
  } catch {
    return false
  }
}

/** SEC-69: only the service itself signs a user in. */
function dropOurCookie(headers: Headers, onOurCookie: () => void) {
  const cookies = headers.getSetCookie()
  const foreign = cookies.filter((cookie) => !isOurs(cookie))
  if (foreign.length === cookies.length) return
  headers.delete('set-cookie')
  for (const cookie of foreign) headers.append('set-cookie', cookie)
  onOurCookie()
}

/**
 * A cookie without a name is sent back as its value alone, so `=service_session=x` would come back as the session
 * cookie.
 */
const isOurs = (cookie: string): boolean => {
  const [pair = ''] = cookie.split(';')
  return (
    pair
      .replace(/^[\s=]+/, '')
      .split('=')[0]!
      .trim()
      .toLowerCase() === sessionCookie
  )
}
