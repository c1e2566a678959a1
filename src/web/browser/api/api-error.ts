import type { FailureKind } from '../../../errors'
import type { Strings } from '../strings/en'

/** One invalid value of a request. `path` is a JSON Pointer into the body, or the name of a parameter. */
type FieldError = {
  path?: string
  message: string
  line?: number
  column?: string | null
  value?: string
  cell?: string
  position?: number
}

type ErrorBody = {
  code?: FailureKind
  message?: string
  hint?: string
  details?: Record<string, unknown>
  errors?: FieldError[]
  requestId?: string
}

/** A response with an error status. It holds every field of the error envelope (docs/errors.md) that a screen needs. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly body: ErrorBody,
    /** 0 when the response has no `Retry-After`. */
    readonly retryAfterS: number,
  ) {
    super(body.message ?? `The service answered ${status}.`)
  }

  get code(): FailureKind | undefined {
    // A proxy may reject the request with a body of its own.
    return this.body.code ?? (this.status === 413 ? 'payload_too_large' : undefined)
  }

  /** The message for one field, by the last segments of its path. */
  fieldError(field: string): string | undefined {
    return this.fieldProblem(field)?.message
  }

  fieldProblem(field: string): FieldError | undefined {
    return this.body.errors?.find(({ path }) => `/${path}`.endsWith(`/${field}`))
  }
}

export async function toApiError(response: Response): Promise<ApiError> {
  const body: unknown = await response.json().catch(() => ({}))
  return new ApiError(response.status, (body ?? {}) as ErrorBody, Number(response.headers.get('retry-after') ?? 0))
}

/** "/operations/0/body/Status" → "Status": users do not see the rest of the request. */
const toFieldPath = (path: string): string =>
  path
    .replace(/^\/operations\/\d+\/body/, '')
    .replace(/^\/\d+(?=\/)/, '')
    .replace(/^\//, '')
    .replaceAll('~1', '/')
    .replaceAll('~0', '~')

/** The message to show for a failed request: what happened and what to do. */
export function toErrorMessage(error: unknown, { problems }: Strings): string {
  if (!(error instanceof ApiError)) return problems.unreachable
  const translated = error.code && (problems.byCode as Partial<Record<FailureKind, string>>)[error.code]
  if (translated) return translated
  if (error.status >= 500) return problems.internal(error.body.requestId ?? '')
  const named = error.body.errors?.map(({ path, message }) => (path ? `${toFieldPath(path)}: ${message}` : message)) ?? []
  return [error.message, ...named, error.body.hint].filter(Boolean).join(' ')
}
