import { STATUS_CODES } from 'node:http'
import { Elysia, NotFoundError, ParseError, ValidationError } from 'elysia'
import { databaseFailure } from '../../db/errors'
import type { RequestScope } from '../../db/pool/scope'
import { Failure, type FailureKind, malformedJson, outcomeUnknown, type Problem } from '../../errors'
import { type Message, type MessageLanguage, translatable, verbatim } from '../../messages/message'
import { inLanguage } from '../../messages/translation'
import type { Events } from '../../ops/log/events'
import { allowedMethods, type RouteTable } from '../request/allowed-methods'
import { languageOf } from '../request/language'
import { isPageAddress } from '../request/navigation'
import { infoOf } from '../request/request-info'
import { loggablePath, pathOf } from '../request/url'

export const statusOf: Record<FailureKind, number> = {
  unauthenticated: 401,
  invalid_token: 401,
  invalid_session: 401,
  invalid_credentials: 401,
  invalid_request: 400,
  malformed_json: 400,
  forbidden: 403,
  insufficient_scope: 403,
  session_required: 403,
  setup_code_required: 403,
  wrong_password: 403,
  csrf_rejected: 403,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  max_affected_exceeded: 409,
  request_in_progress: 409,
  idempotency_key_reused: 422,
  setup_done: 409,
  precondition_failed: 412,
  payload_too_large: 413,
  unsupported_media_type: 415,
  validation_failed: 422,
  too_many_requests: 429,
  internal: 500,
  query_timeout: 503,
  unavailable: 503,
  outcome_unknown: 503,
  render_failed: 503,
  insufficient_storage: 507,
}

/** Turns a failure into RFC 9457 problem details, the body of every error response of the service. */
export function problem(failure: Failure, requestId: string, language: MessageLanguage): Response {
  const representation = {
    'content-type': 'application/problem+json',
    'content-language': language,
    vary: 'Authorization, Cookie, Accept-Language',
  }
  const headers = { ...failure.extras.headers, ...representation }
  return new Response(problemText(failure, requestId, language), { status: statusOf[failure.kind], headers })
}

export function problemText(failure: Failure, requestId: string, language: MessageLanguage): string {
  const status = statusOf[failure.kind]
  const { details, hint, errors, lines } = failure.extras
  return JSON.stringify({
    type: `urn:rowhouse:error:${failure.kind}`,
    title: STATUS_CODES[status] ?? 'Error',
    status,
    code: failure.kind,
    ...inLanguage({ message: failure.text, details, hint, errors: errors ?? lines }, language),
    requestId,
  })
}

/** Formats failures below a path differently from `problem`, for clients of another service's API. */
export type ErrorDialect = { prefix: string; write: (failure: Failure, requestId: string) => Response }

/**
 * The only onError. It comes first in `app.ts`: a hook covers only routes that are mounted after it.
 * @param notFoundPage for a person who opens an unknown URL; sent with status 404
 */
export const failures = (
  events: Events,
  routes: () => RouteTable,
  dialects: readonly ErrorDialect[] = [],
  notFoundPage: ((request: Request) => Promise<Response>) | null = null,
) =>
  new Elysia({ name: 'http/failures' }).onError({ as: 'global' }, ({ error, request }) => {
    const info = infoOf(request)
    const { id, scope } = info
    if (error instanceof NotFoundError && request.method === 'OPTIONS') {
      const allowed = allowedMethods(routes(), pathOf(request.url))
      // R12: without a credential, and without headers for other sites.
      if (allowed.length) return new Response(null, { status: 204, headers: { allow: allowed.join(', ') } })
    }
    const failure = knownOutcome(toHttpFailure(error, request, routes), request, scope)
    const { refusal } = failure.extras
    info.refusal = { code: failure.kind, reason: refusal?.reason ?? failure.kind, detail: refusal?.detail ?? null }
    if (failure.kind === 'internal') {
      events.emit({ kind: 'request_failed', requestId: id, method: request.method, path: loggablePath(request.url), error })
    }
    const isUnknownPage = error instanceof NotFoundError && failure.kind === 'not_found' && isPageAddress(request)
    if (isUnknownPage && notFoundPage) return notFoundPage(request)
    return problemWriterOf(dialects, request)(failure, id)
  })

const saysNotDone: readonly FailureKind[] = ['unavailable', 'query_timeout']

/** "Try again" is wrong if the first attempt may have succeeded. */
export const knownOutcome = (failure: Failure, request: Request, { isOutcomeUnknown, hasWritten, isIdle }: RequestScope): Failure => {
  const mayBeDone = isOutcomeUnknown || (!isSafe(request) && (hasWritten || !isIdle))
  return mayBeDone && saysNotDone.includes(failure.kind) ? outcomeUnknown() : failure
}

/**
 * RFC 9110, 9.2.1: it only reads, so it can be dropped when its client has disconnected, and repeated without side
 * effects.
 */
export const isSafe = ({ method }: Request) => method === 'GET' || method === 'HEAD'

/** Formats the failures of a request: the dialect of its path, or `problem`. */
export const problemWriterOf = (dialects: readonly ErrorDialect[], request: Request): ErrorDialect['write'] => {
  const path = pathOf(request.url)
  const dialect = dialects.find(({ prefix }) => path === prefix || path.startsWith(`${prefix}/`))
  return dialect?.write ?? ((failure, requestId) => problem(failure, requestId, languageOf(request)))
}

function toHttpFailure(error: unknown, request: Request, routes: () => RouteTable): Failure {
  if (error instanceof Failure) return error
  if (error instanceof ParseError)
    return error.cause instanceof Failure ? error.cause : malformedJson(translatable('The body could not be read.'))
  if (error instanceof NotFoundError) return noSuchRoute(request, routes())
  // A response of ours that does not match its schema is our bug, not the caller's.
  if (error instanceof ValidationError && error.type !== 'response') return invalid(error)
  return databaseFailure(error) ?? new Failure('internal', translatable('Something went wrong on our side.'))
}

function noSuchRoute(request: Request, routes: RouteTable): Failure {
  const allowed = allowedMethods(routes, pathOf(request.url))
  if (allowed.length === 0)
    return new Failure('not_found', translatable('No route matches this URL.'), {
      hint: translatable('GET /swagger/json lists every route.'),
    })
  return new Failure('method_not_allowed', translatable('This URL supports {allowed}.', { allowed: allowed.join(', ') }), {
    headers: { allow: allowed.join(', ') },
  })
}

/** Never Elysia's own text: it repeats the input, passwords included (SEC-04). */
function invalid(error: ValidationError): Failure {
  const errors = validationProblems(error)
  // `property`: a query parameter that is out of range, found while Elysia converts its text to a number.
  if (error.type === 'query' || error.type === 'property')
    return new Failure('invalid_request', translatable('A query parameter cannot be read.'), { errors })
  if (error.type === 'params') return new Failure('not_found', translatable('No route matches this URL.'))
  const message = errors.some(({ path }) => path === '')
    ? translatable('The body is missing or is not of the expected type.')
    : translatable('Some values are not acceptable.')
  return new Failure('validation_failed', message, { errors })
}

type Item = { path?: string; message?: string; schema?: { anyOf?: { const?: unknown; type?: string; description?: string }[] } }

/** At most 64, as in `error.all`, which writes values as texts and throws for an object with a member `toString`. */
const itemsOf = (error: ValidationError): Iterable<Item> =>
  'Errors' in error.validator ? Iterator.from<Item>(error.validator.Errors(error.value)).take(64) : (error.all as Item[])

/** The first problem at each path: the checker reports the same mistake in several ways. */
function validationProblems(error: ValidationError): Problem[] {
  const byPath = new Map<string, Problem>()
  for (const { path = '', message, schema } of itemsOf(error)) {
    if (!byPath.has(path))
      byPath.set(path, {
        path,
        message: allowedValues(schema) ?? (message ? verbatim(message) : translatable('This value is not acceptable.')),
      })
  }
  return [...byPath.values()].slice(0, 20)
}

/** For an enumeration the checker only says "Expected union value". */
function allowedValues(schema: Item['schema']): Message | null {
  if (!schema?.anyOf) return null
  const words = schema.anyOf.map((choice) =>
    choice.const === undefined ? (choice.type ?? choice.description) : JSON.stringify(choice.const),
  )
  return words.includes(undefined) ? null : translatable('Expected one of: {words}', { words: [...new Set(words)].join(', ') })
}
