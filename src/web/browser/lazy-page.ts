import { lazyRouteComponent } from '@tanstack/react-router'

/**
 * A page whose code is fetched when it is needed. Without a connection it comes with the connection, which the frame says is lost: the router would load
 * everything anew, which fails as well.
 */
export const lazyPage = <Pages extends Record<string, unknown>, Name extends keyof Pages>(load: () => Promise<Pages>, name: Name) =>
  lazyRouteComponent(() => load().catch((error: unknown) => whenOnline(error).then(load)), name)

function whenOnline(error: unknown): Promise<void> {
  if (navigator.onLine) throw error
  return new Promise((resolve) => addEventListener('online', () => resolve(), { once: true }))
}
