import type { Failure, FailureKind } from '../../../errors'
import type { ErrorDialect } from '../../../http/response/errors'
import { statusOf } from '../../../http/response/errors'
import { type RestAnswer, RestFailure } from './failure'

/** PostgREST's code for other kinds of failure. If it has none, the kind itself is the code. */
const codes: Partial<Record<FailureKind, string>> = {
  unauthenticated: 'PGRST302',
  invalid_token: 'PGRST301',
  invalid_session: 'PGRST301',
  invalid_request: 'PGRST100',
  forbidden: '42501',
  insufficient_scope: '42501',
  method_not_allowed: 'PGRST117',
  not_found: 'PGRST125',
  // For links stored in other tables, which the record pipeline writes.
  conflict: '23503',
  validation_failed: '22P02',
  malformed_json: 'PGRST102',
  unsupported_media_type: 'PGRST102',
  query_timeout: '57014',
  unavailable: 'PGRST001',
}

/** Formats every failure under `/rest/v1` as PostgREST does. */
export const restErrors: ErrorDialect = {
  prefix: '/rest/v1',
  write: (failure) => {
    const { status, code, message, details, hint, headers } = toRestAnswer(failure)
    const body = JSON.stringify({ code, details, hint, message })
    return new Response(body, { status, headers: { ...headers, 'content-type': 'application/json; charset=utf-8' } })
  },
}

function toRestAnswer(failure: Failure): RestAnswer {
  if (failure instanceof RestFailure) return failure.answer
  const { kind, message, extras } = failure
  return {
    // PostgREST does not use 422.
    status: kind === 'validation_failed' ? 400 : statusOf[kind],
    code: codes[kind] ?? kind,
    message,
    details: extras.errors?.length ? extras.errors.map(({ path, message }) => `${path} ${message}`.trim()).join('; ') : null,
    hint: extras.hint === undefined ? null : String(extras.hint),
    headers: extras.headers,
  }
}
