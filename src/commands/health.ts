import type { Command } from './command'

export const health: Command = {
  name: 'health',
  summary: 'Ask the running service whether it is ready; for container health checks.',
  description: 'Asks GET /readyz at HOST and PORT. Exits with 0 when it is ready, else with 1.',
  run: async ({ config }) => {
    const host = ['0.0.0.0', '::', ''].includes(config.host) ? '127.0.0.1' : config.host
    const url = `http://${host.includes(':') ? `[${host}]` : host}:${config.port}/readyz`
    try {
      const response = await fetch(url, { signal: AbortSignal.timeout(5000) })
      console.log(await response.text())
      return response.ok ? 0 : 1
    } catch {
      console.error(`${url} does not answer.`)
      return 1
    }
  },
}
