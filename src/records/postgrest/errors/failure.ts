import { Failure, type FailureKind } from '../../../errors'
import { verbatim } from '../../../messages/message'

/** PostgREST's response to a failed request: the body, the status, and additional headers. */
export type RestAnswer = {
  status: number
  code: string
  message: string
  details: unknown
  hint: string | null
  headers?: Record<string, string>
}

/** A failure in PostgREST's form. `kind` is its name elsewhere. */
export class RestFailure extends Failure {
  constructor(
    readonly answer: RestAnswer,
    kind: FailureKind = 'invalid_request',
    /** PostgreSQL's error, if PostgreSQL rejected the request. */
    cause?: unknown,
  ) {
    super(kind, verbatim(answer.message))
    if (cause !== undefined) this.cause = cause
  }
}

/** @throws RestFailure */
export function throwRestFailure(
  status: number,
  code: string,
  message: string,
  details: unknown = null,
  hint: string | null = null,
): never {
  throw new RestFailure({ status, code, message, details, hint })
}

/** @param total the number of rows, if known. @throws RestFailure PGRST103 */
export function throwRangeFailure(details: string, total?: number): never {
  const headers: Record<string, string> = total === undefined ? {} : { 'content-range': `*/${total}` }
  throw new RestFailure({ status: 416, code: 'PGRST103', message: 'Requested range not satisfiable', details, hint: null, headers })
}
