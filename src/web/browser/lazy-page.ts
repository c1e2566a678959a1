import { lazyRouteComponent } from '@tanstack/react-router'

/**
 * A page whose code is loaded on demand. Offline, it waits for the connection: the router would reload the whole page,
 * which fails as well.
 */
export const lazyPage = <Pages extends Record<string, unknown>, Name extends keyof Pages>(load: () => Promise<Pages>, name: Name) =>
  lazyRouteComponent(() => load().catch((error: unknown) => waitUntilOnline(error).then(load)), name)

function waitUntilOnline(error: unknown): Promise<void> {
  if (navigator.onLine) throw error
  return new Promise((resolve) => addEventListener('online', () => resolve(), { once: true }))
}
