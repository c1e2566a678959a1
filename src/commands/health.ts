import { get } from 'node:http'
import { text } from 'node:stream/consumers'
import type { Command } from './command'

export const healthCommand: Command = {
  name: 'health',
  summary: 'Ask the running service whether it is ready; for container health checks.',
  description: 'Asks GET /readyz at HOST and PORT. Exits with 0 when it is ready, else with 1.',
  settings: ['host', 'port'],
  run: async ({ config }) => {
    const host = ['0.0.0.0', '::', ''].includes(config.host) ? '127.0.0.1' : config.host
    const url = `http://${host.includes(':') ? `[${host}]` : host}:${config.port}/readyz`
    try {
      const { isReady, body } = await requestHealth(url)
      console.log(body)
      return isReady ? 0 : 1
    } catch {
      console.error(`${url} does not answer.`)
      return 1
    }
  },
}

/** Does not use `fetch`, which would honour http_proxy although the service is on this machine. */
const requestHealth = (url: string) =>
  new Promise<{ isReady: boolean; body: string }>((done, fail) => {
    const request = get(url, { signal: AbortSignal.timeout(5000) }, (response) => {
      text(response).then((body) => done({ isReady: response.statusCode === 200, body }), fail)
    })
    request.on('error', fail)
  })
