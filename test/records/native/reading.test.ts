import { beforeAll, describe, expect, test } from 'bun:test'
import { json, startApp } from '../../support/app'
import { library } from '../../support/library'
import { expectProblem } from '../../support/problem'

const app = await startApp({ ROWHOUSE_SCHEMAS: 'lib' })
await app.deps.db.sql.unsafe(library)

const get = (path: string) => app.call(`/api/v1/tables/${path}`, { as: 'viewer' })
/** What the query `table?…` lists. */
const list = async (path: string) => {
  const response = await get(path.replace(/^(\w+)\??/, '$1/records?'))
  const body = await response.json()
  if (response.status !== 200) throw new Error(JSON.stringify(body))
  return body as { records: Record<string, unknown>[]; nextCursor: string | null; totalCount?: number; nextOffset?: number | null }
}
const ids = async (path: string) => (await list(path)).records.map(({ id }) => id)

beforeAll(() => app.deps.catalog.refresh())

describe('filters', () => {
  test.each([
    ['books?pages=eq.474', [1]],
    ['books?pages=neq.474', [2, 3, 4]],
    ['books?pages=gt.420', [1, 4]],
    ['books?pages=gte.420&pages=lt.700', [1, 3]],
    ['books?price=lte.7.5', [2, 5]],
    ['books?not.price=lte.7.5', null],
    ['books?price=not.lte.7.5', [1, 3]],
    ['books?id=in.(1,3,99)', [1, 3]],
    ['books?id=not.in.(1,3)', [2, 4, 5]],
    ['books?id=in.()', []],
    ['books?title=in.("Emma","Nana")', [1, 3]],
    ['books?price=is.null', [4]],
    ['books?price=not.is.null', [1, 2, 3, 5]],
    ['books?price=is.not_null', [1, 2, 3, 5]],
    ['books?price=isdistinct.9.9', [2, 3, 4, 5]],
    ['books?title=like.*a', [1, 3]],
    ['books?title=like.E%25', [1]],
    ['books?title=ilike.e*', [1]],
    ['books?title=like.100\\%25\\_*', [5]],
    ['books?title=like(any).{E*,N*}', [1, 3]],
    ['books?title=ilike(all).{*a*,*n*}', [2, 3]],
    ['books?title=match.^[EN]', [1, 3]],
    ['books?title=imatch.^n', [3]],
    ['books?pages=gt(any).{400,600}', [1, 3, 4]],
    ['books?pages=gt(all).{400,600}', [4]],
    ['books?pages=eq(any).{474,700}', [1, 4]],
    ['books?or=(pages.eq.474,price.eq.1)', [1, 5]],
    ['books?or=(and(pages.gt.300,price.gt.10),title.eq.Iliad)', [3, 4]],
    ['books?not.or=(pages.gt.300,pages.is.null)', [2]],
    ['books?and=(pages.gt.300,not.or(price.is.null,price.gt.10))', [1]],
    ['books?title=fts.emma', [1]],
    ['books?words=fts(english).nana', [3]],
    ['books?words=plfts.sure', [5]],
    ['books?title=phfts.emma', [1]],
    ['books?words=wfts.emma or nana', [1, 3]],
    ['books?words=not.fts.emma', [2, 3, 4, 5]],
    ['books?sold=cs.[2020-03-01,2020-04-01)', [1]],
    ['books?sold=cd.[2019-01-01,2022-01-01)', [1]],
    ['books?sold=ov.[2020-12-01,2021-12-01)', [1, 3]],
    ['books?sold=sl.[2021-03-01,2021-04-01)', [1]],
    ['books?sold=sr.[2021-03-01,2021-04-01)', [3]],
    ['books?sold=nxr.[2020-01-01,2022-01-01)', [1]],
    ['books?sold=nxl.[2021-06-01,2022-01-01)', [3]],
    ['books?sold=adj.[2021-01-01,2021-02-01)', [1]],
    ['authors?active=is.true', [1]],
    ['authors?active=is.unknown', [3]],
    ['authors?active=eq.yes', [1]],
    ['authors?mood=eq.great', [1]],
    ['authors?mood=gt.sad', [1]],
    ['authors?tags=cs.{irony}', [1]],
    ['authors?tags=cd.{novel,verse}', [2]],
    ['authors?tags=ov.{irony,verse}', [1]],
    ['authors?tags=eq.{novel}', [2]],
    ['authors?tags=in.("{novel}","{a,b,c}")', [2]],
    ['authors?tags=not.in.("{novel}")', [1]],
    ['authors?tags->>0=eq.novel', [1, 2]],
    ['authors?facts->n=eq.5', [1]],
    ['authors?facts->prize->>name=eq.none', [1]],
    ['authors?facts->prize->years->>1=eq.1813', [1]],
    ['authors?facts->prize=is.null', [3]],
    ['authors?facts->>prize=is.null', [2, 3]],
    ['authors?facts=cs.{"n":5}', [1]],
    ['authors?q=ST', [1]],
    ['books?q=%25_', [5]],
    ['books?q=%', [5]],
    ['books?title=eq.Emma&price=gt.1&price=lt.10', [1]],
  ] as [string, number[] | null][])('%s', async (path, expected) => {
    if (expected) expect(await ids(path)).toEqual(expected)
    else expect((await get(path.replace('?', '/records?'))).status).toBe(400)
  })
})

describe('what is selected', () => {
  test.each([
    ['books?id=eq.1&select=id,name:title,price::text', [{ id: 1, name: 'Emma', price: '9.90' }]],
    ['authors?id=eq.1&select=facts->prize->>name,first:facts->prize->years->0,facts->n', [{ name: 'none', first: 1811, n: 5 }]],
    ['authors?id=eq.1&select=tags->0,born::float,active::int', [{ tags: 'novel', born: 1775, active: 1 }]],
    ['authors?id=eq.2&select=mood::text,m:name::lib.mood', null],
    ['books?id=eq.1&select=title,authors!author_id(name)', [{ title: 'Emma', authors: { name: 'Austen' } }]],
    ['books?id=eq.1&select=by:author_id(name),editor:editor_id(name)', [{ by: { name: 'Austen' }, editor: { name: 'Zola' } }]],
    [
      'books?id=eq.1&select=authors!books_editor_id_fkey(name,countries(name))',
      [{ authors: { name: 'Zola', countries: { name: 'France' } } }],
    ],
    ['books?id=eq.5&select=id,by:author_id(name)', [{ id: 5, by: null }]],
    ['authors?id=eq.1&select=name,books!author_id(title)', [{ name: 'Austen', books: [{ title: 'Emma' }, { title: 'Persuasion' }] }]],
    [
      'authors?id=eq.1&select=name,books!author_id(title)&books.order=title.desc&books.limit=1',
      [{ name: 'Austen', books: [{ title: 'Persuasion' }] }],
    ],
    [
      'authors?id=eq.1&select=name,books!author_id(title)&books.order=id&books.offset=1',
      [{ name: 'Austen', books: [{ title: 'Persuasion' }] }],
    ],
    ['authors?id=eq.1&select=b:books!author_id(title)&b.title=like.E*', [{ b: [{ title: 'Emma' }] }]],
    ['authors?id=eq.3&select=name,passports(number)', [{ name: 'Homer', passports: null }]],
    ['authors?id=eq.1&select=name,passports(number)', [{ name: 'Austen', passports: { number: 'p1' } }]],
    ['books?id=eq.1&select=title,topics(name)&topics.order=name', [{ title: 'Emma', topics: [{ name: 'fiction' }, { name: 'romance' }] }]],
    [
      'topics?id=eq.2&select=name,parent:parent_id(name),books(title)&books.order=id',
      [{ name: 'romance', parent: { name: 'fiction' }, books: [{ title: 'Emma' }, { title: 'Persuasion' }] }],
    ],
    ['topics?id=eq.1&select=name,topics(name)&topics.order=name', [{ name: 'fiction', topics: [{ name: 'romance' }, { name: 'war' }] }]],
    ['books?id=eq.1&select=title,...author_id(author:name,born)', [{ title: 'Emma', author: 'Austen', born: 1775 }]],
    ['books?id=eq.1&select=...author_id(name,...countries(country:name))', [{ name: 'Austen', country: 'Britain' }]],
    ['authors?id=eq.1&select=name,...books!author_id(title)&books.order=title.desc', [{ name: 'Austen', title: ['Persuasion', 'Emma'] }]],
    ['books?select=id,authors!author_id!inner(name)&authors.name=eq.Zola', [{ id: 3, authors: { name: 'Zola' } }]],
    [
      'authors?select=id,books!author_id!inner(topics!inner(name))&books.topics.name=eq.war',
      [{ id: 3, books: [{ topics: [{ name: 'war' }] }] }],
    ],
    ['books?select=id,author:author_id()&author=is.null', [{ id: 5 }]],
    ['books?select=id,editor:editor_id()&editor=not.is.null&order=id.desc', [{ id: 3 }, { id: 1 }]],
    [
      'books?select=id,author:author_id(name)&or=(author.is.null,pages.gt.600)',
      [
        { id: 4, author: { name: 'Homer' } },
        { id: 5, author: null },
      ],
    ],
    [
      'books?select=id,author:author_id(name)&order=author(name).desc&limit=2',
      [
        { id: 5, author: null },
        { id: 3, author: { name: 'Zola' } },
      ],
    ],
    [
      'books?id=eq.1&select=*',
      [
        {
          id: 1,
          title: 'Emma',
          author_id: 1,
          editor_id: 2,
          price: 9.9,
          pages: 474,
          published: '1815-12-23',
          sold: '["2020-01-01 00:00:00+00","2021-01-01 00:00:00+00")',
          words: "'emma':1",
        },
      ],
    ],
    ['books?id=eq.1&select=id,id,title,title:price', [{ id: 1, title: 9.9 }]],
  ] as [string, object[] | null][])('%s', async (path, expected) => {
    if (expected) expect((await list(path)).records).toEqual(expected as Record<string, unknown>[])
    else expect((await get(path.replace('?', '/records?'))).status).toBe(400)
  })
})

describe('aggregates', () => {
  test.each([
    ['books?select=count()', [{ count: 5 }]],
    [
      'books?select=total:price.sum(),price.avg()::int,pages.max(),pages.min(),price.count()',
      [{ total: 30.4, avg: 8, max: 700, min: 249, count: 4 }],
    ],
    [
      'books?select=author_id,count()&order=author_id',
      [
        { author_id: 1, count: 2 },
        { author_id: 2, count: 1 },
        { author_id: 3, count: 1 },
        { author_id: null, count: 1 },
      ],
    ],
    ['books?select=author_id,n:count()&order=n.desc,author_id&limit=1', [{ author_id: 1, n: 2 }]],
    ['books?select=...author_id(name),price.sum()&order=name', null],
    ['books?select=...author_id(name),price.sum()&id=lte.2', [{ name: 'Austen', sum: 17.4 }]],
    ['books?select=by:author_id(name),price.sum()&id=lte.2', [{ by: { name: 'Austen' }, sum: 17.4 }]],
    ['books?select=...author_id(born.max())', [{ max: 1840 }]],
    [
      'authors?select=name,books!author_id(count(),price.sum())&order=id&limit=2',
      [
        { name: 'Austen', books: [{ count: 2, sum: 17.4 }] },
        { name: 'Zola', books: [{ count: 1, sum: 12 }] },
      ],
    ],
    ['authors?select=facts->>n,count()&id=eq.1', [{ n: '5', count: 1 }]],
  ] as [string, object[] | null][])('%s', async (path, expected) => {
    if (expected) expect((await list(path)).records).toEqual(expected as Record<string, unknown>[])
    else expect((await get(path.replace('?', '/records?'))).status).toBeLessThan(500)
  })

  test('have an offset instead of a cursor', async () => {
    const first = await list('books?select=author_id,count()&order=author_id&limit=3')
    expect({ cursor: first.nextCursor, offset: first.nextOffset }).toEqual({ cursor: null, offset: 3 })
    const last = await list('books?select=author_id,count()&order=author_id&limit=3&offset=3')
    expect({ records: last.records.length, offset: last.nextOffset }).toEqual({ records: 1, offset: null })
  })
})

describe('a count', () => {
  test.each([
    ['books?count=exact&limit=2', 5],
    ['books?count=estimated&limit=2', 5],
    ['books?count=exact&pages=gt.400&limit=1&offset=1', 3],
    ['books?count=exact&select=author_id,count()', 4],
    ['books?count=exact&select=id,topics!inner()&topics.name=eq.fiction', 2],
    ['books?count=none', undefined],
    ['books', undefined],
  ])('%s', async (path, total) => {
    expect((await list(path)).totalCount).toBe(total)
  })

  test('of many is estimated from the statistics', async () => {
    await app.deps.db.sql.unsafe('create table lib.many as select n from generate_series(1, 30000) n; analyze lib.many')
    const { totalCount } = await list('many?count=estimated&limit=1')
    expect(Math.abs(totalCount! - 30_000)).toBeLessThan(1000)
    expect((await list('many?count=estimated&n=lte.20&limit=1')).totalCount).toBe(20)
  })
})

describe('a table without a primary key', () => {
  test('is paged by offset', async () => {
    const first = await list('log?order=at&limit=2')
    expect(first).toMatchObject({ nextCursor: null, nextOffset: 2 })
    expect((await list('log?order=at&limit=2&offset=4')).nextOffset).toBeNull()
    const { message, hint } = await expectProblem(await get('log/records?cursor=W10'), 400, 'invalid_request')
    expect(message).toContain('no primary key')
    expect(hint).toContain('offset')
    const one = await expectProblem(await get('log/records/1'), 404, 'not_found')
    expect(one.message).toContain('no primary key')
  })
})

describe('one record', () => {
  test('as it is selected, with a hash as its ETag', async () => {
    const path = 'books/records/1?select=title,author:author_id(name)'
    const response = await get(path)
    expect(await json(response.clone())).toEqual({ title: 'Emma', author: { name: 'Austen' } })
    const etag = response.headers.get('etag')!
    expect(etag).toMatch(/^"[0-9a-f]{64}"$/)
    const again = await app.call(`/api/v1/tables/${path}`, { as: 'viewer', headers: { 'if-none-match': etag } })
    expect(again.status).toBe(304)
    expect((await get('books/records/99?select=title')).status).toBe(404)
    expect((await get('books/records/1')).headers.get('etag')).toMatch(/^"\d+-\d+\.\d+-[0-9a-f]{12}"$/)
  })

  test.each(['pages=eq.1', 'order=id', 'limit=1', 'count=exact', 'q=x', 'cursor=W10', 'dryRun=true', 'nothing=eq.1', 'select=count()'])(
    'with %s is a 400',
    async (query) => {
      await expectProblem(await get(`books/records/1?${query}`), 400, 'invalid_request')
    },
  )

  test('of a view has a hash', async () => {
    const { records } = await list('cheap?order=id')
    expect(records.map(({ id }) => id)).toEqual([1, 2, 5])
  })
})

describe('a query that cannot be answered is a 400 with a hint', () => {
  test.each([
    ['books?titel=eq.x', 'has no column "titel"', 'Did you mean "title"?'],
    ['books?select=titel', 'has no column "titel"', 'Did you mean "title"?'],
    ['books?order=pagse', 'has no column "pagse"', 'Did you mean "pages"?'],
    ['books?select=title,publishers(name)', 'No foreign key joins "books" with "publishers"', 'Only tables'],
    ['books?select=topcs(name)', 'No foreign key joins "books" with "topcs"', 'Did you mean "topics"?'],
    [
      'books?select=authors(name)',
      'More than one foreign key joins "books" with "authors"',
      'authors!books_author_id_fkey, authors!books_editor_id_fkey',
    ],
    ['books?select=authors!nothing(name)', 'by "nothing"', '"books_author_id_fkey", "books_editor_id_fkey"'],
    ['books?topics.name=eq.x', '"topics" is neither', 'Add it to the select'],
    ['books?select=topics(name)&order=topics(name)', 'can have several "topics"', 'at most one record'],
    ['books?select=id&order=topics(name)', '"topics" is neither', ''],
    ['books?select=topics(name),topics(id)', 'embedded twice', 'another name'],
    ['books?pages=eq.many', '"pages" must be a whole number', ''],
    ['books?pages=eq.99999999999', '"pages" must be from', ''],
    ['books?id=in.(1,x)', '"id" must be a whole number', ''],
    ['books?pages=gt(any).{1,x}', '"pages"', ''],
    ['books?price=gt.abc', '"price" must be a number', ''],
    ['books?published=eq.yesterdayish', '"published"', 'types'],
    ['books?sold=cs.nonsense', '"sold"', 'types'],
    ['books?pages=like.1*', '"like" does not work on "pages"', 'texts'],
    ['books?pages=fts.x', '"fts" does not work on "pages"', ''],
    ['books?pages=cs.{1}', '"cs" does not work on "pages"', 'arrays'],
    ['books?pages=sl.[1,2]', '"sl" does not work on "pages"', 'ranges'],
    ['books?pages=is.true', 'is not boolean', ''],
    ['books?pages->a=eq.1', 'does not hold JSON', ''],
    ['authors?facts->>a->b=eq.1', 'is not the last arrow', ''],
    ['books?title=fts.(((', 'full text search', ''],
    ['books?title=fts(nolanguage).x', 'does not have the search language', ''],
    ['books?title=match.[', 'PostgreSQL cannot parse the regular expression for one of these columns: "title"', ''],
    ['books?title=like.E\\', 'The pattern for one of these columns ends with a backslash that escapes nothing: "title"', ''],
    ['books?select=title::int', '"title"', ''],
    ['books?select=title::nothing', 'no type "nothing"', ''],
    ['books?select=title::txt', 'no type "txt"', 'Did you mean "text"?'],
    ['books?select=title.sum()', 'holds no numbers', ''],
    ['authors?mood=like.a*', 'no such operation', ''],
    ['authors?mood=eq.happy', '"mood"', ''],
    ['books?select=author_id,count()&order=title', 'cannot be ordered by "title"', ''],
    ['books?limit=0', '"limit" must be', ''],
    ['books?limit=10001', '"limit" must be', ''],
    ['books?maxAffected=1', 'does not accept "maxAffected"', ''],
    ['books?dryRun=true', 'does not accept "dryRun"', ''],
    ['books?columns=id', 'does not accept "columns"', ''],
    [`books?select=${'topics(books('.repeat(5)}id${'))'.repeat(5)}`, 'too many nested embeddings', ''],
  ])('%s', async (path, message, hint) => {
    const problem = await expectProblem(await get(path.replace('?', '/records?')), 400, 'invalid_request')
    expect(problem.message).toContain(message)
    expect(problem.hint ?? '').toContain(hint)
  })

  test('and its values are never said again', async () => {
    for (const query of [
      'pages=eq.zebra7',
      'published=eq.zebra7',
      'sold=cs.zebra7',
      'title=match.zebra7[',
      'title=fts.zebra7 (',
      'pages=in.(1,zebra7)',
      'author_id=is.zebra7',
    ]) {
      const response = await get(`books/records?${query}`)
      expect(response.status).toBe(400)
      expect(await response.text()).not.toContain('zebra7')
    }
  })
})

describe('a token for some tables', () => {
  test('reaches no other table by embedding', async () => {
    const { tables } = await json(app.call('/api/v1/tables', { as: 'admin' }))
    const id = tables.find(({ name }: { name: string }) => name === 'books').id
    const { token } = await json(app.call('/auth/tokens', { as: 'admin', body: { name: 't', tables: [id] } }))
    const call = (query: string) =>
      fetch(`${app.url}/api/v1/tables/books/records?${query}`, { headers: { authorization: `Bearer ${token}` } })
    expect((await call('select=title')).status).toBe(200)
    await expectProblem(await call('select=title,author_id(name)'), 400, 'invalid_request')
    await expectProblem(await call('select=title,topics(name)'), 400, 'invalid_request')
  })
})
