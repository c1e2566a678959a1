import { exactJson } from './exact-json'
import { type Message, translatable } from './messages/message'

/** Every way a request can fail on purpose. The words are public and stable: they are the `code` of the error body. */
export const failureKinds = [
  'unauthenticated',
  'invalid_token',
  'invalid_session',
  'invalid_request',
  'forbidden',
  'insufficient_scope',
  'session_required',
  'setup_code_required',
  'wrong_password',
  'csrf_rejected',
  'not_found',
  'method_not_allowed',
  'conflict',
  'max_affected_exceeded',
  'request_in_progress',
  'idempotency_key_reused',
  'setup_done',
  'precondition_failed',
  'validation_failed',
  'malformed_json',
  'unsupported_media_type',
  'payload_too_large',
  'invalid_credentials',
  'too_many_requests',
  'query_timeout',
  'unavailable',
  'outcome_unknown',
  'render_failed',
  'insufficient_storage',
  'internal',
] as const
export type FailureKind = (typeof failureKinds)[number]

/**
 * `path` is a JSON Pointer (RFC 6901) into the body, or the name of a parameter. Never holds a submitted value. In a
 * formula, `position` is the character at which the problem is, counted from 1.
 */
export type Problem = { path: string; message: Message; position?: number }

/**
 * A problem in an imported file: the line (from 1) where the record begins, and the column. Its message may show the
 * cell, cut at 80 characters. `cell` is the reference in a workbook, such as `C17`.
 */
export type LineProblem = { line: number; column: string | null; message: Message; value?: string; cell?: string }

/**
 * Why a credential was refused, for its owner (`auth/refusals`). Not part of the response. `detail` is the name of a
 * table, a role, a scope or a group, never a secret.
 */
type Refusal = { reason: string; detail: string | null }

export type FailureExtras = {
  refusal?: Refusal
  details?: Record<string, unknown>
  hint?: Message
  errors?: Problem[]
  /** In place of `errors`, for a file. */
  lines?: LineProblem[]
  headers?: Record<string, string>
}

/** A failure the caller can do something about. Anything else that is thrown is a bug and answers 500. */
export class Failure extends Error {
  // Not named `code`: Elysia reads `error.code` and would mistake ours for its own.
  constructor(
    readonly kind: FailureKind,
    /** What happened, for people. The log contains it in English. */
    readonly text: Message,
    readonly extras: FailureExtras = {},
  ) {
    super(String(text))
  }
}

/** A job took more time or memory than allowed, and would again. */
export class LimitExceeded extends Failure {}

/** The text of an error for a terminal: the message of a failure, and the problem of each value. */
export function sentenceOf(error: unknown): string {
  if (!(error instanceof Failure)) return error instanceof Error ? error.message : String(error)
  return [error.message, ...(error.extras.errors ?? []).map((problem) => problem.message)].join(' ')
}

export const invalidRequest = (message: Message, hint?: Message) => new Failure('invalid_request', message, hint ? { hint } : {})
export const forbidden = (message: Message = translatable('You may not do this.')) => new Failure('forbidden', message)
export const notFound = (message: Message, hint?: Message) => new Failure('not_found', message, hint ? { hint } : {})
export const conflict = (message: Message, extras?: FailureExtras) => new Failure('conflict', message, extras)
/** @param currentJson the record as written by the database, with all digits of its numbers */
export const preconditionFailed = (currentJson: string, entityTag: string) =>
  new Failure('precondition_failed', translatable('The record has changed since you read it.'), {
    details: { current: exactJson(currentJson) },
    hint: translatable('Merge your change into the current record and send it again with the ETag of this answer.'),
    headers: { etag: entityTag },
  })
/** RFC 9110, section 13.1.2, for `If-None-Match: *`. @param currentJson like that of `preconditionFailed` */
export const alreadyExists = (currentJson: string, entityTag: string) =>
  new Failure('precondition_failed', translatable('A record with this key exists, and If-None-Match: * creates new ones only.'), {
    details: { current: exactJson(currentJson) },
    hint: translatable('Leave If-None-Match out to replace the record, or send If-Match with its ETag.'),
    headers: { etag: entityTag },
  })
export const validationFailed = (errors: Problem[]) =>
  new Failure('validation_failed', translatable('Some values are not acceptable.'), { errors })
/** @param lines the first of them, in the order of the file @param errorCount their total */
export const fileRefused = (lines: LineProblem[], errorCount = lines.length, counts: Record<string, unknown> = {}, hint?: Message) =>
  new Failure(
    'validation_failed',
    errorCount === 1
      ? translatable('The file has a problem; nothing was imported.')
      : translatable('The file has {errorCount} problems; nothing was imported.', { errorCount }),
    {
      lines,
      details: { errorCount, ...counts },
      ...(hint === undefined ? {} : { hint }),
    },
  )
export const malformedJson = (message: Message = translatable('The body is not valid JSON.')) => new Failure('malformed_json', message)
export const payloadTooLarge = (limitBytes: number, hint?: Message) =>
  new Failure('payload_too_large', translatable('The body is larger than {limitBytes} bytes.', { limitBytes }), {
    ...(hint === undefined ? {} : { hint }),
    details: { limitBytes },
    headers: { connection: 'close' },
  })

/** 503: a backend is unavailable or too busy; the caller should try again after `retryAfterS` seconds. */
export const unavailable = (message: Message = translatable('The service is busy or its database is unavailable.'), retryAfterS = 1) =>
  new Failure('unavailable', message, { headers: { 'retry-after': String(retryAfterS) } })

/** 503, without `Retry-After`: a client that repeats the request without checking could do it twice. */
export const outcomeUnknown = () =>
  new Failure(
    'outcome_unknown',
    translatable('It is unknown whether this was done: it took too long, or the connection to the database was lost.'),
    {
      hint: translatable('Check before you send it again. With the header Idempotency-Key, it is safe to send it again unchanged.'),
    },
  )
