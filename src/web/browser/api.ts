/** An answer that is not a success, with the service's own words. */
export class Refused extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly retryAfterS: number,
  ) {
    super(message)
  }
}

type ProblemBody = { code?: string; message?: string; hint?: string; errors?: { path: string; message: string }[] }

/** Calls the public API with the session cookie. @throws Refused, or TypeError when the service cannot be reached */
export async function call<T>(method: string, path: string, body?: unknown): Promise<T> {
  const response = await fetch(`/api/v1${path}`, {
    method,
    headers: body === undefined ? {} : { 'content-type': 'application/json' },
    body: body === undefined ? undefined : JSON.stringify(body),
  })
  if (!response.ok) throw await refused(response)
  return (response.status === 204 ? undefined : await response.json()) as T
}

async function refused(response: Response): Promise<Refused> {
  const problem: ProblemBody = await response.json().catch(() => ({}))
  const parts = problem.errors?.map(({ path, message }) => `${path.replace(/^\//, '')}: ${message}`) ?? []
  const text = [problem.message ?? `The service answered ${response.status}.`, ...parts, problem.hint].filter(Boolean).join(' ')
  return new Refused(response.status, problem.code ?? '', text, Number(response.headers.get('retry-after') ?? 0))
}

/** What to tell a person about a failed call. */
export function wordsFor(error: unknown): string {
  if (!(error instanceof Refused)) return 'The service cannot be reached. Check the connection and try again.'
  const wait = error.retryAfterS > 1 ? `in ${error.retryAfterS} seconds` : 'in a moment'
  if (error.code === 'invalid_credentials') return 'The e-mail address or the password is wrong.'
  if (error.code === 'setup_code_required') return 'The one-time code is not right. Take the one that the running service has printed.'
  if (error.code === 'too_many_requests') return `Too many attempts. Try again ${wait}.`
  if (error.status === 503) return `The service is busy or starting. Try again ${wait}.`
  return error.message
}
