import { expect, test } from 'bun:test'
import { csv, json, one, prefer, type Sent, shown, startBoth, undone } from '../../support/side-by-side'

const bothAnswers = await startBoth()

const book = { id: 50, title: 'New', author_id: 1 }

const writes: Sent[] = [
  ['POST', '/books', book],
  ['POST', '/books', book, shown],
  ['POST', '/books', [book, { ...book, id: 51 }], shown],
  ['POST', '/books', [book, { ...book, id: 51 }], prefer('return=representation', 'count=exact')],
  ['POST', '/books', book, prefer('return=headers-only')],
  ['POST', '/readings', { at: '2026-02-02', sensor: 'a,b', value: 1 }, prefer('return=headers-only')],
  ['POST', '/notes', { note: 'x' }, prefer('return=headers-only')],
  ['POST', '/books', book, prefer('return=minimal', 'count=exact')],
  ['POST', '/books', [], shown],
  ['POST', '/books?select=id,title,authors!books_author_id_fkey(name)', book, shown],
  ['POST', '/books?select=id', book, { ...shown, ...one }],
  ['POST', '/books?select=id,pages', book, { ...shown, accept: 'application/vnd.pgrst.array+json;nulls=stripped' }],
  ['POST', '/books?columns=id,title', { ...book, pages: 'not looked at' }, shown],
  ['POST', '/books?columns=id,title,price', [book], prefer('return=representation', 'missing=default')],
  ['POST', '/people?columns=email,visits', [{ email: 'z@x.org' }, { email: 'y@x.org', visits: 2 }], shown],
  [
    'POST',
    '/people?columns=email,visits',
    [{ email: 'z@x.org' }, { email: 'y@x.org', visits: 2 }],
    prefer('return=representation', 'missing=default'),
  ],
  ['POST', '/people', { email: 'c@x.org', nick: null }, shown],
  ['POST', '/books?select=id,title,tags,details', { ...book, tags: ['a', 'b,c'], details: { x: [1, 2.5] } }, shown],
  [
    'POST',
    '/books?select=id,title',
    'id,title\n60,"comma, here"\n61,NULLS',
    { 'content-type': 'text/csv', prefer: 'return=representation' },
  ],
  ['POST', '/people', 'email,nick\nq@x.org,NULL\n', { 'content-type': 'text/csv', prefer: 'return=representation' }],
  ['POST', '/people', 'email=f%40x.org&nick=f', { 'content-type': 'application/x-www-form-urlencoded', prefer: 'return=representation' }],
  // Upserts.
  ['POST', '/people', [{ email: 'a@x.org', visits: 9 }], prefer('resolution=merge-duplicates', 'return=representation')],
  [
    'POST',
    '/people',
    [
      { email: 'a@x.org', visits: 9 },
      { email: 'n@x.org', visits: 1 },
    ],
    prefer('resolution=merge-duplicates', 'return=representation'),
  ],
  ['POST', '/people', [{ email: 'a@x.org', visits: 9 }], prefer('resolution=ignore-duplicates', 'return=representation')],
  [
    'POST',
    '/people',
    [
      { email: 'a@x.org', visits: 9 },
      { email: 'n@x.org', visits: 1 },
    ],
    prefer('resolution=ignore-duplicates', 'return=representation'),
  ],
  ...[{ accept: 'application/vnd.pgrst.array+json;nulls=stripped' }, csv].map(
    (accepted): Sent => [
      'POST',
      '/people',
      [{ email: 'a@x.org', visits: 9 }],
      { ...prefer('resolution=merge-duplicates', 'return=representation'), ...accepted },
    ],
  ),
  ['POST', '/people?order=email', [{ email: 'a@x.org', visits: 9 }], prefer('resolution=merge-duplicates', 'return=representation')],
  [
    'POST',
    '/people?order=email',
    [
      { email: 'a@x.org', visits: 9 },
      { email: 'n@x.org', visits: 1 },
    ],
    prefer('resolution=merge-duplicates', 'return=representation'),
  ],
  [
    'POST',
    '/people?on_conflict=nick',
    [{ email: 'new@x.org', nick: 'ann' }],
    prefer('resolution=merge-duplicates', 'return=representation'),
  ],
  [
    'POST',
    '/people?on_conflict=nick',
    [{ email: 'new@x.org', nick: 'ann' }],
    prefer('resolution=ignore-duplicates', 'return=representation'),
  ],
  ['POST', '/people?on_conflict=visits', [{ email: 'new@x.org', visits: 3 }], prefer('resolution=merge-duplicates')],
  ['POST', '/people?on_conflict=nope', [{ email: 'new@x.org' }], prefer('resolution=merge-duplicates')],
  ['POST', '/people', [{ email: 'a@x.org', visits: 9 }], prefer('resolution=merge-duplicates')],
  ['POST', '/readings', [{ at: '2026-01-01', sensor: 't,1', value: 7 }], prefer('resolution=merge-duplicates', 'return=representation')],
  // Changes.
  ['PATCH', '/books?id=eq.1', { pages: 1 }, json],
  ['PATCH', '/books?id=eq.1&select=id,pages', { pages: 1 }, shown],
  ['PATCH', '/books?id=eq.99', { pages: 1 }, shown],
  ['PATCH', '/books?id=eq.99', { pages: 1 }, json],
  ['PATCH', '/books?id=gt.0', { pages: 1 }, prefer('return=minimal', 'count=exact')],
  ['PATCH', '/books?id=eq.1&select=title,authors!books_author_id_fkey(name)', { author_id: 3 }, shown],
  // The embedding has the name of a column.
  ['PATCH', '/books?author_id=is.null&select=id,author_id:authors!books_author_id_fkey(name)&author_id.name=eq.Ada', { pages: 1 }, shown],
  ['PATCH', '/books?id=eq.1&select=id', { pages: 1 }, { ...shown, ...one }],
  ['PATCH', '/books?id=gt.1&select=id', { pages: 1 }, { ...shown, ...one }],
  ['PATCH', '/books?id=eq.1&columns=pages&select=id,pages,price', { pages: 2, price: 99 }, shown],
  [
    'PATCH',
    '/books?id=eq.1&columns=pages,price,details&select=id,pages,price,details',
    { pages: 2 },
    prefer('return=representation', 'missing=default'),
  ],
  ['PATCH', '/books?id=eq.1&columns=price,details&select=id,price,details', { price: 3 }, prefer('return=representation', 'missing=null')],
  ['PATCH', '/books?id=eq.1&select=id', {}, shown],
  ['PATCH', '/books?id=eq.1&select=id', {}, { ...shown, ...one }],
  // Replacements.
  ['PUT', '/people?email=eq.a@x.org', { email: 'a@x.org', nick: 'ann', visits: 1 }, shown],
  ['PUT', '/people?email=eq.a@x.org', { email: 'a@x.org', nick: 'ann', visits: 1 }, json],
  ['PUT', '/people?email=eq.new@x.org', { email: 'new@x.org', nick: 'ann2', visits: 1 }, shown],
  ['PUT', '/people?email=eq.new@x.org', { email: 'new@x.org', nick: 'ann2', visits: 1 }, json],
  ['PUT', '/people?email=eq.a@x.org', { email: 'other@x.org', nick: 'oth', visits: 1 }, shown],
  ['PUT', '/people?email=gt.a', { email: 'a@x.org', nick: 'x', visits: 1 }, shown],
  ['PUT', '/people?nick=eq.ann', { email: 'a@x.org', nick: 'x', visits: 1 }, shown],
  ['PUT', '/people', { email: 'a@x.org', nick: 'x', visits: 1 }, shown],
  ['PUT', '/people?email=eq.a@x.org&limit=1', { email: 'a@x.org', nick: 'x', visits: 1 }, shown],
  ['PUT', '/readings?at=eq.2026-01-01&sensor=eq.t,1', { at: '2026-01-01', sensor: 't,1', value: 0 }, shown],
  // Deletions.
  ['DELETE', '/books?id=eq.4', undefined],
  ['DELETE', '/books?id=gt.2&select=id,title', undefined, shown],
  ['DELETE', '/books?id=eq.99', undefined, shown],
  ['DELETE', '/books?id=gt.2', undefined, prefer('count=exact')],
  ['DELETE', '/books?id=eq.4&select=id', undefined, { ...shown, ...one }],
  ['DELETE', '/books?id=gt.2&select=id', undefined, { ...shown, ...one }],
  ['DELETE', '/books?id=eq.1&select=title,authors!books_author_id_fkey(name)', undefined, shown],
  [
    'DELETE',
    '/books?id=eq.1&author_id=not.is.null&select=id,author_id:authors!books_author_id_fkey(name)&author_id.name=eq.Bob',
    undefined,
    shown,
  ],
  // What cannot be.
  ['POST', '/people', { email: 'a@x.org' }, json],
  ['POST', '/books', { id: 70, title: 'x', author_id: 99 }, json],
  ['POST', '/books', { id: 70 }, json],
  ['POST', '/books', { id: 70, title: 'x', price: -1 }, json],
  ['POST', '/books', { id: 70, title: 'x', price: 'cheap' }, json],
  ['POST', '/books', { id: 70, title: 'x', price: 1e9 }, json],
  ['POST', '/books', { id: 70, title: 'x', state: 'nope' }, json],
  ['POST', '/books', { id: 70, title: 'x', nope: 1 }, json],
  ['POST', '/books', { id: 70, title: 'x', search: 'y' }, json],
  ['POST', '/books', [{ id: 70, title: 'x' }, { id: 71 }], json],
  ['POST', '/books', '{', json],
  ['POST', '/books', '', json],
  ['POST', '/people', 'x', { 'content-type': 'application/xml' }],
  ['POST', '/books?columns=id,nope', [{ id: 1 }], json],
  ['DELETE', '/publishers?id=eq.1', undefined],
  ['PATCH', '/books?nope=eq.1', { pages: 1 }, json],
  ['PATCH', '/people?email=eq.a@x.org', { email: 'b@x.org' }, json],
  ['POST', '/facts', { id: 2, fact: 'no' }, { ...shown, 'content-profile': 'side' }],
]

test.each(writes)('%s %s %j %o', async (method, path, body, headers = {}) => {
  const { ours, theirs } = await bothAnswers(undone([method, path, body, headers]))
  expect(ours).toEqual(theirs)
})
