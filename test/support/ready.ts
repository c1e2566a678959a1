import { call, type Service } from './executable'
import { until } from './processes'

/**
 * Polls /readyz until the service is ready and the response has these fields. On a busy machine, it may report that the
 * database or the storage does not respond.
 */
export async function untilReadyz({ url }: Pick<Service, 'url'>, wanted: object = {}): Promise<void> {
  let last = 'nothing'
  const isReady = async () => {
    const response = await call(`${url}/readyz`)
    const body = await response.json()
    last = `${response.status} ${JSON.stringify(body)}`
    return response.ok && Bun.deepMatch(wanted, body)
  }
  await until(`/readyz says ${JSON.stringify(wanted)}`, isReady).catch((error: Error) => {
    throw new Error(`${error.message}. It said ${last}`)
  })
}
