import type { FailureKind } from '../../../errors'
import type { Strings } from '../strings/en'

/** One thing that is wrong with what was sent. `path` is a JSON Pointer into the body, or the name of a parameter. */
type FieldProblem = { path?: string; message: string; line?: number; column?: string | null }

type ProblemBody = {
  code?: FailureKind
  message?: string
  hint?: string
  details?: Record<string, unknown>
  errors?: FieldProblem[]
  requestId?: string
}

/** An answer of the service that is not a success. Everything of the envelope (docs/errors.md) that a screen may need. */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    readonly body: ProblemBody,
    /** 0 when the service names no time. */
    readonly retryAfterS: number,
  ) {
    super(body.message ?? `The service answered ${status}.`)
  }

  get code(): FailureKind | undefined {
    // A proxy in between refuses in words of its own.
    return this.body.code ?? (this.status === 413 ? 'payload_too_large' : undefined)
  }

  /** What is wrong with one field, by the last part of its path. */
  problemOf(field: string): string | undefined {
    return this.body.errors?.find(({ path }) => path?.split('/').at(-1) === field)?.message
  }
}

export async function refusalOf(response: Response): Promise<Refusal> {
  const body: unknown = await response.json().catch(() => ({}))
  return new Refusal(response.status, (body ?? {}) as ProblemBody, Number(response.headers.get('retry-after') ?? 0))
}

/** What to tell a person about a failed call, and what to do now. */
export function wordsFor(error: unknown, { problems }: Strings): string {
  if (!(error instanceof Refusal)) return problems.unreachable
  const known = error.code && (problems.byCode as Partial<Record<FailureKind, string>>)[error.code]
  if (known) return known
  if (error.status >= 500) return problems.internal(error.body.requestId ?? '')
  const named = error.body.errors?.map(({ path, message }) => (path ? `${path.replace(/^\//, '')}: ${message}` : message)) ?? []
  return [error.message, ...named, error.body.hint].filter(Boolean).join(' ')
}
