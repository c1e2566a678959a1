import { call, type Service, startService } from '../support/executable'
import { setUp } from '../support/used-data'
import { ageMark, cursorMark, keyMark } from './client'
import { companies, contactCount, fillContacts, linkContacts, makeContacts, newContact, selectByKey } from './contacts'
import { inFlight, measure, measureStatement, measureWithPgbench, type Request } from './load'
import { findPostgrest, startPostgrest } from './postgrest'
import { factorOf, type InRounds, inRounds, rate } from './rounds'
import { connectTo, socketDirOf, socketPathOf } from './socket'
import { notThere, percent, type Row, times } from './table'

/** Reads are measured on one table and writes on another, which grows. */
const [read, written] = ['contacts', 'contacts_written']
const depth = 90_000
/** From here on a page of 50 is always full, also where half of the records pass. */
const lastBegin = contactCount - 1000
const rounds = 5

const bars = {
  key: { title: 'Read by key', ratio: 5 },
  page: { title: 'Page of 50', ratio: 3 },
  filtered: { title: 'Page of 50, filtered', ratio: 3 },
  embedded: { title: 'Page of 50, with a linked record in each', ratio: 3 },
  deep: { title: 'Page of 50 by cursor', ratio: 3 },
  create: { title: 'Create', ratio: 3 },
  patch: { title: 'Patch', ratio: 3 },
}
/** Of the service, for a page of 50, whatever PostgreSQL needs beside it. */
const maxPageCpuMs = 0.13
type Line = keyof typeof bars
type Requests = Record<Line, Request>
type Sides = { postgrest: Requests; native: Requests; rest: Requests }

/** The same requests to Rowhouse and to PostgREST, on the same PostgreSQL, in turn. */
export async function measurePeer(): Promise<Row[]> {
  const file = findPostgrest()
  if (!file) return [notThere(`PostgREST for ${process.platform}-${process.arch}`)]
  await using service = await startService()
  const token = await setUp(service)
  await using sql = connected(service.dataDir)
  for (const name of [read, written]) {
    await makeContacts(service.url, token, name, name === read)
    await fillContacts(sql.client, name)
  }
  await linkContacts(sql.client, read)
  await using postgrest = await startPostgrest(file, socketDirOf(service.dataDir), sql.client)
  const authorization = `Bearer ${token}`
  const sides: Sides = {
    postgrest: grammar(postgrest.url, postgrest.authorization),
    native: await native(service.url, authorization, token),
    rest: grammar(`${service.url}/rest/v1`, authorization),
  }
  // Awaited here, since what is in use ends with this function.
  return await rowsOf(sides, service, () => sql.client.unsafe('checkpoint'))
}

const connected = (dataDir: string) => {
  const client = connectTo(socketPathOf(dataDir))
  return { client, [Symbol.asyncDispose]: () => client.end() }
}

const json = { 'content-type': 'application/json' }
const page = `id=gt.${keyMark}&order=id&limit=50`
const filter = `age=gte.${ageMark}&active=is.true`
const linked = `select=id,name,email,age,balance,active,${companies}(name)`
const body = (values: object) => JSON.stringify(values).replace('"AGE"', ageMark)
const newBody = body({ ...newContact, name: `Ada Lovelace ${keyMark}`, age: 'AGE' })
const changedBody = body({ age: 'AGE', notes: `Was called back in the autumn and is well, ${keyMark}.` })

/** PostgREST's own grammar. Writes answer with the record, as ours on the native route always do. */
function grammar(base: string, authorization: string): Requests {
  const headers = { authorization }
  const writing = { ...headers, ...json, prefer: 'return=representation' }
  const list = (query: string): Request => ({ url: `${base}/${read}?${query}`, headers, keys: lastBegin })
  return {
    key: { url: `${base}/${read}?id=eq.${keyMark}`, headers, keys: contactCount },
    page: list(page),
    filtered: list(`${filter}&${page}`),
    embedded: list(`${linked}&${page}`),
    // It has no cursor; a condition on the key is what its users write instead.
    deep: list(page),
    create: { url: `${base}/${written}`, method: 'POST', headers: writing, body: newBody, keys: contactCount },
    patch: { ...patchOf(`${base}/${written}?id=eq.${keyMark}`), headers: writing },
  }
}

const patchOf = (url: string) => ({ url, method: 'PATCH', body: changedBody, keys: contactCount })

async function native(url: string, authorization: string, token: string): Promise<Requests> {
  const [records, others] = [read, written].map((name) => `${url}/api/v1/tables/${name}/records`)
  const headers = { authorization }
  const list = (query: string): Request => ({ url: `${records}?${query}`, headers, keys: lastBegin })
  return {
    key: { url: `${records}/${keyMark}`, headers, keys: contactCount },
    page: list(page),
    filtered: list(`${filter}&${page}`),
    embedded: list(`${linked}&${page}`),
    deep: { url: `${records}?limit=50&cursor=${cursorMark}`, headers, cursors: await walk(records!, token) },
    create: { url: others!, method: 'POST', headers: { ...headers, ...json }, body: newBody, keys: contactCount },
    patch: { ...patchOf(`${others}/${keyMark}`), headers: { ...headers, ...json } },
  }
}

/** The cursors that a caller has who reads a thousand records at a time. */
async function walk(records: string, token: string): Promise<string[]> {
  const cursors: string[] = []
  for (let cursor = ''; cursors.length * 1000 < lastBegin; cursors.push(cursor)) {
    const answer = await call(`${records}?limit=1000${cursor && `&cursor=${cursor}`}`, { token })
    const { nextCursor } = (await answer.json()) as { nextCursor: string | null }
    if (!nextCursor) throw new Error(`The walk through the records ended behind ${cursors.length} pages.`)
    cursor = encodeURIComponent(nextCursor)
  }
  return cursors
}

/** What PostgREST answers is what the others have to answer; else it is not there, and is not measured. */
async function isThere(request: Request, expected: Request): Promise<boolean> {
  const [ours, theirs] = [await recordsOf(request), await recordsOf(expected)]
  return ours !== null && JSON.stringify(ours.map(known)) === JSON.stringify(theirs?.map(known))
}

type Contact = Record<string, unknown>
/** New keys and texts of a moment may differ. */
const known = ({ name, age, balance, notes }: Contact) => [name, age, balance, notes]

async function recordsOf({ keys: _, cursors = [], ...request }: Request): Promise<Contact[] | null> {
  // The 21st cursor is behind record 21,000.
  const text = JSON.stringify(request)
    .replaceAll(keyMark, '21000')
    .replaceAll(ageMark, '30')
    .replaceAll(cursorMark, cursors[20] ?? '')
  const { url, ...init } = JSON.parse(text) as Request
  const answer = await fetch(url, init)
  if (!answer.ok) return null
  const body = (await answer.json()) as Contact | Contact[]
  return Array.isArray(body) ? body : Array.isArray(body.records) ? (body.records as Contact[]) : [body]
}

async function rowsOf(sides: Sides, { dataDir, pid }: Service, settle: () => Promise<unknown>): Promise<Row[]> {
  const kinds: Record<string, () => ReturnType<typeof measure>> = {}
  const statement = { socketPath: socketPathOf(dataDir), statement: selectByKey(read), keys: contactCount }
  kinds.reference = () => (Bun.which('pgbench') ? measureWithPgbench(statement) : measureStatement(statement))
  for (const line of Object.keys(bars) as Line[]) {
    for (const [side, requests] of Object.entries(sides)) {
      if (await isThere(requests[line], sides.postgrest[line]))
        kinds[`${side} ${line}`] = () => measure(requests[line], side === 'postgrest' ? undefined : pid)
    }
  }
  const byOffset = {
    url: `${sides.postgrest.key.url.split('?')[0]}?order=id&limit=50&offset=${depth}`,
    headers: sides.postgrest.key.headers,
  }
  kinds.offset = () => measure(byOffset)
  const measured: Record<string, InRounds | undefined> = await inRounds(kinds, settle, rounds)
  return [
    rate(
      `Reference: the same select by key, ${Bun.which('pgbench') ? 'pgbench' : 'postgres.js'}, ${inFlight} clients`,
      measured.reference!,
    ),
    ...(Object.keys(bars) as Line[]).flatMap((line) => linesOf(line, measured)),
    rate(`Page of 50 by offset=${depth}, PostgREST`, measured.offset!),
    ...within(measured),
  ]
}

function linesOf(line: Line, measured: Record<string, InRounds | undefined>): Row[] {
  const { title, ratio } = bars[line]
  const theirs = measured[`postgrest ${line}`]!
  const ours = (side: string, name: string): Row => {
    const [what, bar, found] = [`${title}, ${name}`, `≥ ${ratio}×, p99 no worse`, measured[`${side} ${line}`]]
    if (!found) return notThere(what, bar)
    const factor = factorOf(found, theirs)
    return rate(what, found, { ratio: times(factor), bar, isMet: factor >= ratio && found.p99Ms <= theirs.p99Ms })
  }
  return [rate(`${title}, PostgREST`, theirs, { ratio: '1×' }), ours('native', 'Rowhouse'), ours('rest', 'Rowhouse /rest/v1')]
}

/** Bars within Rowhouse: reads as a share of what PostgreSQL can do, and the deep page by the first. */
function within(measured: Record<string, InRounds | undefined>): Row[] {
  const [key, first, deep] = ['key', 'page', 'deep'].map((line) => measured[`native ${line}`])
  const rows: Row[] = []
  if (key) {
    const share = factorOf(key, measured.reference!)
    rows.push({ what: 'Read by key, Rowhouse, of the reference', figure: percent(share), bar: '≥ 35 %', isMet: share >= 0.35 })
  }
  if (first && deep) {
    const factor = factorOf(first, deep)
    rows.push({ what: 'Page by cursor, Rowhouse, by the page by key', figure: times(factor), bar: '≤ 1.30×', isMet: factor <= 1.3 })
  }
  for (const [side, name] of [
    ['native', 'Rowhouse'],
    ['rest', 'Rowhouse /rest/v1'],
  ] as const) {
    const cpuMs = measured[`${side} page`]?.cpuMs
    if (cpuMs === undefined) continue
    const bar = `≤ ${maxPageCpuMs * 1000} µs`
    rows.push({
      what: `Processor time of the service for a page of 50, ${name}`,
      figure: `${Math.round(cpuMs * 1000)} µs`,
      bar,
      isMet: cpuMs <= maxPageCpuMs,
    })
  }
  return rows
}
