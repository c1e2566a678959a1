import { Failure, type FailureKind } from '../../errors'

/** What PostgREST answers to a request that fails: the body, the status, and headers of its own. */
export type RestAnswer = {
  status: number
  code: string
  message: string
  details: unknown
  hint: string | null
  headers?: Record<string, string>
}

/** A failure in PostgREST's words. `kind` is what it is called elsewhere. */
export class RestFailure extends Failure {
  constructor(
    readonly answer: RestAnswer,
    kind: FailureKind = 'invalid_request',
  ) {
    super(kind, answer.message)
  }
}

/** @throws RestFailure */
export function refuseRest(status: number, code: string, message: string, details: unknown = null, hint: string | null = null): never {
  throw new RestFailure({ status, code, message, details, hint })
}
