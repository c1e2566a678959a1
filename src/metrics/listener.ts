import type { Registry } from 'prom-client'
import type { ListenAddress } from '../ops/settings/monitoring-settings'

export type MetricsListener = { url: string; stop: () => Promise<void> }

/**
 * Serves the metrics on a separate listener, so that a proxy in front of the service does not pass them on.
 * @throws Error with the code of the system, such as EADDRINUSE
 */
export function listenForMetrics({ host, port }: ListenAddress, registry: Registry): MetricsListener {
  const server = Bun.serve({
    hostname: host,
    port,
    development: false,
    reusePort: false,
    fetch: async (request) => {
      if (new URL(request.url).pathname !== '/metrics') return new Response('Metrics are at /metrics.\n', { status: 404 })
      if (request.method !== 'GET') return new Response(null, { status: 405, headers: { allow: 'GET' } })
      const headers = { 'content-type': registry.contentType, 'cache-control': 'no-store' }
      return new Response(await registry.metrics(), { headers })
    },
    error: () => new Response(null, { status: 500 }),
  })
  return { url: `http://${host.includes(':') ? `[${host}]` : host}:${server.port}/metrics`, stop: () => server.stop(true) }
}
