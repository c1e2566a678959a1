import { afterAll, describe, expect, test } from 'bun:test'
import { connectDirectly } from '../../src/db/pool/open'
import { json, startApp } from '../support/app'
import { endpoints, pluginsWith } from '../support/plugins'

/** "Try again" is answered only where nothing was written, and nothing will be. */
const route = (path: string, work: string) =>
  `{ method: 'POST', path: '/${path}', public: false, body: t.Object({ title: t.String() }), allow: () => true,
     handle: async ({ records, transaction, body }) => { ${work} } }`
const forEver = 'await new Promise(() => {})'
const plugins = pluginsWith({
  'slow/plugin.ts': endpoints(
    route('written', `await records('free').create(body); ${forEver}`),
    route('idle', `await records('free').list({ limit: 1 }); ${forEver}`),
    route('undone', `await transaction(async (tx) => { await tx.records('free').create(body); ${forEver} })`),
    route('committing', `await transaction(async (tx) => { await tx.records('stubborn').create(body) })`),
    route('later', `await records('free').create(body); await records('sleepers').list()`),
    route('earlier', `await records('sleepers').list(); await records('free').create(body)`),
  ),
})

async function start(environment: Record<string, string> = {}) {
  const app = await startApp({ ROWHOUSE_SCHEMAS: 'slow' }, { plugins })
  const outside = connectDirectly(app.target, app.deps.config)
  afterAll(() => outside.end())
  for (const name of ['free', 'stubborn'])
    await app.call('/api/v1/tables', { as: 'admin', body: { name, columns: [{ name: 'title', type: 'text' }] } })
  await outside.unsafe(`create schema slow; create view slow.sleepers as select 1 as id, pg_sleep(600)::text as nap;
    create function data.resist() returns trigger language plpgsql as $$ begin
      perform pg_sleep(600); return new; exception when query_canceled then return new; end $$;
    create constraint trigger resist after insert on data.stubborn deferrable initially deferred for each row execute function data.resist()`)
  await app.deps.catalog.refresh()
  const hasty = await startApp({ ROWHOUSE_SCHEMAS: 'slow', ...environment }, { plugins, beside: app })
  return {
    limitTo: (pluginTimeoutMs: number) => void Object.assign(hasty.deps.config, { pluginTimeoutMs }),
    call: async (path: string, title: string) => {
      const response = await hasty.call(`/api/v1/custom/slow/${path}`, { as: 'editor', body: { title } })
      return { status: response.status, code: (await json(response)).code, mayRetry: response.headers.has('retry-after') }
    },
    written: async (table: string, title: string) => (await outside.unsafe(`select from data.${table} where title = $1`, [title])).length,
  }
}

const unknown = { status: 503, code: 'outcome_unknown', mayRetry: false }

const { call: hurry, written: hurried, limitTo } = await start()
const { call, written } = await start({ ROWHOUSE_QUERY_TIMEOUT: '2s' })

/**
 * Calls each title within a second, and with twice the time again while that was too short to write all of them: none
 * may be said to be tried again that has written.
 */
async function untilWritten(path: string, table: string, titles: string[]) {
  for (let limitMs = 1000; ; limitMs *= 2) {
    limitTo(limitMs)
    const tried = titles.map((title) => `${title} within ${limitMs} ms`)
    const answers = await Promise.all(tried.map((title) => hurry(path, title)))
    const counts = await Promise.all(tried.map((title) => hurried(table, title)))
    expect(answers.filter(({ mayRetry }, index) => mayRetry && counts[index]! > 0)).toEqual([])
    if (counts.every((count) => count === 1)) return answers
  }
}

describe('a call whose time is over', () => {
  test('is not to be tried again when it has written, by itself or in a statement that it shared', async () => {
    const titles = Array.from({ length: 12 }, (_, index) => `written ${index}`)
    expect(await untilWritten('written', 'free', titles)).toEqual(titles.map(() => unknown))
  })

  test.each(['idle', 'undone'])('may be tried again when it has written nothing (%s)', async (path) => {
    limitTo(1000)
    expect(await hurry(path, path)).toEqual({ status: 503, code: 'unavailable', mayRetry: true })
    expect(await hurried('free', path)).toBe(0)
  })

  test('waits for the end of a commit that is under way', async () => {
    expect(await untilWritten('committing', 'stubborn', ['stubborn'])).toEqual([unknown])
  })
})

describe('a call whose statement was cancelled', () => {
  test('is not to be tried again when it had written before', async () => {
    expect(await call('later', 'later')).toEqual(unknown)
    expect(await written('free', 'later')).toBe(1)
  })

  test('may be tried again when it had not', async () => {
    expect(await call('earlier', 'earlier')).toEqual({ status: 503, code: 'query_timeout', mayRetry: true })
    expect(await written('free', 'earlier')).toBe(0)
  })
})
