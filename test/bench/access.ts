import { call, startService } from '../support/executable'
import { setUp } from '../support/used-data'
import { ageMark, keyMark } from './client'
import { contactCount, fillContacts, makeContacts } from './contacts'
import { measure, type Request } from './load'
import { factorOf, inRounds, rate } from './rounds'
import { connectTo, socketPathOf } from './socket'
import { type Row, times } from './table'

const rounds = 5
/** One table that a rule narrows, and one that none names, with the same rows. */
const [ruled, open] = ['contacts_ruled', 'contacts_open']
const minShare = 0.8
const [manyGroups, manyTables, manyRules] = [200, 500, 20]
const maxDecisionMs = 0.02

/** What a rule of access costs, and what it costs to find the caller's rules among many. */
export async function measureAccess(): Promise<Row[]> {
  await using service = await startService()
  const administrator = await setUp(service)
  const { url, pid, dataDir } = service
  const ask = async <Answer>(path: string, asked: Parameters<typeof call>[1], expected: number): Promise<Answer> => {
    const answer = await call(url + path, { token: administrator, ...asked })
    if (answer.status !== expected) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`)
    return (await answer.json()) as Answer
  }
  const { user: owner } = await ask<{ user: { id: string } }>(
    '/api/v1/users',
    { body: { kind: 'service', name: 'Owner', role: 'editor' } },
    201,
  )
  const { token } = await ask<{ token: string }>(`/api/v1/users/${owner.id}/tokens`, { body: { name: 'bench', scope: 'full' } }, 201)
  const sql = connectTo(socketPathOf(dataDir))
  for (const name of [ruled, open]) {
    await makeContacts(url, administrator, name)
    await ask(`/api/v1/tables/${name}/columns`, { body: { name: 'owner', type: 'text' } }, 201)
    await fillContacts(sql, name)
    await sql.unsafe(`create index on data.${name} (owner, id)`)
    await sql.unsafe(`update data.${name} set owner = case when id <= ${contactCount / 2} then '${owner.id}' else 'somebody' end`)
    await sql.unsafe(`vacuum full analyze data.${name}`)
  }
  const rule = { group: 'everyone', table: ruled, read: 'owner=eq.@me', create: 'all', update: 'owner=eq.@me', delete: 'none' }
  const setRules = async (rules: object[]) => {
    const etag = (await call(`${url}/api/v1/access`, { token: administrator })).headers.get('etag')!
    await ask('/api/v1/access', { method: 'PUT', headers: { 'if-match': etag }, body: { rules } }, 200)
  }
  await setRules([rule])
  const headers = { authorization: `Bearer ${token}` }
  const keys = contactCount / 2 - 1000
  const page = `id=gt.${keyMark}&order=id&limit=50`
  const requests: Record<string, (table: string) => Request> = {
    'By key': (table) => ({ url: `${url}/api/v1/tables/${table}/records/${keyMark}`, headers, keys }),
    'Page of 50': (table) => ({ url: `${url}/api/v1/tables/${table}/records?${page}`, headers, keys }),
    Filtered: (table) => ({
      url: `${url}/api/v1/tables/${table}/records?age=gte.${ageMark}&active=is.true&${page}`,
      headers,
      keys: keys - 1000,
    }),
    Change: (table) => ({
      url: `${url}/api/v1/tables/${table}/records/${keyMark}`,
      method: 'PATCH',
      headers: { ...headers, 'content-type': 'application/json' },
      body: `{"age":${ageMark}}`,
      keys,
    }),
  }
  const others = await call(`${url}/api/v1/tables/${ruled}/records/${contactCount}`, { headers })
  if (others.status !== 404) throw new Error(`A record of somebody else answered ${others.status}.`)
  const settle = () => sql.unsafe('checkpoint')
  const rows: Row[] = []
  for (const [title, request] of Object.entries(requests)) {
    const measured = await inRounds({ open: () => measure(request(open)), ruled: () => measure(request(ruled)) }, settle, rounds)
    const share = factorOf(measured.ruled, measured.open)
    rows.push(rate(`${title}, no rule`, measured.open, { ratio: '1×' }))
    rows.push(rate(`${title}, rule owner=eq.@me`, measured.ruled, { ratio: times(share), bar: `≥ ${minShare}×`, isMet: share >= minShare }))
  }
  rows.push(await measureDecision({ ask, setRules, rule, request: requests['By key']!(ruled), owner: owner.id, pid }))
  await sql.end()
  return rows
}

type Decision = {
  ask: <Answer>(path: string, asked: Parameters<typeof call>[1], expected: number) => Promise<Answer>
  setRules: (rules: object[]) => Promise<void>
  rule: object
  request: Request
  owner: string
  pid: number
}

/** Processor time of the service for a read by key: with one rule, and with many groups, tables and rules. */
async function measureDecision({ ask, setRules, rule, request, owner, pid }: Decision): Promise<Row> {
  for (let each = 0; each < manyGroups; each++) {
    const members = each < manyRules ? [owner] : []
    await ask('/api/v1/groups', { body: { name: `group ${each}`, members } }, 201)
  }
  for (let each = 0; each < manyTables; each++) {
    await ask('/api/v1/tables', { body: { name: `table_${each}`, columns: [{ name: 'name', type: 'text' }] } }, 201)
  }
  const many = Array.from({ length: manyRules }, (_, each) => ({
    ...rule,
    group: `group ${each}`,
    table: `table_${each}`,
    read: 'all',
    update: 'all',
  }))
  const few: number[] = []
  const more: number[] = []
  for (let round = 0; round < rounds; round++) {
    await setRules([rule])
    few.push((await measure(request, pid)).cpuMs!)
    await setRules([rule, ...many])
    more.push((await measure(request, pid)).cpuMs!)
  }
  const median = (values: number[]) => values.sort((one, other) => one - other)[Math.floor(values.length / 2)]!
  const cost = median(more) - median(few)
  return {
    what: `Deciding with ${manyGroups} groups, ${manyTables} tables and ${manyRules} rules, above one rule`,
    figure: `${Math.round(cost * 1000)} µs`,
    bar: `≤ ${maxDecisionMs * 1000} µs`,
    isMet: cost <= maxDecisionMs,
  }
}
