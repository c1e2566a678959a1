import { call, type Service, startService } from '../support/executable'
import { setUp } from '../support/used-data'
import { keyMark } from './client'
import { selectByKey } from './contacts'
import { inFlight, measure, measureStatement } from './load'
import { inRounds, rate } from './rounds'
import { socketPathOf } from './socket'
import { percent, type Row } from './table'

export const keys = 10_000

/** The requests of a script, as shares of the same statement through postgres.js without HTTP. */
export async function measureRequests(): Promise<Row[]> {
  await using service = await startService()
  const token = await setUp(service)
  await fill(service, token)
  const { url, dataDir } = service
  const records = `${url}/api/v1/tables/items/records`
  const headers = { authorization: `Bearer ${token}` }
  const { reference, health, read, insert } = await inRounds({
    reference: () => measureStatement({ socketPath: socketPathOf(dataDir), statement: selectByKey('items'), keys }),
    health: () => measure({ url: `${url}/healthz` }),
    read: () => measure({ url: `${records}/${keyMark}`, headers, keys }),
    insert: () =>
      measure({
        url: records,
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: '{"number":1,"note":"bench"}',
      }),
  })
  const share = ({ perSecond }: { perSecond: number }) => percent(perSecond / reference.perSecond)
  return [
    rate(`Reference: read by key, postgres.js, ${inFlight} in flight`, reference, { ratio: '100 %' }),
    rate('GET /healthz', health, { ratio: share(health) }),
    rate('GET one record by key, Bearer', read, {
      ratio: share(read),
      bar: '≥ 35 %',
      isMet: read.perSecond >= 0.35 * reference.perSecond,
    }),
    rate('POST one record, Bearer', insert, { ratio: share(insert) }),
  ]
}

export async function fill({ url }: Service, token: string) {
  const body = Array.from({ length: keys }, (_, index) => ({ number: index, note: `record ${index}` }))
  for (let start = 0; start < keys; start += 1000) {
    const answer = await call(`${url}/api/v1/tables/items/records`, { token, body: body.slice(start, start + 1000) })
    if (answer.status !== 201) throw new Error(`Filling in records answered ${answer.status}: ${await answer.text()}`)
  }
}
