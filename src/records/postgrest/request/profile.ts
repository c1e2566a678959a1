import { throwRestFailure } from '../errors/failure'

/**
 * The schema of a request: `Accept-Profile` selects it for GET and HEAD, `Content-Profile` for writes; without them the
 * first served one.
 * @param schemas the served schemas, in order
 * @throws RestFailure PGRST106 (406)
 */
export function readProfile({ method, headers }: Request, schemas: readonly string[]): string {
  const asked = headers.get(method === 'GET' || method === 'HEAD' ? 'accept-profile' : 'content-profile')
  if (asked === null) return schemas[0]!
  if (schemas.includes(asked)) return asked
  return throwRestFailure(406, 'PGRST106', `The schema must be one of the following: ${schemas.join(', ')}`)
}
