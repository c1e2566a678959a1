import { call, startService } from '../support/executable'
import { setUp } from '../support/used-data'
import { keyMark } from './client'
import { changedContact, contactCount, fillContacts, makeContacts, newContact, selectByKey } from './contacts'
import { inFlight, measure, measureStatement, measureWithPgbench, type Request } from './load'
import { findPostgrest, startPostgrest } from './postgrest'
import { factorOf, type InRounds, inRounds, rate } from './rounds'
import { connectTo, socketDirOf, socketPathOf } from './socket'
import { notThere, percent, type Row, times } from './table'

/** Reads are measured on one table and writes on another, which grows. */
const [read, written] = ['contacts', 'contacts_written']
const depth = 90_000
const rounds = 5

const bars = {
  key: { title: 'Read by key', ratio: 4 },
  page: { title: 'Page of 50', ratio: 4 },
  filtered: { title: 'Page of 50, filtered', ratio: 4 },
  deep: { title: `Page of 50 behind record ${depth.toLocaleString('en')}`, ratio: 4 },
  create: { title: 'Create', ratio: 2.5 },
  patch: { title: 'Patch', ratio: 2.5 },
}
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
    await makeContacts(service.url, token, name)
    await fillContacts(sql.client, name)
  }
  await using postgrest = await startPostgrest(file, socketDirOf(service.dataDir), sql.client)
  const authorization = `Bearer ${token}`
  const sides: Sides = {
    postgrest: grammar(postgrest.url, postgrest.authorization),
    native: await native(service.url, authorization, token),
    rest: grammar(`${service.url}/rest/v1`, authorization),
  }
  // Awaited here, since what is in use ends with this function.
  return await rowsOf(sides, socketPathOf(service.dataDir), () => sql.client.unsafe('checkpoint'))
}

const connected = (dataDir: string) => {
  const client = connectTo(socketPathOf(dataDir))
  return { client, [Symbol.asyncDispose]: () => client.end() }
}

const json = { 'content-type': 'application/json' }
const filter = 'age=gte.18&active=is.true&order=id&limit=50'

/** PostgREST's own grammar. Writes answer with the record, as ours on the native route always do. */
function grammar(base: string, authorization: string): Requests {
  const headers = { authorization }
  const writing = { ...headers, ...json, prefer: 'return=representation' }
  return {
    key: { url: `${base}/${read}?id=eq.${keyMark}`, headers, keys: contactCount },
    page: { url: `${base}/${read}?order=id&limit=50`, headers },
    filtered: { url: `${base}/${read}?${filter}`, headers },
    // It has no cursor; a condition on the key is what its users write instead.
    deep: { url: `${base}/${read}?id=gt.${depth}&order=id&limit=50`, headers },
    create: { url: `${base}/${written}`, method: 'POST', headers: writing, body: JSON.stringify(newContact) },
    patch: { ...patchOf(`${base}/${written}?id=eq.${keyMark}`), headers: writing },
  }
}

const patchOf = (url: string) => ({ url, method: 'PATCH', body: JSON.stringify(changedContact), keys: contactCount })

async function native(url: string, authorization: string, token: string): Promise<Requests> {
  const [records, others] = [read, written].map((name) => `${url}/api/v1/tables/${name}/records`)
  const headers = { authorization }
  return {
    key: { url: `${records}/${keyMark}`, headers, keys: contactCount },
    page: { url: `${records}?limit=50`, headers },
    filtered: { url: `${records}?${filter}`, headers },
    deep: { url: `${records}?limit=50&cursor=${await walkTo(records!, token)}`, headers },
    create: { url: others!, method: 'POST', headers: { ...headers, ...json }, body: JSON.stringify(newContact) },
    patch: { ...patchOf(`${others}/${keyMark}`), headers: { ...headers, ...json } },
  }
}

/** The cursor that a caller has who read page after page up to `depth`. */
async function walkTo(records: string, token: string): Promise<string> {
  let cursor = ''
  for (let seen = 0; seen < depth; seen += 10_000) {
    const answer = await call(`${records}?limit=10000${cursor && `&cursor=${cursor}`}`, { token })
    const { nextCursor } = (await answer.json()) as { nextCursor: string | null }
    if (!nextCursor) throw new Error(`The walk through the records ended at ${seen}.`)
    cursor = encodeURIComponent(nextCursor)
  }
  return cursor
}

/** What PostgREST answers is what the others have to answer; else it is not there, and is not measured. */
async function isThere(request: Request, expected: Request): Promise<boolean> {
  const [ours, theirs] = [await recordsOf(request), await recordsOf(expected)]
  return ours !== null && JSON.stringify(ours.map(known)) === JSON.stringify(theirs?.map(known))
}

type Contact = Record<string, unknown>
/** New keys and texts of a moment may differ. */
const known = ({ name, age, balance, notes }: Contact) => [name, age, balance, notes]

async function recordsOf({ url, keys: _, ...init }: Request): Promise<Contact[] | null> {
  const answer = await fetch(url.replace(keyMark, '4711'), init)
  if (!answer.ok) return null
  const body = (await answer.json()) as Contact | Contact[]
  return Array.isArray(body) ? body : Array.isArray(body.records) ? (body.records as Contact[]) : [body]
}

async function rowsOf(sides: Sides, socketPath: string, settle: () => Promise<unknown>): Promise<Row[]> {
  const kinds: Record<string, () => ReturnType<typeof measure>> = {}
  const statement = { socketPath, statement: selectByKey(read), keys: contactCount }
  kinds.reference = () => (Bun.which('pgbench') ? measureWithPgbench(statement) : measureStatement(statement))
  for (const line of Object.keys(bars) as Line[]) {
    for (const [side, requests] of Object.entries(sides)) {
      if (await isThere(requests[line], sides.postgrest[line])) kinds[`${side} ${line}`] = () => measure(requests[line])
    }
  }
  const byOffset = { ...sides.postgrest.page, url: `${sides.postgrest.page.url}&offset=${depth}` }
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
  const [key, page, deep] = ['key', 'page', 'deep'].map((line) => measured[`native ${line}`])
  const rows: Row[] = []
  if (key) {
    const share = factorOf(key, measured.reference!)
    rows.push({ what: 'Read by key, Rowhouse, of the reference', figure: percent(share), bar: '≥ 35 %', isMet: share >= 0.35 })
  }
  if (page && deep) {
    const factor = factorOf(page, deep)
    rows.push({ what: 'Deep page, Rowhouse, by the first page', figure: times(factor), bar: '≤ 1.30×', isMet: factor <= 1.3 })
  }
  return rows
}
