import type { FindEndpointOrigins } from '../auth/cross-origin'
import type { FindRoute } from '../http/request/route-finder'
import type { Plugin } from './load/load'

/**
 * Finds the origins that an endpoint declares (`cors`).
 * @returns undefined if none does, so that no route needs to be found
 */
export function endpointOrigins(plugins: readonly Plugin[], findRoute: FindRoute): FindEndpointOrigins | undefined {
  const declared = new Map<string, readonly string[]>(
    plugins.flatMap(({ name, endpoints }) =>
      endpoints.flatMap(({ method, path, cors }) => (cors ? [[`${method} ${routeOf(name, path)}`, cors] as const] : [])),
    ),
  )
  if (declared.size === 0) return undefined
  return (method, path) => {
    if (!path.startsWith('/api/v1/custom/')) return null
    return declared.get(`${method === 'HEAD' ? 'GET' : method} ${findRoute(method, path)}`) ?? null
  }
}

/** In the form that `findRoute` returns. */
const routeOf = (plugin: string, path: string) => `/api/v1/custom/${plugin}${path === '/' ? '' : path}`
