import { Failure } from '../../errors'
import { translatable } from '../../messages/message'

/** What the browser declares about the source of a request. */
export type Origin = { method: string; secFetchSite: string | null; origin: string | null; ownOrigin: string }

const rejected = () =>
  new Failure('csrf_rejected', translatable('This request was sent by another site and was not carried out.'), {
    hint: translatable('Scripts on other sites use an API token. Behind a proxy, set PUBLIC_URL to the address that browsers see.'),
  })

/**
 * Rejects requests that a browser sends on behalf of its user from another site, by the rule of Go 1.25's
 * CrossOriginProtection (docs/authentication.md).
 * @throws Failure csrf_rejected
 */
export function assertNotCrossSite({ method, secFetchSite, origin, ownOrigin }: Origin) {
  if (method === 'GET' || method === 'HEAD' || method === 'OPTIONS') return
  if (secFetchSite) {
    if (secFetchSite === 'same-origin' || secFetchSite === 'none') return
    throw rejected()
  }
  // Without either header, the client is not a browser and sends no cookie on its own.
  if (origin !== null && origin !== ownOrigin) throw rejected()
}
