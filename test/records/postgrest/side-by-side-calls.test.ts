import { expect, test } from 'bun:test'
import { csv, exact, json, one, prefer, type Sent, shown, startBoth, undone } from '../../support/side-by-side'

const bothAnswers = await startBoth()

const calls: Sent[] = [
  ['GET', '/rpc/add_up?a=1&b=2', undefined],
  ['GET', '/rpc/add_up?a=1', undefined],
  ['POST', '/rpc/add_up', { a: 1, b: 2 }, json],
  ['POST', '/rpc/add_up', { a: 5 }, { ...json, ...one }],
  ['POST', '/rpc/add_up', 'a=1&b=2', { 'content-type': 'application/x-www-form-urlencoded' }],
  ['HEAD', '/rpc/add_up?a=1', undefined],
  ['GET', '/rpc/books_of?author=Ada&select=id,title', undefined],
  ['GET', '/rpc/books_of?author=Ada&select=id,title&order=id.desc&limit=1', undefined],
  ['GET', '/rpc/books_of?author=Ada&select=id&limit=1', undefined, exact],
  ['GET', '/rpc/books_of?author=Ada&select=title,authors!books_author_id_fkey(name),shelves(label)&order=id', undefined],
  ['POST', '/rpc/books_of?select=id,price&or=(price.gt.6,id.eq.4)', { author: 'Ada' }, json],
  ['POST', '/rpc/books_of?select=id&limit=1', { author: 'Ada' }, { ...json, ...one }],
  ['POST', '/rpc/books_of?select=id', { author: 'Ada' }, { ...json, ...one }],
  ['POST', '/rpc/books_of?select=id,price', { author: 'Ada' }, { ...json, ...csv }],
  ['GET', '/rpc/first_book?select=id,title', undefined],
  ['GET', '/rpc/first_book?select=id,title&id=eq.99', undefined],
  ['GET', '/rpc/first_book?select=id,title&id=eq.99', undefined, one],
  ['GET', '/rpc/counts', undefined],
  ['GET', '/rpc/names', undefined],
  ['GET', '/rpc/pairs', undefined],
  ['POST', '/rpc/pairs', {}, json],
  ['GET', '/rpc/both', undefined],
  ['GET', '/rpc/ids', undefined],
  ['GET', '/rpc/ids?select=id&id=gt.1&order=id.desc&limit=2', undefined],
  ['GET', '/rpc/answer', undefined],
  ['GET', '/rpc/answer?select=x', undefined, one],
  ['GET', '/rpc/increase?n=1', undefined],
  ['POST', '/rpc/increase', { n: 1 }, json],
  ['GET', '/rpc/total?numbers=1&numbers=2&numbers=3', undefined],
  ['POST', '/rpc/total', { numbers: [1, 2] }, json],
  ['POST', '/rpc/echo', { any: [1, 'x'] }, json],
  ['POST', '/rpc/nothing', {}, json],
  ['POST', '/rpc/nothing', '', json],
  ['POST', '/rpc/visit', { who: 'a@x.org' }, json],
  // What cannot be.
  ['POST', '/rpc/raise', { reason: 'x' }, json],
  ['POST', '/rpc/nope', {}, json],
  ['POST', '/rpc/add_up', { c: 1 }, json],
  ['POST', '/rpc/add_up', {}, json],
  ['POST', '/rpc/add_up', { a: 'x' }, json],
  ['POST', '/rpc/add_up', '{', json],
  ['GET', '/rpc/add_up?a=x', undefined],
  ['GET', '/rpc/books_of?author=Ada&nope=eq.1', undefined],
]

test.each(calls)('%s %s %j %o', async (method, path, body, headers = {}) => {
  const { ours, theirs } = await bothAnswers(undone([method, path, body, headers]))
  expect(ours).toEqual(theirs)
})

/** What we do in another way than PostgREST 12, on purpose; docs/postgrest.md says why. */
const differing: [what: string, call: Sent, ours: object, theirs: object][] = [
  [
    'an unknown table has the code of PostgREST 13',
    ['GET', '/book', undefined],
    { status: 404, code: 'PGRST205' },
    { status: 404, code: '42P01' },
  ],
  [
    'a function’s rows are filtered by columns that are not selected, too',
    ['GET', '/rpc/books_of?author=Ada&select=id&price=gt.6', undefined],
    { body: [{ id: 1 }] },
    { status: 400, code: '42703' },
  ],
  [
    'an unknown media type is 406, as in PostgREST 13',
    ['GET', '/books', undefined, { accept: 'application/xml' }],
    { status: 406, code: 'PGRST107' },
    { status: 415, code: 'PGRST107' },
  ],
  ['a change without a filter is refused', ['PATCH', '/notes', { note: 'all' }, json], { status: 400, code: '21000' }, { status: 204 }],
  ['a deletion without a filter is refused', ['DELETE', '/notes', undefined], { status: 400, code: '21000' }, { status: 204 }],
  [
    'a limit is for the rows that are shown',
    ['PATCH', '/books?id=gt.0&select=id&order=id&limit=1', { pages: 1 }, shown],
    { status: 200, body: [{ id: 1 }] },
    { status: 200, body: [{ id: 1 }] },
  ],
  [
    'what is written comes back in the order that is asked for',
    ['PATCH', '/books?id=in.(1,2)&select=id&order=id.desc', { pages: 1 }, shown],
    { body: [{ id: 2 }, { id: 1 }] },
    { body: [{ id: 1 }, { id: 2 }] },
  ],
  [
    'max-affected is that of PostgREST 13',
    ['PATCH', '/books?id=gt.0', { pages: 1 }, prefer('handling=strict', 'max-affected=3')],
    { status: 400, code: 'PGRST124' },
    { status: 400, code: 'PGRST122' },
  ],
  [
    'max-affected is that of PostgREST 13, also for a function that returns a set of values',
    ['POST', '/rpc/clear_notes', {}, prefer('handling=strict', 'max-affected=1')],
    { status: 400, code: 'PGRST124' },
    { status: 400, code: 'PGRST122' },
  ],
  [
    'CSV without rows has its header, also for a change of no column',
    ['PATCH', '/books?id=eq.1&select=id,title', {}, { ...shown, ...csv }],
    { status: 200, body: 'id,title' },
    { status: 200 },
  ],
  [
    'a line with too few fields is refused',
    ['POST', '/people', 'email,nick\na', { 'content-type': 'text/csv' }],
    { status: 400, code: 'PGRST102' },
    { status: 201 },
  ],
  [
    'a value that can only be wrong has no class of its own',
    ['GET', '/books?id=eq.99999999999999999999', undefined],
    { status: 400, code: '22P02' },
    { status: 400, code: '22003' },
  ],
  [
    'a negative limit is a parameter that cannot be read',
    ['GET', '/books?limit=-1', undefined],
    { status: 400, code: 'PGRST100' },
    { status: 416, code: 'PGRST103' },
  ],
  [
    'views are not embedded by the keys of their tables',
    ['GET', '/cheap?select=title,authors(name)', undefined],
    { status: 400, code: 'PGRST200' },
    { status: 200 },
  ],
  [
    'a JSON path into a text is refused',
    ['GET', '/books?title->a=is.null&select=id&limit=1', undefined],
    { status: 404, code: '42883' },
    { status: 200 },
  ],
]

test.each(differing)('%s', async (_what, sent, expected, other) => {
  const { ours, theirs } = await bothAnswers(undone(sent))
  expect(ours).toMatchObject(expected)
  expect(theirs).toMatchObject(other)
})
