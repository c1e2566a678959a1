import { throwRestFailure } from '../errors/failure'

/**
 * The schema of a request: `Accept-Profile` chooses it for GET and HEAD, `Content-Profile` for what writes; else the
 * first one served.
 * @param schemas those that are served, in their order
 * @throws RestFailure PGRST106 (406)
 */
export function readProfile({ method, headers }: Request, schemas: readonly string[]): string {
  const asked = headers.get(method === 'GET' || method === 'HEAD' ? 'accept-profile' : 'content-profile')
  if (asked === null) return schemas[0]!
  if (schemas.includes(asked)) return asked
  return throwRestFailure(406, 'PGRST106', `The schema must be one of the following: ${schemas.join(', ')}`)
}
