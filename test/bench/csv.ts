import type { Sql } from 'postgres'
import { type Service, startService } from '../support/executable'
import { setUp } from '../support/used-data'
import { contactColumns, contactCount, fillContacts, makeContacts } from './contacts'
import { pssOf } from './memory'
import { connectTo, socketPathOf } from './socket'
import { mb, median, ms, notThere, type Row, times } from './table'

const rounds = 9
const million = 1_000_000
const bars = { export: '≤ 1.50×', import: '≤ 2.00×', memory: '< 64 MB' }

/** CSV out and in, beside the same COPY through postgres.js without a service in between. */
export async function measureCsv(): Promise<Row[]> {
  await using service = await startService()
  const token = await setUp(service)
  const sql = connectTo(socketPathOf(service.dataDir))
  try {
    for (const name of ['contacts', 'imported']) await makeContacts(service.url, token, name)
    await fillContacts(sql, 'contacts')
    const rows = [...(await measureExport(service, token, sql)), ...(await measureImport(service, token, sql))]
    await makeContacts(service.url, token, 'million')
    await fillContacts(sql, 'million', million)
    return [...rows, await measureMemory(service, token)]
  } finally {
    await sql.end()
  }
}

type Stream = AsyncIterable<Uint8Array>

const copyOut = (columns: string[]) =>
  `copy (select ${columns.join(', ')} from data.contacts order by id) to stdout with (format csv, header)`

async function measureExport(service: Service, token: string, sql: Sql): Promise<Row[]> {
  const what = `Export of ${contactCount.toLocaleString('en')} records as CSV`
  if (!(await isExportThere(service, token))) return [notThere(what, bars.export)]
  const copy = async () => sizeOf(await sql.unsafe(copyOut(['id', ...contactColumns])).readable())
  const download = async () => sizeOf(await exported(service, token, 'contacts'))
  const reference = `COPY of ${contactCount.toLocaleString('en')} records, postgres.js, read to nowhere`
  return compare(reference, what, await inTurn(copy, download), 1.5, bars.export)
}

async function measureImport(service: Service, token: string, sql: Sql): Promise<Row[]> {
  const what = `Import of ${contactCount.toLocaleString('en')} records from CSV`
  const bytes = await whole(await sql.unsafe(copyOut(contactColumns)).readable())
  const empty = () => sql.unsafe('truncate data.imported restart identity')
  const upload = async () => {
    const answer = await fetch(`${service.url}/api/v1/tables/imported/import?mode=insert`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'text/csv' },
      body: bytes,
    })
    const text = await answer.text()
    if (isMissing(answer)) return false
    if (!answer.ok) throw new Error(`The import answered ${answer.status}: ${text}`)
    await expectImported(sql)
    return true
  }
  await empty()
  if (!(await upload())) return [notThere(what, bars.import)]
  const copy = () => copyIn(sql, bytes)
  return compare('COPY FROM of the same bytes, postgres.js', what, await inTurn(copy, upload, empty), 2, bars.import)
}

async function copyIn(sql: Sql, bytes: Uint8Array) {
  const sink = await sql.unsafe(`copy data.imported (${contactColumns.join(', ')}) from stdin with (format csv, header)`).writable()
  await new Promise<void>((done, fail) => {
    sink.once('error', fail).once('finish', done)
    // In pieces as they come from a network.
    for (let start = 0; start < bytes.length; start += 65_536) sink.write(bytes.subarray(start, start + 65_536))
    sink.end()
  })
  await expectImported(sql)
}

async function expectImported(sql: Sql) {
  const [row] = await sql.unsafe<{ total: string }[]>('select count(*) as total from data.imported')
  if (Number(row!.total) !== contactCount) throw new Error(`${row!.total} records were imported.`)
}

/** Service only: what PostgreSQL reads it keeps in buffers of a fixed size. */
async function measureMemory({ pid, url, dataDir, ...service }: Service, token: string): Promise<Row> {
  const what = `Memory of the service while it exports ${million.toLocaleString('en')} records, above idle`
  if (process.platform !== 'linux' || !(await isExportThere({ url }, token))) return notThere(what, bars.memory)
  await service.stop()
  await using fresh = await startService({ dataDir })
  await Bun.sleep(2000)
  const idle = pssOf(fresh.pid)
  let most = idle
  const sampling = setInterval(() => {
    most = Math.max(most, pssOf(fresh.pid))
  }, 50)
  const size = await sizeOf(await exported(fresh, token, 'million'))
  clearInterval(sampling)
  const more = most - idle
  const figure = `${mb(more)} (idle ${mb(idle)}, sent ${mb(size)})`
  return { what, figure, bar: bars.memory, isMet: more < 64 * 2 ** 20 }
}

async function isExportThere({ url }: Pick<Service, 'url'>, token: string): Promise<boolean> {
  const answer = await fetch(`${url}/api/v1/tables/contacts/export.csv`, { headers: { authorization: `Bearer ${token}` } })
  const text = await answer.text()
  if (isMissing(answer)) return false
  const lines = text.split('\n').length - 2
  if (!answer.ok || lines !== contactCount) throw new Error(`The export answered ${answer.status} with ${lines} records.`)
  return true
}

/** No such route, or none for this method. */
const isMissing = ({ status }: Response) => status === 404 || status === 405

async function exported({ url }: Pick<Service, 'url'>, token: string, name: string): Promise<Stream> {
  const answer = await fetch(`${url}/api/v1/tables/${name}/export.csv`, { headers: { authorization: `Bearer ${token}` } })
  if (!answer.ok || !answer.body) throw new Error(`The export answered ${answer.status}: ${await answer.text()}`)
  return answer.body
}

async function sizeOf(stream: Stream): Promise<number> {
  let size = 0
  for await (const chunk of stream) size += chunk.length
  return size
}

async function whole(stream: Stream): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = []
  for await (const chunk of stream) chunks.push(Uint8Array.from(chunk))
  return new Uint8Array(Buffer.concat(chunks))
}

type InTurn = { plainMs: number; oursMs: number; factor: number }

/**
 * In milliseconds, the medians of the rounds; the factor is the median of theirs, since the machine is faster in some
 * than in others.
 */
async function inTurn(
  one: () => Promise<unknown>,
  other: () => Promise<unknown>,
  before: () => Promise<unknown> = async () => {},
): Promise<InTurn> {
  const took: [number[], number[]] = [[], []]
  for (let round = 0; round < rounds; round++) {
    for (const [index, once] of [one, other].entries()) {
      await before()
      const startedAt = performance.now()
      await once()
      took[index]!.push(performance.now() - startedAt)
    }
  }
  const [plain, ours] = took
  return { plainMs: median(plain), oursMs: median(ours), factor: median(ours.map((tookMs, round) => tookMs / plain[round]!)) }
}

function compare(plain: string, what: string, { plainMs, oursMs, factor }: InTurn, most: number, bar: string): Row[] {
  return [
    { what: plain, figure: ms(plainMs), ratio: '1×' },
    { what, figure: ms(oursMs), ratio: times(factor), bar, isMet: factor <= most },
  ]
}
