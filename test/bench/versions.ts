import { call, type StartOptions, startService } from '../support/executable'
import { setUp } from '../support/used-data'
import { ageMark, keyMark } from './client'
import { contactCount, fillContacts, makeContacts, newContact } from './contacts'
import { measure, type Request } from './load'
import { factorOf, inRounds, rate } from './rounds'
import { connectTo, socketPathOf } from './socket'
import { notThere, type Row, times } from './table'

/** Another executable, such as the one before a change, which this one may not be slower than. */
const other = process.env.BENCH_BEFORE
const rounds = 7
const minFactor = 0.98

/** `bench history` measures the log of changes, which executables before it do not have. */
const environment = { ROWHOUSE_HISTORY_DAYS: '0' }

/** The same requests to two executables, each on a database of its own, in turn. */
export async function measureVersions(): Promise<Row[]> {
  if (!other) return [notThere('BENCH_BEFORE, the path of an executable to compare with')]
  await using before = await startContacts({ file: other, environment })
  await using after = await startContacts({ environment })
  const settle = async () => {
    for (const { sql } of [before, after]) await sql.unsafe('checkpoint')
  }
  const rows: Row[] = []
  for (const [title, request] of Object.entries(versionRequests)) {
    const measured = await inRounds(
      { before: () => measure(request(before), before.pid), after: () => measure(request(after), after.pid) },
      settle,
      rounds,
    )
    const factor = factorOf(measured.after, measured.before)
    const cpu = (cpuMs = Number.NaN) => `, ${Math.round(cpuMs * 1000)} µs of the service`
    rows.push(rate(`${title}, before${cpu(measured.before.cpuMs)}`, measured.before, { ratio: '1×' }))
    rows.push(
      rate(`${title}, after${cpu(measured.after.cpuMs)}`, measured.after, {
        ratio: times(factor),
        bar: `≥ ${minFactor}×`,
        isMet: factor >= minFactor,
      }),
    )
  }
  return rows
}

type Contacts = { url: string; token: string }

const json = { 'content-type': 'application/json' }
const records = ({ url }: Contacts) => `${url}/api/v1/tables/contacts/records`
const authorized = ({ token }: Contacts) => ({ authorization: `Bearer ${token}` })
const page = `id=gt.${keyMark}&order=id&limit=50`
const write = (service: Contacts, body: object) => ({
  headers: { ...authorized(service), ...json },
  body: JSON.stringify(body).replace('"AGE"', ageMark),
  keys: contactCount,
})

export const versionRequests: Record<string, (service: Contacts) => Request> = {
  'By key': (service) => ({ url: `${records(service)}/${keyMark}`, headers: authorized(service), keys: contactCount }),
  'Page of 50': (service) => ({ url: `${records(service)}?${page}`, headers: authorized(service), keys: contactCount - 1000 }),
  Filtered: (service) => ({
    url: `${records(service)}?age=gte.${ageMark}&active=is.true&${page}`,
    headers: authorized(service),
    keys: contactCount - 1000,
  }),
  Create: (service) => ({ ...write(service, { ...newContact, age: 'AGE' }), url: records(service), method: 'POST' }),
  Change: (service) => ({ ...write(service, { age: 'AGE' }), url: `${records(service)}/${keyMark}`, method: 'PATCH' }),
}

/** The service with 100,000 contacts. */
export async function startContacts(options: StartOptions = {}) {
  const service = await startService(options)
  const token = await setUp(service)
  const sql = connectTo(socketPathOf(service.dataDir))
  await makeContacts(service.url, token, 'contacts')
  await fillContacts(sql, 'contacts')
  const first = await call(`${service.url}/api/v1/tables/contacts/records/1`, { token })
  if (first.status !== 200) throw new Error(`Reading a contact answered ${first.status}: ${await first.text()}`)
  const stop = async () => {
    await sql.end()
    await service.stop()
  }
  return { url: service.url, pid: service.pid, token, sql, [Symbol.asyncDispose]: stop }
}
