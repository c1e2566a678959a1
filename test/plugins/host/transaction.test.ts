import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { json, startApp } from '../../support/app'
import { newFolder } from '../../support/executable'
import { endpoints, pluginsWith } from '../../support/plugins'
import { expectProblem } from '../../support/problem'

/** What the caller is to do, as code; `kept` outlives the calls. */
const text = `${endpoints(
  `{ method: 'POST', path: '/run', public: false, body: t.Object({ code: t.String() }), allow: () => true,
     handle: (call) => new (async () => {}).constructor('call', 'kept', call.body.code)(call, kept) }`,
)}\nconst kept = {}\n`
const app = await startApp(
  // One connection: whoever writes into a transaction that is over writes into the next one.
  { ROWHOUSE_DATA_DIR: join(newFolder(), 'data'), DATABASE_POOL_SIZE: '1' },
  { plugins: pluginsWith({ 'try/plugin.ts': text }) },
)
const columns = [
  { name: 'title', type: 'text', unique: true },
  { name: 'pages', type: 'bigint' },
]
await json(app.call('/api/v1/tables', { as: 'admin', body: { name: 'books', columns } }))

const code = (source: string, token?: string) =>
  app.call('/api/v1/custom/try/run', {
    as: 'editor',
    body: { code: source },
    headers: token ? { authorization: `Bearer ${token}` } : {},
  })
const result = async (source: string) => {
  const response = await code(source)
  expect({ status: response.status, problem: response.ok ? null : await response.clone().text() }).toEqual({ status: 200, problem: null })
  return json(response)
}
const titles = async (prefix: string): Promise<string[]> =>
  (await json(app.call(`/api/v1/tables/books/records?title=like.${prefix}*&order=title`, { as: 'viewer' }))).records.map(
    ({ title }: { title: string }) => title,
  )

describe('a transaction that is over', () => {
  test('does not write into the transaction of another request', async () => {
    await result(
      `await call.transaction(async (tx) => { kept.tx = tx; await tx.records('books').create({ title: 'over-first' }) }); return 1`,
    )
    const [outcome, other] = await result(`
      const outcome = await call.transaction(async ({ records }) => {
        await records('books').create({ title: 'over-other' })
        return kept.tx.records('books').create({ title: 'over-late' }).then(() => 'written', (error) => error.message)
      })
      return [outcome, 'done']`)
    expect(outcome).toContain('The transaction is over')
    expect(other).toBe('done')
    expect(await titles('over-')).toEqual(['over-first', 'over-other'])
  })

  test('reads nothing either, nor by what was taken out of it', async () => {
    await result(`await call.transaction(async (tx) => { kept.books = tx.records('books'); await kept.books.list() }); return 1`)
    for (const use of ['list()', 'find(1)', `update(1, { title: 'x' })`, 'remove(1)'])
      expect(await result(`return kept.books.${use}.then(() => 'done', (error) => error.message)`)).toContain('The transaction is over')
  })

  test('is over after it has failed, too', async () => {
    await code(`return call.transaction(async (tx) => { kept.failed = tx; throw new Error('on purpose') })`)
    expect(await result(`return kept.failed.records('books').list().then(() => 'done', (error) => error.message)`)).toContain(
      'The transaction is over',
    )
  })
})

describe('a forgotten await', () => {
  test('on a write that works is waited for', async () => {
    await result(`return call.transaction(async ({ records }) => { records('books').create({ title: 'forgotten-good' }); return 1 })`)
    expect(await titles('forgotten-good')).toEqual(['forgotten-good'])
  })

  test.each([
    ['of another kind', `records('books').create({ title: 'forgotten-bad', pages: 'many' })`, 422],
    ['that is there already', `records('books').create({ title: 'forgotten-twice' })`, 409],
    ['of a record that is not there', `records('books').update(0, { title: 'x' })`, 404],
    ['of a table that is not there', `records('nothing').create({})`, 404],
  ])('on a write %s fails the transaction instead of answering that it is done', async (_what, write, status) => {
    await app.call('/api/v1/tables/books/records', { as: 'editor', body: { title: 'forgotten-twice' } })
    const response = await code(`return call.transaction(async ({ records }) => {
      await records('books').create({ title: 'forgotten-before' })
      ${write}
      return 'done'
    })`)
    expect(response.status).toBe(status)
    expect(await titles('forgotten-before')).toEqual([])
  })

  test('on a function that writes twice fails the transaction, which cannot wait for what has not begun', async () => {
    await expectProblem(
      await code(`return call.transaction(async ({ records }) => {
        const both = async () => {
          await records('books').create({ title: 'both-one' })
          await records('books').create({ title: 'both-two' })
        }
        both().catch(() => {})
        return 'done'
      })`),
      500,
      'internal',
    )
    expect(await titles('both-')).toEqual([])
  })
})

describe('a write that fails and is awaited', () => {
  test('and caught is undone with all of its transaction, which says so', async () => {
    const response = await code(`return call.transaction(async ({ records }) => {
      await records('books').create({ title: 'caught-one' })
      await records('books').create({ title: 'caught-one' }).catch(() => {})
      return 'done'
    })`)
    expect(response.status).toBe(409)
    expect(await titles('caught-')).toEqual([])
  })
})

describe('the facade of a call', () => {
  const tokenOf = async (name: string): Promise<string> => (await json(app.call('/auth/tokens', { as: 'editor', body: { name } }))).token

  test.each(['call', 'call.records("books")', 'call.files', '{ sql: call.sql }', '{ transaction: call.transaction }'])(
    '%s, when it is kept, does not act as its caller for ever',
    async (what) => {
      await code(`kept.it = ${what}; return 1`, await tokenOf('kept'))
      const uses: Record<string, string> = {
        call: `kept.it.records('books').create({ title: 'kept-1' })`,
        'call.records("books")': `kept.it.create({ title: 'kept-2' })`,
        'call.files': `kept.it.list('books', 1, 'title')`,
        '{ sql: call.sql }': 'kept.it.sql`select 1`',
        '{ transaction: call.transaction }': `kept.it.transaction(({ records }) => records('books').create({ title: 'kept-3' }))`,
      }
      expect(await result(`return ${uses[what]}.then(() => 'done', (error) => error.message)`)).toContain('The call is over')
      expect(await titles('kept-')).toEqual([])
    },
  )

  test('ends with the call in a transaction that nobody waits for', async () => {
    await result(`const gate = Promise.withResolvers(); kept.open = gate.resolve
      kept.late = call.transaction(async ({ records }) => { await gate.promise; await records('books').create({ title: 'late-1' }) })
        .then(() => 'done', (error) => error.message); return 1`)
    expect(await result('kept.open(); return kept.late')).toContain('The call is over')
    expect(await titles('late-')).toEqual([])
  })

  test('ends when the call was refused or failed, too', async () => {
    await code(`kept.it = call; throw new Error('on purpose')`)
    expect(await result(`return kept.it.records('books').list().then(() => 'done', (error) => error.message)`)).toContain(
      'The call is over',
    )
  })

  test('what it has begun is finished', async () => {
    await result(`kept.done = call.records('books').create({ title: 'begun-1' }); return 1`)
    expect((await result(`return kept.done`)).title).toBe('begun-1')
  })

  test('asSystem is for work that goes on behind the answer', async () => {
    await result(`const data = call.asSystem(); kept.go = () => data.records('books').create({ title: 'behind-1' }); return 1`)
    expect((await result(`return kept.go()`)).title).toBe('behind-1')
  })

  test.each([
    ['a stream', '(async function* () { yield String((await call.records("books").list()).records.length > 0) })()'],
    [
      'a Response of a stream',
      'new Response(new ReadableStream({ async pull(c) { c.enqueue(new TextEncoder().encode(String((await call.records("books").list()).records.length > 0))); c.close() } }))',
    ],
  ])('lasts as long as %s that it answers with', async (_what, answer) => {
    const response = await code(`kept.it = call; return ${answer}`)
    expect(await response.text()).toBe('true')
    expect(await result(`return kept.it.records('books').list().then(() => 'done', (error) => error.message)`)).toContain(
      'The call is over',
    )
  })
})
