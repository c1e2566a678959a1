import Memoirist from 'memoirist'
import type { RouteTable } from './allowed-methods'

/** The pattern of the route that answers, such as `/api/v1/tables/:tableId/records/:pk`; null if there is none. */
export type FindRoute = (method: string, path: string) => string | null

/**
 * Finds routes as Elysia's own router does. Created at the first use: most services neither count requests by route nor
 * log them.
 */
export function routeFinder(routes: () => RouteTable): FindRoute {
  let router: Memoirist<string> | null = null
  return (method, path) => {
    if (!router) {
      router = new Memoirist<string>()
      for (const { method, path } of routes()) {
        const pattern = path.replace(/(?<=.)\/$/, '')
        for (const spelling of [pattern, `${pattern}/`]) router.add(method, spelling, pattern, { ignoreError: true })
      }
    }
    return (router.find(method === 'HEAD' ? 'GET' : method, path) ?? router.find('ALL', path))?.store ?? null
  }
}
