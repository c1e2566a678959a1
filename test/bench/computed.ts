import type { Sql } from 'postgres'
import { call, startService } from '../support/executable'
import { setUp } from '../support/used-data'
import { keyMark } from './client'
import { measure } from './load'
import { factorOf, type InRounds, inRounds, rate } from './rounds'
import { connectTo, socketPathOf } from './socket'
import { count, type Row, times } from './table'

const rounds = 3
const lineCount = 1_000_000
const maxPageFactor = 2
const minInsertFactor = 0.9
const stored = 'id,name,note,age'

/** Pages of 50 records with two rollups over a million linked records, and writes to these, beside the same without rollups. */
export async function measureComputed(): Promise<Row[]> {
  // The log of changes costs both sides the same, and filling in would take minutes.
  await using service = await startService({ environment: { ROWHOUSE_HISTORY_DAYS: '0' } })
  const token = await setUp(service)
  const { url, dataDir } = service
  const sql = connectTo(socketPathOf(dataDir))
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const records = (table: string) => `${url}/api/v1/tables/${table}/records`
  const rows: Row[] = []
  for (const linked of [5, 20]) {
    const [owners, lines] = await makeLinked(url, token, sql, linked)
    const keys = lineCount / linked
    const page = (columns: string) => () =>
      measure({ url: `${records(owners)}?select=${columns}&id=gt.${keyMark}&order=id&limit=50`, headers, keys: keys - 100 })
    const pages = await inRounds({ plain: page(stored), rolled: page(`${stored},total,average`) }, undefined, rounds)
    const [title, most] = [`${linked} linked records each`, 1 / maxPageFactor]
    rows.push(compared(`Page of 50, ${title}`, pages.plain, pages.rolled, most))
    if (linked < 20) continue
    const written = { headers, keys }
    const create = (table: string) => () =>
      measure({ url: records(table), method: 'POST', body: `{"owner":${keyMark},"amount":12.5,"quantity":3,"note":"bench"}`, ...written })
    const change = (table: string) => () =>
      measure({ url: `${records(table)}/${keyMark}`, method: 'PATCH', body: `{"amount":${keyMark}}`, ...written })
    const settle = () => sql.unsafe('checkpoint')
    const created = await inRounds({ plain: create(`${lines}_alone`), rolled: create(lines) }, settle, rounds)
    rows.push(compared('Create a linked record', created.plain, created.rolled, minInsertFactor))
    const changed = await inRounds({ plain: change(`${lines}_alone`), rolled: change(lines) }, settle, rounds)
    rows.push(compared('Change a summed value', changed.plain, changed.rolled))
  }
  await sql.end()
  return rows
}

const compared = (title: string, plain: InRounds, rolled: InRounds, most?: number): Row => {
  const factor = factorOf(rolled, plain)
  const bar = most === undefined ? {} : { bar: `≥ ${times(most)}`, isMet: factor >= most }
  return rate(`${title}: ${count(plain.perSecond)}/s, with rollups`, rolled, { ratio: times(factor), ...bar })
}

/** Records with so many linked ones each, and a second table of linked ones that no rollup reads. */
async function makeLinked(url: string, token: string, sql: Sql, linked: number): Promise<[string, string]> {
  const [owners, lines] = [`owners_${linked}`, `lines_${linked}`]
  const make = async (path: string, body: object) => {
    const answer = await call(`${url}/api/v1/tables${path}`, { token, body })
    if (answer.status !== 201) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`)
  }
  const text = (name: string) => ({ name, type: 'text' })
  await make('', { name: owners, columns: [text('name'), text('note'), { name: 'age', type: 'integer' }] })
  const amount = { name: 'amount', type: 'decimal', options: { precision: 12, scale: 2 } }
  const columns = [{ name: 'owner', type: 'link', options: { table: owners } }, amount, { name: 'quantity', type: 'integer' }, text('note')]
  for (const name of [lines, `${lines}_alone`]) await make('', { name, columns })
  const add = (name: string, type: string, options: object) => make(`/${owners}/columns`, { name, type, options })
  await add('lines', 'reverseLinks', { table: lines, column: 'owner' })
  await add('total', 'rollup', { link: 'lines', column: 'amount', function: 'sum' })
  await add('average', 'rollup', { link: 'lines', column: 'quantity', function: 'avg' })
  const total = lineCount / linked
  await sql.unsafe(`insert into data.${owners} (name, note, age)
    select 'Owner ' || n, 'Note about ' || n || ', who was met in the spring', n % 90 from generate_series(1, ${total}) n`)
  for (const name of [lines, `${lines}_alone`])
    await sql.unsafe(`insert into data.${name} (owner, amount, quantity, note)
      select 1 + (n * 7919::bigint) % ${total}, (n % 100000) / 100.0, n % 50, 'Line ' || n || ' with some text in it, as people write it'
      from generate_series(1, ${lineCount}) n`)
  for (const name of [owners, lines, `${lines}_alone`]) await sql.unsafe(`vacuum analyze data.${name}`)
  return [owners, lines]
}
