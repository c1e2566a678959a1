import { describe, expect, test } from 'bun:test'
import { json, startApp } from '../../support/app'
import { endpoints, pluginsWith } from '../../support/plugins'

const plugins = pluginsWith({
  'try/plugin.ts': endpoints(`{ method: 'POST', path: '/run', public: false, body: t.Object({ code: t.String() }), allow: () => true,
    handle: (call) => new (async () => {}).constructor('call', call.body.code)(call) }`),
})

/** Within a transaction that holds a connection: what is done beside it needs another one. */
const beside = {
  'reads a list': `return (await call.records('books').list({ limit: 1 })).records.length`,
  'reads a record': `return Number(Boolean(await call.records('books').find('1')))`,
  'writes a record': `return Number(Boolean(await call.records('books').create({ title: 'beside' })))`,
  'writes several': `return (await call.records('books').create([{ title: 'one' }, { title: 'two' }])).length - 1`,
  'asks with sql': 'return (await call.sql`select 1 as one`).length',
  'begins another transaction': `return call.transaction(async (inner) => { await inner.records('books').find('1'); return (await call.records('books').list({ limit: 1 })).records.length })`,
}
const within = (code: string) => `return call.transaction(async (tx) => { await tx.records('books').list({ limit: 1 }); ${code} })`

describe.each(['1', '4'])('with DATABASE_POOL_SIZE=%s', async (poolSize) => {
  const app = await startApp({ DATABASE_POOL_SIZE: poolSize, ROWHOUSE_PLUGIN_TIMEOUT: '20s' }, { plugins })
  const run = (code: string) => app.call('/api/v1/custom/try/run', { as: 'editor', body: { code } })
  await app.call('/api/v1/tables', { as: 'admin', body: { name: 'books', columns: [{ name: 'title', type: 'text' }] } })
  await app.call('/api/v1/tables/books/records', { as: 'editor', body: { title: 'there' } })
  await run('return 1')

  test.each(Object.entries(beside))('twelve calls at once, each of which %s beside its transaction, are all answered', async (_, code) => {
    const responses = await Promise.all(Array.from({ length: 12 }, () => run(within(code))))
    expect(await Promise.all(responses.map((response) => response.text()))).toEqual(responses.map(() => '1'))
  })

  test('transactions of one call that stand side by side are no nested ones', async () => {
    const four = `return (await Promise.all([1, 2, 3, 4].map(() => call.transaction(async () => (await call.records('books').list({ limit: 1 })).records.length)))).join()`
    expect(await json(run(four))).toBe('1,1,1,1')
  })

  test('a fourth connection for one piece of work is refused at once, and says what to do instead', async () => {
    const deep = `let told; await call.transaction(() => call.transaction(() => call.transaction(async () => 1))).catch((error) => { told = error.message }); return told ?? 'done'`
    const deeper = deep.replace('async () => 1', `() => call.records('books').list({ limit: 1 })`)
    expect(await json(run(deep))).toBe('done')
    expect(await json(run(deeper))).toContain('do everything with what it was given')
  })
})
