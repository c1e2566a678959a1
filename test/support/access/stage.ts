import { join } from 'node:path'
import { unzipSync } from 'fflate'
import { createToken } from '../../../src/auth/accounts/tokens'
import { createUser } from '../../../src/users/service'
import { json, password, startApp, type TestApp } from '../app'
import { newFolder } from '../executable'
import { endpoints, pluginsWith } from '../plugins'
import { betweens, buildWorld } from './build'
import type { State } from './document'
import type { Answer, Request } from './requests'
import { qualified, type World } from './world'

export const groupNames = ['red', 'blue', 'green']

type Member = { id: string; email: string; role: 'editor' | 'viewer'; tokens: { full: string; read: string } }

/** Two instances on one database, with people, groups and worlds. */
export type Stage = { one: TestApp; two: TestApp; people: Member[]; groupIds: string[]; plugins: string }

const probe = endpoints(
  `{ method: 'GET', path: '/list/:table', public: false, allow: () => true, handle: ({ params, records }) => records(params.table).list({ count: 'exact' }) }`,
  `{ method: 'GET', path: '/find/:table/:key', public: false, allow: () => true, handle: async ({ params, records }) => ({ found: await records(params.table).find(params.key) }) }`,
  `{ method: 'POST', path: '/write/:table', public: false, body: t.Object({ key: t.Unknown(), values: t.Unknown() }), allow: () => true,
    handle: ({ params, body, records }) => (body.key === null ? records(params.table).create(body.values) : records(params.table).update(body.key, body.values)) }`,
  `{ method: 'GET', path: '/sql/:schema/:table', public: false, allow: () => true,
    handle: ({ params, sql }) => sql(Object.assign(['select * from "' + params.schema + '"."' + params.table + '"'], { raw: [''] })) }`,
)
const sheet = `import { documentTemplate, t } from 'rowhouse/plugin'
export default documentTemplate({ title: 'Sheet', public: false, params: t.Object({ table: t.String() }), formats: { md: 'sheet.liquid' }, allow: () => true,
  load: async ({ params, records }) => ({ text: JSON.stringify(await records(params.table).list()) }) })`

export async function startStage(worldNames: readonly string[]): Promise<Stage> {
  const plugins = pluginsWith({ 'probe/plugin.ts': probe, 'probe/sheet/template.ts': sheet, 'probe/sheet/sheet.liquid': '{{ text }}' })
  const environment = {
    ROWHOUSE_SCHEMAS: 'ext',
    ROWHOUSE_MIN_FREE_BYTES: '0',
    ROWHOUSE_DATA_DIR: join(newFolder(), 'data'),
    ROWHOUSE_RPC: worldNames.flatMap((name) => [`${name}_all`, `${name}_touch`]).join(),
  }
  const one = await startApp(environment, { plugins })
  const two = await startApp(environment, { plugins, users: false, target: one.target })
  await one.deps.db.query('create schema ext')
  await one.deps.db.query('create schema kept')
  const people = []
  for (const [name, role] of [
    ['grace', 'editor'],
    ['bob', 'editor'],
    ['eve', 'viewer'],
  ] as const) {
    const { user } = await createUser(one.deps.db, one.deps.passwords, { email: `${name}@example.org`, name, role, password }, null)
    const token = async (scope: 'full' | 'read') =>
      (await createToken(one.deps.db, { user, via: 'cookie', catalogVersion: 0 }, { name: scope, scope }, null)).token
    people.push({ id: user.id, email: user.email, role, tokens: { full: await token('full'), read: await token('read') } })
  }
  const groupIds = []
  for (const name of groupNames) {
    const id = Bun.randomUUIDv7()
    await one.deps.db.query('insert into rowhouse.groups (id, name) values ($1, $2)', [id, name])
    groupIds.push(id)
  }
  return { one, two, people, groupIds, plugins }
}

/** The groups of each person, one bit per group. */
export async function setMembers({ one, people, groupIds }: Stage, members: readonly number[]): Promise<void> {
  const pairs = people.flatMap(({ id }, at) => groupIds.filter((_, bit) => ((members[at] ?? 0) >> bit) & 1).map((group) => [group, id]))
  await one.deps.db.query('delete from rowhouse.group_members')
  for (const pair of pairs) await one.deps.db.query('insert into rowhouse.group_members values ($1, $2)', pair)
}

export const groupsOf = (members: readonly number[], at: number): string[] => groupNames.filter((_, bit) => ((members[at] ?? 0) >> bit) & 1)

/** A person's token that is restricted to the first two tables of a world. */
export async function narrowToken({ one, people }: Stage, at: number, world: World): Promise<string> {
  const { tables } = await json(one.call('/api/v1/tables', { as: 'admin' }))
  const ids = world.tables.slice(0, 2).map(({ name }) => tables.find((table: { name: string }) => table.name === name).id)
  const { id, email, role } = people[at]!
  const user = { id, email, role, name: 'x', disabled: false, createdAt: '', lastLoginAt: null }
  return (await createToken(one.deps.db, { user, via: 'cookie', catalogVersion: 0 } as never, { name: 'narrow', tables: ids }, null)).token
}

export async function addWorld({ one, people }: Stage, world: World): Promise<void> {
  await buildWorld(one, world, { users: people.map(({ id }) => id), groups: groupNames })
}

export const restore = ({ one }: Stage, { name }: World) => one.deps.db.query(`select kept.${name}_restore()`)

/** All rows, in the order of their keys. */
export async function readState({ one }: Stage, world: World): Promise<State> {
  const parts = [
    ...world.tables.map(
      (table) =>
        `'${table.name}', (select coalesce(json_agg(row_to_json(x.*)), '[]') from (select * from ${qualified(table)} order by 1) x)`,
    ),
    ...betweens(world).map(
      ({ between }) =>
        `'${between}', (select coalesce(json_agg(row_to_json(x.*)), '[]') from (select * from data."${between}" order by 1, 2) x)`,
    ),
  ]
  const [row] = await one.deps.db.query<{ state: string }>(`select json_build_object(${parts.join(', ')})::text as state`)
  return JSON.parse(row!.state) as State
}

export async function ask(app: TestApp, token: string, { method, path, headers = {}, body }: Request): Promise<Answer> {
  const isText = typeof body === 'string'
  const response = await fetch(app.url + path, {
    method,
    signal: AbortSignal.timeout(40_000),
    body: body === undefined ? undefined : isText ? body : JSON.stringify(body),
    headers: {
      authorization: `Bearer ${token}`,
      ...(body === undefined || isText ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
  })
  const bytes = new Uint8Array(await response.arrayBuffer())
  const own = Object.fromEntries(response.headers)
  const text = own['content-type']?.includes('spreadsheet') && response.ok ? unpacked(bytes) : new TextDecoder().decode(bytes)
  return { status: response.status, headers: own, text, json: own['content-type']?.includes('json') && text ? JSON.parse(text) : undefined }
}

const unpacked = (bytes: Uint8Array) =>
  Object.values(unzipSync(bytes))
    .map((part) => new TextDecoder().decode(part))
    .join('\n')
