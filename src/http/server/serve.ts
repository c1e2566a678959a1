import { graceMs } from '../../db/pool/scope'
import { Failure, invalidRequest, unavailable } from '../../errors'
import { translatable } from '../../messages/message'
import type { Events } from '../../ops/log/events'
import type { Config } from '../../ops/settings/config'
import { withTimeout } from '../../timeout'
import { hasUnreadBody } from '../request/body-stream'
import type { RequestInfo } from '../request/request-info'
import { isHost, loggablePath, pathOf } from '../request/url'
import { AnswerDetails } from '../response/answer-details'
import { type ErrorDialect, isSafe, knownOutcome, problem, problemWriterOf } from '../response/errors'
import { Exchange } from '../response/exchange'
import { secure } from '../security'
import { Deadline } from './deadline'
import { answerFirst } from './lingering'

export type Handler = (request: Request, info: RequestInfo) => Response | Promise<Response>

export type HttpServer = {
  url: string
  /** The number of running requests. */
  pendingRequests: () => number
  /** Accepts no new connections, waits for running requests (at most `graceMs`), then closes the rest. */
  stop: (graceMs?: number) => Promise<void>
}

/** Docker kills 10 s after its stop signal, and the database needs its share of that. */
const maxDrainMs = 7000

/** Longer than any query may take: a slow query must end in a 503, never in a closed connection. */
const slackMs = 10_000

/** PostgreSQL itself ends statements that take longer than ROWHOUSE_QUERY_TIMEOUT, except for the work of a commit. */
const cancelSlackMs = 1000

/**
 * The path of a request from socket to socket: identifies the peer, answers within a time limit, adds the headers of
 * every response, emits one event.
 * @param dialects the formats of failures below some paths
 */
export function serve(handler: Handler, config: Config, events: Events, dialects: readonly ErrorDialect[]): HttpServer {
  const limitMs = config.queryTimeoutMs + slackMs
  const ends = endsOf(config, events, dialects)
  const deadline = new Deadline(ends)
  const warn = warnOfProxy(events)
  const server = Bun.serve({
    hostname: config.host,
    port: config.port,
    development: false,
    // Otherwise Bun would share the port with another process that has it, which would receive half of the requests.
    reusePort: false,
    // Our own limits respond with problem details; Bun's would close the connection without a response.
    maxRequestBodySize: Number.MAX_SAFE_INTEGER,
    idleTimeout: Math.min(255, Math.ceil((config.queryTimeoutMs + 2 * slackMs) / 1000)),
    fetch(request, self) {
      const exchange = new Exchange(request, self, config, limitMs, slackMs)
      warn(exchange)
      try {
        const answer = begin(handler, exchange, dialects)
        return answer instanceof Promise ? deadline.hold(exchange, answer) : ends.finish(exchange, answer)
      } catch (error) {
        return ends.finish(exchange, ends.fail(exchange, error))
      }
    },
    error: (error) => answerMistake(error, config, events),
  })
  return {
    url: `http://${hostInUrl(config.host)}:${server.port}`,
    pendingRequests: () => server.pendingRequests,
    stop: async (graceMs = maxDrainMs) => {
      await withTimeout(server.stop(), graceMs, () => {})
      await server.stop(true)
      deadline.stop()
    },
  }
}

/** Warns once: with an undeclared proxy, all callers look the same to login throttling and the audit log. */
function warnOfProxy(events: Events): (exchange: Exchange) => void {
  let hasWarned = false
  return (exchange) => {
    const address = hasWarned ? null : exchange.strangeProxy
    if (address === null) return
    hasWarned = true
    const message =
      `Requests with X-Forwarded-For come from ${address}, which TRUSTED_PROXIES does not name. The header is not believed: everybody behind that address ` +
      `counts as one caller, and a few wrong passwords lock all of them out. If it is your proxy, set TRUSTED_PROXIES=${address}`
    events.emit({ kind: 'warning', message })
  }
}

/** A URL that a browser on this machine can open, which a wildcard address is not. */
const hostInUrl = (host: string) => (['0.0.0.0', '::'].includes(host) ? 'localhost' : host.includes(':') ? `[${host}]` : host)

function begin(handler: Handler, exchange: Exchange, dialects: readonly ErrorDialect[]): Response | Promise<Response> {
  const { request, id } = exchange
  const failure = findMalformed(request)
  return failure ? problemWriterOf(dialects, request)(failure, id) : handler(request, exchange)
}

function findMalformed({ headers }: Request): Failure | null {
  // RFC 9112 section 3.2; HTTP/1.0 has no Host header.
  return isHost(headers.get('host') ?? 'localhost') ? null : invalidRequest(translatable('The header Host names no host.'))
}

const endsOf = ({ queryTimeoutMs }: Config, events: Events, dialects: readonly ErrorDialect[]) => ({
  finish: (exchange: Exchange, answered: Response): Response => {
    const { request, id, startedAt, headLength } = exchange
    const response = secure(answered, exchange)
    if (headLength !== undefined) response.headers.set('content-length', String(headLength))
    const isUnread = hasUnreadBody(request)
    if (isUnread) response.headers.set('connection', 'close')
    const [path, durationMs] = [loggablePath(request.url), performance.now() - startedAt]
    const { status } = response
    const details = new AnswerDetails(exchange, pathOf(request.url), response)
    events.emit({ kind: 'request_done', requestId: id, method: request.method, path, status, durationMs, details })
    return isUnread && status >= 400 ? answerFirst(request, response) : response
  },
  fail: ({ request, id }: Exchange, error: unknown): Response => {
    events.emit({ kind: 'request_failed', requestId: id, method: request.method, path: loggablePath(request.url), error })
    return problemWriterOf(dialects, request)(ourFault(), id)
  },
  giveUp: (exchange: Exchange): Response | null => {
    const { request, id, scope } = exchange
    const isFirst = scope.reason === null
    scope.end(tookTooLong())
    if (isFirst && !scope.isIdle) {
      exchange.endsAt += graceMs
      return null
    }
    return problemWriterOf(dialects, request)(knownOutcome(tookTooLong(), request, scope), id)
  },
  look: ({ request, scope, outlastsClient }: Exchange, now: number): void => {
    scope.cancelOlderThan(queryTimeoutMs + cancelSlackMs, now)
    if (isSafe(request) && !outlastsClient && request.signal.aborted)
      scope.end(unavailable(translatable('The client closed the connection.')))
  },
})

const tookTooLong = () => unavailable(translatable('This took too long.'), 5)

const ourFault = () => new Failure('internal', translatable('Something went wrong on our side.'))

/** The last resort, for a bug around the handler. Bun passes it nothing about the request. */
function answerMistake(error: Error, { publicUrl = '' }: Config, events: Events): Response {
  events.emit({ kind: 'background_failed', task: 'answering a request', error })
  const id = Bun.randomUUIDv7()
  return secure(problem(ourFault(), id, 'en'), { id, isHttps: publicUrl.startsWith('https://') })
}
