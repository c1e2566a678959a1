import { Failure, invalidRequest, unavailable } from '../errors'
import type { Config } from '../ops/config'
import type { Events } from '../ops/events'
import { isHost, pathOf, routable } from './address'
import { problem } from './errors'
import { readPeer } from './peer'
import { type RequestInfo, rememberInfo } from './request-info'
import { secure } from './security'

export type Handler = (request: Request) => Response | Promise<Response>

export type HttpServer = {
  url: string
  /** Takes no new connections, waits for the requests under way (at most `graceMs`), then closes what is left. */
  stop: (graceMs?: number) => Promise<void>
}

/** Docker kills 10 s after it has asked to stop, and the database behind us needs its share of that. */
const longestDrainMs = 7000

/** Longer than any query may take: a slow query must end in a 503, never in a closed connection. */
const slackMs = 10_000

/** The request, from the socket to the socket: who is it, answer within a time, the headers that every answer has, one event. */
export function serve(handler: Handler, config: Config, events: Events): HttpServer {
  const deadline = createDeadline(config.queryTimeoutMs + slackMs)
  const server = Bun.serve({
    hostname: config.host,
    port: config.port,
    development: false,
    // Without it Bun would share the port with whoever has it already, and half of the requests would go there.
    reusePort: false,
    // Our own limits answer in the envelope; Bun's would close the connection without a word.
    maxRequestBodySize: Number.MAX_SAFE_INTEGER,
    idleTimeout: Math.min(255, Math.ceil((config.queryTimeoutMs + 2 * slackMs) / 1000)),
    async fetch(request, self) {
      const startedAt = performance.now()
      const peer = readPeer(request.headers, () => self.requestIP(request)?.address ?? '', config)
      const id = idOf(request)
      const timed = deadline(id)
      const info: RequestInfo = {
        id,
        host: peer.host,
        origin: peer.origin,
        isHttps: peer.isHttps,
        get address() {
          return peer.address
        },
        takeTime: (limitMs: number) => {
          timed.extend(limitMs)
          self.timeout(request, 0)
        },
        closeWhenIdle: (idleMs: number) => self.timeout(request, Math.min(255, Math.ceil(idleMs / 1000))),
      }
      const response = secure(await timed.hold(answer(handler, request, info, events)), info)
      if (info.headLength !== undefined) response.headers.set('content-length', String(info.headLength))
      events.emit({
        kind: 'request_done',
        requestId: info.id,
        method: request.method,
        path: pathOf(request.url),
        status: response.status,
        durationMs: performance.now() - startedAt,
        get address() {
          return info.address
        },
      })
      return response
    },
    error: (error) => answerMistake(error, config, events),
  })
  return {
    url: `http://${hostInUrl(config.host)}:${server.port}`,
    stop: async (graceMs = longestDrainMs) => {
      await Promise.race([server.stop(), Bun.sleep(graceMs)])
      await server.stop(true)
      deadline.stop()
    },
  }
}

/** An address that a browser on this machine can open: the wildcards are none. */
const hostInUrl = (host: string) => (['0.0.0.0', '::'].includes(host) ? 'localhost' : host.includes(':') ? `[${host}]` : host)

const saneId = /^[A-Za-z0-9._:-]{1,100}$/

function idOf({ headers }: Request): string {
  const sent = headers.get('x-request-id')
  return sent && saneId.test(sent) ? sent : Bun.randomUUIDv7()
}

async function answer(handler: Handler, request: Request, info: RequestInfo, events: Events): Promise<Response> {
  try {
    // RFC 9112 section 3.2; HTTP/1.0 knows no Host.
    if (!isHost(request.headers.get('host') ?? 'localhost')) return problem(invalidRequest('The header Host names no host.'), info.id)
    const routed = routable(request)
    rememberInfo(routed, info)
    return await handler(routed)
  } catch (error) {
    events.emit({ kind: 'request_failed', requestId: info.id, method: request.method, path: pathOf(request.url), error })
    return problem(ourFault(), info.id)
  }
}

const ourFault = () => new Failure('internal', 'Something went wrong on our side.')

/** The last resort, for a mistake around the handler. Bun tells it nothing of the request. */
function answerMistake(error: Error, { publicUrl = '' }: Config, events: Events): Response {
  events.emit({ kind: 'background_failed', task: 'answering a request', error })
  const info = {
    id: Bun.randomUUIDv7(),
    address: '',
    host: '',
    origin: publicUrl,
    isHttps: publicUrl.startsWith('https://'),
    takeTime: () => {},
    closeWhenIdle: () => {},
  }
  return secure(problem(ourFault(), info.id), info)
}

/** One clock for all requests: a timer for each would cost more than most of them. */
function createDeadline(limitMs: number) {
  const open = new Set<{ endsAt: number; expire: () => void }>()
  const clock = setInterval(() => {
    const now = performance.now()
    for (const entry of open) if (entry.endsAt < now) entry.expire()
  }, 500)
  const begin = (requestId: string) => {
    const entry = { endsAt: performance.now() + limitMs, expire: () => {} }
    const hold = (response: Promise<Response>) =>
      new Promise<Response>((done, fail) => {
        entry.expire = () => done(problem(unavailable('This took too long.', 5), requestId))
        open.add(entry)
        const end =
          <Value>(tell: (value: Value) => void) =>
          (value: Value) => {
            open.delete(entry)
            tell(value)
          }
        response.then(end(done), end(fail))
      })
    const extend = (byMs: number) => {
      entry.endsAt = performance.now() + byMs
    }
    return { hold, extend }
  }
  return Object.assign(begin, { stop: () => clearInterval(clock) })
}
