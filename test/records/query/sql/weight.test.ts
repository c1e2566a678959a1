import { describe, expect, test } from 'bun:test'
import { json, startApp } from '../../../support/app'
import { expectProblem } from '../../../support/problem'

/**
 * Names and embeddings multiply what is stored. A page of 32 MB is more than anybody reads, and a small part of what a
 * server has.
 */
const app = await startApp()
const { db } = app.deps
await db.query('create table data.parents (id int primary key, note text)')
await db.query('create table data.children (id int primary key, parent int constraint of_parent references data.parents, text text)')
await db.query(`insert into data.parents select n, 'note' from generate_series(1, 3) n`)
// Of the first parent 400 children of 4 KB, of the second 1 500 small ones, of the third 10 001.
await db.query(`insert into data.children select n, 1, repeat(md5(n::text), 125) from generate_series(1, 400) n`)
await db.query(`insert into data.children select n, 2, 'x' from generate_series(1001, 2500) n`)
await db.query(`insert into data.children select n, 3, 'x' from generate_series(10001, 20001) n`)
await db.query('create table data.heavy (id int primary key, text text)')
await db.query(`insert into data.heavy select n, repeat('x', 3000000) from generate_series(1, 20) n`)
await db.query('create table data.middling (id int primary key, text text)')
await db.query(`insert into data.middling select n, repeat('x', 5000) from generate_series(1, 9000) n`)
await app.deps.catalog.refresh()

const [native, rest] = ['/api/v1/tables/', '/rest/v1/']
const names = (count: number, column: string) => Array.from({ length: count }, (_, index) => `a${index}:${column}`).join(',')
const read = (path: string, headers: Record<string, string> = {}) => app.call(path, { as: 'viewer', headers })
const largest = 'The answer would be larger than 32 MB.'

async function expectRefused(response: Response, isRest: boolean, message: string): Promise<void> {
  expect(response.status).toBe(400)
  const body = await json(response)
  expect({ code: body.code, message: body.message }).toEqual({ code: isRest ? 'PGRST100' : 'invalid_request', message })
  expect(body.hint).toBeString()
}

const routes = (path: string): [string, boolean][] => [
  [`${native}${path.replace('?', '/records?')}`, false],
  [`${rest}${path}`, true],
]

describe('a page that would weigh too much is refused with what to do', () => {
  test.each(routes(`children?limit=400&select=${names(100, 'text')}`))('by one column under many names: %s', async (path, isRest) => {
    const message = 'The query has one column too many times in "select"; at most 10 are allowed.'
    await expectRefused(await read(path), isRest, message)
  })

  const back = 'select=id,children(id,parents!of_parent(children(text)))'
  const pages = [
    `parents?id=eq.1&${back}`,
    'parents?id=eq.1&select=id,children(id,parents!of_parent(id,children(id,parents!of_parent(children(text)))))',
    'parents?id=eq.1&select=id,children(id,...parents!of_parent(children(text)))',
    'heavy?order=id',
    'heavy?select=id,text&limit=15',
    `heavy?limit=2&select=${names(9, 'text')}`,
    'middling?limit=9000',
  ]
  test.each(pages.flatMap(routes))('%s', async (path, isRest) => {
    // The second time it is known to be heavy.
    for (let time = 0; time < 2; time++) await expectRefused(await read(path), isRest, largest)
  })

  test('as CSV, as one record, and as what was written', async () => {
    await expectRefused(await read(`${rest}heavy`, { accept: 'text/csv' }), true, largest)
    await expectRefused(await read(`${native}parents/records/1?${back}`), false, largest)
    const sent = { as: 'editor', method: 'PATCH', body: { note: 'changed' }, headers: { prefer: 'return=representation' } } as const
    const written = await app.call(`${rest}parents?id=eq.1&order=id&${back}`, sent)
    await expectRefused(written, true, largest)
    expect(await db.query('select note from data.parents where id = 1')).toEqual([{ note: 'note' }] as never)
  })

  test.each(routes('parents?id=eq.3&select=id,children(id)'))('by too many embedded rows: %s', async (path, isRest) => {
    await expectRefused(await read(path), isRest, 'An embedding of one record has more than 10000 rows.')
    expect((await read(`${path}&children.limit=10000`)).status).toBe(200)
  })
})

describe('a page that weighs less is answered whole', () => {
  const rows = async (response: Response) => {
    expect(response.status).toBe(200)
    const body = await json(response)
    return Array.isArray(body) ? body : body.records
  }

  test.each(routes('heavy?limit=10&order=id'))('though its records are heavier than others: %s', async (path) => {
    for (let time = 0; time < 2; time++) {
      const found = await rows(await read(path))
      expect(found.map(({ id, text }: { id: number; text: string }) => [id, text.length])).toEqual(
        Array.from({ length: 10 }, (_, index) => [index + 1, 3_000_000]),
      )
    }
  })

  test.each(routes('parents?id=eq.2&select=id,children(id),spread:children(id)&children.order=id.desc'))(
    'though much is embedded: %s',
    async (path) => {
      for (let time = 0; time < 2; time++) {
        const [{ children }] = await rows(await read(path))
        expect(children.map(({ id }: { id: number }) => id)).toEqual(Array.from({ length: 1500 }, (_, index) => 2500 - index))
      }
    },
  )

  test.each(routes('parents?id=in.(1,2)&order=id&select=id,...children(numbers:id,text)&children.order=id'))(
    'though much is spread: %s',
    async (path) => {
      const found = await rows(await read(path))
      expect(found.map(({ numbers }: { numbers: number[] }) => [numbers.length, numbers[0], numbers.at(-1)])).toEqual([
        [400, 1, 400],
        [1500, 1001, 2500],
      ])
      expect(found[0].text[399]).toHaveLength(4000)
    },
  )

  test('with the cursor behind it', async () => {
    const first = await json(read(`${native}heavy/records?limit=8&order=id`))
    const second = await json(read(`${native}heavy/records?limit=8&order=id&cursor=${first.nextCursor}`))
    expect(second.records.map(({ id }: { id: number }) => id)).toEqual([9, 10, 11, 12, 13, 14, 15, 16])
  })

  test('and one column may have a few names', async () => {
    expect((await read(`${native}children/records?limit=5&select=${names(10, 'text')}`)).status).toBe(200)
    await expectProblem(await read(`${native}children/records?limit=5&select=${names(11, 'text')}`), 400, 'invalid_request')
  })
})
