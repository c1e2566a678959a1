import { expect, test } from 'bun:test'
import type { Query } from '../../../src/db/pool/open'
import { RequestScope } from '../../../src/db/pool/scope'
import { insertBatched, updateBatched } from '../../../src/records/store/writes/batched-writes'
import { json, startApp } from '../../support/app'
import { until } from '../../support/processes'

/** What requests that arrive together have to do with each other: nothing that anybody could see. */
const app = await startApp({ ROWHOUSE_SCHEMAS: 'crm' })
const { db, catalog } = app.deps
await db.sql.unsafe(`create schema crm; create table crm.hosts (address inet primary key, name text);
  insert into crm.hosts select ('10.0.0.' || n)::inet, 'host ' || n from generate_series(1, 20) n`)
await app.call('/api/v1/tables', { as: 'admin', body: { name: 'notes', columns: [{ name: 'text', type: 'text' }] } })

test.each(['/api/v1/tables/hosts/records/', '/rest/v1/hosts?address=eq.'])(
  'a key that is none keeps nobody from the records that were asked for with it (%s)',
  async (address) => {
    const keys = Array.from({ length: 20 }, (_, n) => (n % 5 === 0 ? 'no-address' : `10.0.0.${n + 1}`))
    const read = (key: string) => app.call(address + key, { as: 'viewer', headers: { 'accept-profile': 'crm' } })
    const answers = await Promise.all(keys.map(async (key) => ({ key, answer: await read(key) })))
    for (const { key, answer } of answers.filter(({ key }) => key !== 'no-address')) {
      expect(answer.status).toBe(200)
      expect([await json(answer)].flat()).toEqual([{ address: key, name: `host ${key.split('.')[3]}` }])
    }
  },
)

/** The database, but for its next answer, which is lost on the way. */
function losing() {
  let isLost = false
  const query: Query = async (...statement) => {
    const rows = await db.query(...statement)
    if (isLost) return rows as never
    isLost = true
    throw Object.assign(new Error('write CONNECTION_CLOSED'), { code: 'CONNECTION_CLOSED' })
  }
  return { ...db, query }
}

const shared = async (text: string) => ({
  table: (await catalog.refresh()).byName.get('notes')!,
  names: ['text'],
  json: JSON.stringify({ text }),
  userId: (await json(app.call('/api/v1/auth/me', { as: 'editor' }))).user.id as string,
  returning: { hasKey: true, hasVersion: true },
})

test('records whose answer was lost are not made a second time', async () => {
  const [one, two] = [await shared('one'), await shared('two')]
  const lost = losing()
  const made = await Promise.allSettled([insertBatched(lost, one), insertBatched(lost, two)])
  expect(made.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  const { records } = await json(app.call('/api/v1/tables/notes/records', { as: 'viewer' }))
  expect(records.map(({ text }: { text: string }) => text)).toEqual(['one', 'two'])
})

test('changes whose answer was lost are not made a second time', async () => {
  const change = async (id: string, text: string) => ({ ...(await shared(text)), key: [id], versions: null })
  const [one, two] = [await change('1', 'first'), await change('2', 'second')]
  const lost = losing()
  const made = await Promise.allSettled([updateBatched(lost, one), updateBatched(lost, two)])
  expect(made.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
})

/** A table whose trigger does what a record's text says. */
async function obedientTable(name: string): Promise<void> {
  await app.call('/api/v1/tables', { as: 'admin', body: { name, columns: [{ name: 'text', type: 'text' }] } })
  await db.sql.unsafe(`create function data.obey_${name}() returns trigger language plpgsql as $$ begin
      if new.text like 'raise %' then raise sqlstate '08006' using message = 'the other server is away'; end if;
      if new.text = 'sleep' then perform pg_sleep(600); end if;
      return new;
    end $$;
    create trigger obey before insert or update on data.${name} for each row execute function data.obey_${name}()`)
}

const texts = Array.from({ length: 12 }, (_, index) => (index % 4 === 0 ? `raise ${index}` : `text ${index}`))

test.each(['/api/v1/tables/raising_native/records', '/rest/v1/raising_rest'])(
  'a trigger that raises the state of a lost connection fails its own record and no neighbour (%s)',
  async (path) => {
    const name = /raising_\w+/.exec(path)![0]
    await obedientTable(name)
    const answers = await Promise.all(texts.map((text) => app.call(path, { as: 'editor', body: { text } })))
    expect(answers.map(({ status }) => status)).toEqual(texts.map((text) => (text.startsWith('raise') ? 503 : 201)))
    expect((await json(answers[0]!)).code).not.toBe('outcome_unknown')
    const { records } = await json(app.call(`/api/v1/tables/${name}/records`, { as: 'viewer' }))
    expect(records.map(({ text }: { text: string }) => text).sort()).toEqual(texts.filter((text) => !text.startsWith('raise')).sort())
  },
)

test('a record that was refused counts as not written, although others shared a statement that only found them unverified', async () => {
  await obedientTable('unverified')
  const table = (await catalog.refresh()).byName.get('unverified')!
  const { userId, ...write } = await shared('raise one')
  const stale = { version: `${'x'.repeat(43)}.1.1.1`, userId, state: 'pending' as const }
  const within = <Result>(work: () => Promise<Result>) => {
    const scope = new RequestScope()
    return scope.run(() => Promise.allSettled([work()])).then(([{ status }]) => ({ status, hasWritten: scope.hasWritten }))
  }
  const insert = { ...write, table, userId }
  for (const text of ['one', 'two']) await insertBatched(db, { ...insert, json: JSON.stringify({ text }) })
  const inserts = [within(() => insertBatched(db, insert)), within(() => insertBatched(db, { ...insert, identity: { ...stale } }))]
  expect((await Promise.all(inserts))[0]).toEqual({ status: 'rejected', hasWritten: false })
  const change = { ...insert, versions: null }
  const changes = [
    within(() => updateBatched(db, { ...change, key: ['1'] })),
    within(() => updateBatched(db, { ...change, key: ['2'], identity: { ...stale } })),
  ]
  expect((await Promise.all(changes))[0]).toEqual({ status: 'rejected', hasWritten: false })
})

test('a trigger that takes long keeps no neighbour waiting for its end', async () => {
  await obedientTable('sleeping')
  const path = '/api/v1/tables/sleeping/records'
  const made = await Promise.all(['one', 'two', 'three'].map((text) => app.call(path, { as: 'editor', body: { text } })))
  const ids = await Promise.all(made.map(async (answer) => (await json(answer)).id as number))
  const slow = ['sleep', 'text 1', 'text 2'].map((text) => app.call(path, { as: 'editor', body: { text } }))
  const changed = ids.map((id, index) =>
    app.call(`${path}/${id}`, { as: 'editor', method: 'PATCH', body: { text: index ? 'changed' : 'sleep' } }),
  )
  let isEnded = false
  for (const first of [slow[0]!, changed[0]!]) void first.then(() => (isEnded = true))
  expect((await Promise.all([...slow.slice(1), ...changed.slice(1)])).map(({ status }) => status)).toEqual([201, 201, 200, 200])
  expect(isEnded).toBe(false)
  const cancelled = async () =>
    (
      await db.sql.unsafe(
        `select pg_cancel_backend(pid) from pg_stat_activity where wait_event = 'PgSleep' and datname = current_database()`,
      )
    ).length
  await until('both are ended', async () => {
    await cancelled()
    return isEnded
  })
  await Promise.all([slow[0], changed[0]])
})

test.each(['limit=0', 'offset=1', 'limit=1&offset=1'])('the answer of a change by key is limited like any other: %s', async (query) => {
  const { id } = await json(app.call('/api/v1/tables/notes/records', { as: 'editor', body: { text: 'old' } }))
  const headers = { prefer: 'return=representation', 'content-profile': 'data' }
  for (const filter of [`id=eq.${id}`, `id=in.(${id})`]) {
    const change = { as: 'editor', method: 'PATCH', body: { text: filter }, headers } as const
    expect(await json(app.call(`/rest/v1/notes?${filter}&limit=1`, change))).toMatchObject([{ id, text: filter }])
    const changed = await app.call(`/rest/v1/notes?${filter}&${query}`, { ...change, body: { text: query } })
    expect([changed.status, await json(changed)]).toEqual([200, []])
    const { text } = await json(app.call(`/api/v1/tables/notes/records/${id}`, { as: 'viewer' }))
    expect(text).toBe(query)
  }
})
