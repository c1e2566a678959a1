import { sessionCookie } from '../auth/identity/credential'
import type { PluginEndpoint } from './load/declaration'

/** What happens beside an answer. */
export type ResponseExtras = {
  /** A cookie of ours was to be set, and was left out. */
  onOurCookie: () => void
  /** A stream broke off. */
  onBroken: (error: unknown) => void
  /** All of the answer is there, or nobody waits for the rest. */
  onEnd: () => void
}

/** A plugin's mistake: its answer is not what it said it would be. */
class WrongAnswer extends Error {}

/** What `handle` returned → the response. @throws WrongAnswer */
export function answerWith(value: unknown, { response }: PluginEndpoint, beside: ResponseExtras): Response | Promise<Response> {
  if (value instanceof Response) return guarded(value, beside)
  if (isStream(value)) return new Response(watched(value, beside), { headers: { 'content-type': 'application/octet-stream' } })
  beside.onEnd()
  if (value === undefined) return new Response(null, { status: 204 })
  const text = JSON.stringify(value)
  if (text === undefined) throw new WrongAnswer('The endpoint returned something that is no JSON.')
  // The second look is for what turns into JSON by itself, such as a Date.
  if (response && !response.accepts(value) && !response.accepts(JSON.parse(text)))
    throw new WrongAnswer('The answer does not fit the schema "response" of the endpoint.')
  return new Response(text, { headers: { 'content-type': 'application/json' } })
}

type Chunks = AsyncIterable<string | Uint8Array>

const isStream = (value: unknown): value is Chunks =>
  typeof value === 'object' && value !== null && typeof (value as Partial<Chunks>)[Symbol.asyncIterator] === 'function'

function watched(chunks: Chunks, { onBroken, onEnd }: ResponseExtras): ReadableStream<Uint8Array> {
  const iterator = chunks[Symbol.asyncIterator]()
  // What comes after the caller has left is of no use, and no mistake.
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
        // Of an error Bun would write the sources to the standard error; without one the connection breaks just so.
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

/** Said of the bytes on their way to us; Bun has unpacked them. */
const ofTheTransfer = ['content-encoding', 'content-length', 'transfer-encoding', 'connection', 'keep-alive']

/** A copy, since the headers that we add are not the plugin's to keep. */
function guarded(response: Response, beside: ResponseExtras): Response | Promise<Response> {
  if (response.bodyUsed) throw new WrongAnswer('The endpoint returned a Response whose body has been read already.')
  const headers = new Headers(response.headers)
  // An address means that it came from `fetch`.
  if (response.url) for (const name of ofTheTransfer) headers.delete(name)
  if (headers.has('set-cookie')) dropOurCookie(headers, beside.onOurCookie)
  const copy = (body: BodyInit | null) => new Response(body, { status: response.status, statusText: response.statusText, headers })
  const kind = bodyKind(response)
  if (kind === 'stream') return copy(watched(response.body!, beside))
  beside.onEnd()
  if (kind === 'memory' && !headers.has('content-type')) return typed(response, copy, headers)
  return copy(response.body)
}

/**
 * Bun tells the kind of a body nowhere else, and `response.body` makes a stream of all of them, which has lost length
 * and type.
 */
function bodyKind(response: Response): 'stream' | 'memory' | 'other' {
  const shown = Bun.inspect(response)
  if (/^ {2}ReadableStream /m.test(shown)) return 'stream'
  return /^ {2}Blob /m.test(shown) ? 'memory' : 'other'
}

/** A text is sent as one, which Bun would do for the original, but not for a copy of it. */
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

/** SEC-69: nobody but us signs anybody in. */
function dropOurCookie(headers: Headers, onOurCookie: () => void) {
  const cookies = headers.getSetCookie()
  const kept = cookies.filter((cookie) => !isOurs(cookie))
  if (kept.length === cookies.length) return
  headers.delete('set-cookie')
  for (const cookie of kept) headers.append('set-cookie', cookie)
  onOurCookie()
}

/** A cookie without a name is sent back as its value alone: `=service_session=x` would come back as ours. */
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
