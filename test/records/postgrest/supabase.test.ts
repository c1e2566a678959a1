import { describe, expect, test } from 'bun:test'
import { PostgrestClient } from '@supabase/postgrest-js'
import { createClient } from '@supabase/supabase-js'
import { startApp } from '../../support/app'
import { rpc, shop } from '../../support/shop'

const app = await startApp({ ROWHOUSE_SCHEMAS: 'shop,side', ROWHOUSE_RPC: [...rpc, 'shop.raised'].join(',') })
await app.deps.db.sql.unsafe(shop)

/** As a program would have it: our address, and an API token as the key. */
const supabase = createClient(app.url, app.tokens.editor, { db: { schema: 'shop' }, auth: { persistSession: false } })
const viewer = createClient(app.url, app.tokens.viewer, { db: { schema: 'shop' }, auth: { persistSession: false } })
const plain = new PostgrestClient(`${app.url}/rest/v1`, { headers: { Authorization: `Bearer ${app.tokens.editor}` }, schema: 'shop' })

const books = () => supabase.from('books')

/** What a request finds, by the ids. */
const idsOf = async (asked: PromiseLike<{ data: unknown; error: unknown }>) => {
  const { data, error } = await asked
  expect(error).toBeNull()
  return (data as { id: number }[]).map(({ id }) => id).sort()
}

describe('filters', () => {
  const some = () => books().select('id')
  const found: [string, () => PromiseLike<{ data: unknown; error: unknown }>, number[]][] = [
    ['eq', () => some().eq('title', 'Engines'), [1]],
    ['neq', () => some().neq('id', 1), [2, 3, 4]],
    ['gt', () => some().gt('price', 8.25), [1, 3]],
    ['gte', () => some().gte('price', 8.25), [1, 2, 3]],
    ['lt', () => some().lt('price', 8.25), [4]],
    ['lte', () => some().lte('price', 8.25), [2, 4]],
    ['like', () => some().like('title', '%engines'), [4]],
    ['likeAllOf', () => some().likeAllOf('title', ['%o%', '%e%']), [2, 4]],
    ['likeAnyOf', () => some().likeAnyOf('title', ['Eng%', 'Comp%']), [1, 2]],
    ['ilike', () => some().ilike('title', '%ENGINES'), [1, 4]],
    ['ilikeAnyOf', () => some().ilikeAnyOf('title', ['eng%', 'comp%']), [1, 2]],
    ['regexMatch', () => some().regexMatch('title', '^[EN]'), [1, 4]],
    ['regexIMatch', () => some().regexIMatch('title', '^e'), [1]],
    ['is null', () => some().is('pages', null), [3]],
    ['is true', () => some().is('in_print', true), [1, 4]],
    ['isDistinct', () => some().isDistinct('pages', 300), [2, 3, 4]],
    ['in', () => some().in('id', [1, 3, 99]), [1, 3]],
    ['in with commas', () => some().in('title', ['Notes on engines', 'a, (b)']), [4]],
    ['notIn', () => some().notIn('id', [1, 3]), [2, 4]],
    ['contains of an array', () => some().contains('tags', ['math']), [1, 4]],
    ['contains of JSON', () => some().contains('details', { lang: 'en' }), [1, 2]],
    ['contains of a range', () => some().contains('sold', '[6,7)'), [1, 2]],
    ['containedBy', () => some().containedBy('tags', ['math', 'old']), [1, 3, 4]],
    ['overlaps of arrays', () => some().overlaps('tags', ['code', 'old']), [1, 2]],
    ['overlaps of ranges', () => some().overlaps('sold', '[15,30)'), [2]],
    ['rangeGt', () => some().rangeGt('sold', '[1,3)'), [2]],
    ['rangeGte', () => some().rangeGte('sold', '[3,4)'), [2]],
    ['rangeLt', () => some().rangeLt('sold', '[10,30)'), [1]],
    ['rangeLte', () => some().rangeLte('sold', '[1,10)'), [1]],
    ['rangeAdjacent', () => some().rangeAdjacent('sold', '[20,30)'), [2]],
    ['textSearch', () => some().textSearch('search', 'engine', { config: 'english' }), [1, 4]],
    ['textSearch plain', () => some().textSearch('search', 'notes engines', { type: 'plain', config: 'english' }), [4]],
    ['textSearch phrase', () => some().textSearch('title', 'notes on engines', { type: 'phrase', config: 'english' }), [4]],
    ['textSearch websearch', () => some().textSearch('search', 'engines -notes', { type: 'websearch', config: 'english' }), [1]],
    ['match', () => some().match({ author_id: 1, state: 'draft' }), [4]],
    ['not', () => some().not('id', 'in', '(1,2)'), [3, 4]],
    ['or', () => some().or('id.eq.1,and(price.lt.9,pages.gt.100)'), [1, 2]],
    ['filter', () => some().filter('details->>lang', 'eq', 'de'), [4]],
    ['JSON path', () => some().eq('details->parts->0->n', 1), [1]],
    [
      'names of the grammar',
      async () => ({ data: (await supabase.from('odd names').select('id:"a b"').eq('"select"', 'one')).data, error: null }),
      [1],
    ],
  ]
  test.each(found)('%s', async (_name, asked, ids) => {
    expect(await idsOf(asked())).toEqual(ids)
  })
})

describe('modifiers', () => {
  test('order, limit, range', async () => {
    const { data } = await books().select('id').order('pages', { ascending: false, nullsFirst: true }).order('id').limit(2)
    expect(data).toEqual([{ id: 3 }, { id: 1 }])
    const ranged = await books().select('id').order('id').range(1, 2)
    expect(ranged.data).toEqual([{ id: 2 }, { id: 3 }])
    expect(ranged.status).toBe(200)
  })

  test('count: exact, planned, estimated, and by HEAD', async () => {
    const counted = await books().select('id', { count: 'exact' }).limit(1)
    expect(counted).toMatchObject({ count: 4, status: 206, data: [{}] })
    expect((await books().select('id', { count: 'exact', head: true }).gt('id', 1)).count).toBe(3)
    expect((await books().select('*', { count: 'estimated', head: true })).count).toBe(4)
    expect((await books().select('*', { count: 'planned', head: true })).count).toEqual(expect.any(Number))
  })

  test('single and maybeSingle', async () => {
    expect(await books().select('title').eq('id', 1).single()).toMatchObject({ data: { title: 'Engines' }, error: null, status: 200 })
    expect(await books().select().eq('id', 99).single()).toMatchObject({
      data: null,
      status: 406,
      error: { code: 'PGRST116', details: 'The result contains 0 rows' },
    })
    expect(await books().select('id').gt('id', 1).single()).toMatchObject({ data: null, status: 406, error: { code: 'PGRST116' } })
    expect(await books().select().eq('id', 99).maybeSingle()).toMatchObject({ data: null, error: null })
    expect(await books().select('id').eq('id', 2).maybeSingle()).toMatchObject({ data: { id: 2 }, error: null })
    expect((await books().select('id').gt('id', 1).maybeSingle()).error).toMatchObject({ code: 'PGRST116' })
  })

  test('csv', async () => {
    expect((await books().select('id,title').lte('id', 2).order('id').csv()).data).toBe('id,title\n1,Engines\n2,Compilers')
  })

  test('without what is null', async () => {
    expect((await books().select('id,pages').eq('id', 3).stripNulls()).data).toEqual([{ id: 3 }] as never)
  })

  test('explain is off, and says so', async () => {
    const { error, status } = await books().select().explain()
    expect({ status, code: error?.code }).toEqual({ status: 406, code: 'PGRST107' })
  })

  test('an aborted request ends as the client has it', async () => {
    const abort = new AbortController()
    abort.abort()
    const { error, data } = await books().select().abortSignal(abort.signal)
    expect(data).toBeNull()
    expect(error?.message).toMatch(/abort/i)
  })

  test('throwOnError throws PostgREST’s error', async () => {
    const thrown = await books()
      .select('nope')
      .throwOnError()
      .then(
        () => null,
        (error) => error,
      )
    expect(thrown).toMatchObject({ code: '42703', message: 'column books.nope does not exist', details: null, hint: null })
  })
})

describe('embedding', () => {
  test('to one, to many, many to many, one to one', async () => {
    const { data, error } = await books()
      .select('title, author:authors!books_author_id_fkey(name, publishers(city)), shelves(label), covers(colour)')
      .eq('id', 1)
      .order('label', { referencedTable: 'shelves' })
      .single()
    expect(error).toBeNull()
    expect(data as unknown).toEqual({
      title: 'Engines',
      author: { name: 'Ada', publishers: { city: 'Bonn' } },
      shelves: [{ label: 'low' }, { label: 'top' }],
      covers: { colour: 'red' },
    })
  })

  test('with filters, order and limits of their own', async () => {
    const { data } = await supabase
      .from('authors')
      .select('name, books!books_author_id_fkey(id)')
      .gt('books.price', 1)
      .order('id', { referencedTable: 'books', ascending: false })
      .limit(1, { referencedTable: 'books' })
      .order('id')
    expect(data as unknown).toEqual([
      { name: 'Ada', books: [{ id: 4 }] },
      { name: 'Grace', books: [{ id: 2 }] },
      { name: 'Linus', books: [{ id: 3 }] },
    ])
    const either = await supabase
      .from('authors')
      .select('name, books!books_author_id_fkey(id)')
      .or('price.gt.20,pages.lt.50', { referencedTable: 'books' })
      .order('id')
    expect(either.data?.map(({ books }) => books.length)).toEqual([1, 0, 1])
  })

  test('inner, counted, spread, ordered by', async () => {
    const inner = await books().select('id, shelves!inner(label)').eq('shelves.label', 'top').order('id')
    expect(inner.data as unknown).toEqual([
      { id: 1, shelves: [{ label: 'top' }] },
      { id: 2, shelves: [{ label: 'top' }] },
    ])
    const counted = await supabase.from('authors').select('name, books!books_author_id_fkey(count)').order('id')
    expect(counted.data?.map((row) => (row.books as unknown as { count: number }[])[0]?.count)).toEqual([2, 1, 1])
    const spread = await books().select('id, ...authors!books_author_id_fkey(by:name)').eq('id', 2)
    expect(spread.data as unknown).toEqual([{ id: 2, by: 'Grace' }])
    const ordered = await supabase.from('authors').select('name, publishers(name)').order('publishers(name)', { nullsFirst: true })
    expect(ordered.data?.[0]?.name).toBe('Linus')
  })

  test('what is ambiguous or unknown is said as PostgREST says it', async () => {
    const ambiguous = await books().select('title, authors(name)')
    expect(ambiguous).toMatchObject({ status: 300, error: { code: 'PGRST201' } })
    expect(ambiguous.error?.hint).toContain('authors!books_author_id_fkey')
    expect(ambiguous.error?.details as unknown).toHaveLength(2)
    expect(await books().select('title, publishers(name)')).toMatchObject({ status: 400, error: { code: 'PGRST200' } })
    expect(await supabase.from('book').select()).toMatchObject({
      status: 404,
      error: { code: 'PGRST205', hint: "Perhaps you meant the table 'shop.books'" },
    })
  })
})

describe('writes', () => {
  test('insert one, many, and with what is missing at its default', async () => {
    const one = await supabase.from('people').insert({ email: 'i1@x.org', nick: 'i1' }).select().single()
    expect(one).toMatchObject({ status: 201, data: { email: 'i1@x.org', nick: 'i1', visits: 0 } })
    const minimal = await supabase.from('people').insert({ email: 'i2@x.org' })
    expect(minimal).toMatchObject({ status: 201, data: null, error: null })
    const many = [{ email: 'i3@x.org', visits: 3 }, { email: 'i4@x.org' }]
    const nulls = await supabase.from('people').insert(many).select('visits')
    expect(nulls.data).toEqual([{ visits: 3 }, { visits: null }])
    await supabase.from('people').delete().in('email', ['i3@x.org', 'i4@x.org'])
    const defaults = await supabase.from('people').insert(many, { defaultToNull: false, count: 'exact' }).select('visits')
    expect(defaults).toMatchObject({ data: [{ visits: 3 }, { visits: 0 }], count: 2 })
  })

  test('upsert: merge and ignore, by the key and by another unique column', async () => {
    const people = () => supabase.from('people')
    await people().insert({ email: 'u@x.org', nick: 'u', visits: 1 })
    expect((await people().upsert({ email: 'u@x.org', visits: 2 }).select('nick,visits').single()).data).toEqual({ nick: 'u', visits: 2 })
    expect((await people().upsert({ email: 'u@x.org', visits: 9 }, { ignoreDuplicates: true }).select()).data).toEqual([])
    expect((await people().upsert({ email: 'u2@x.org', nick: 'u' }, { onConflict: 'nick' }).select('email').single()).data).toEqual({
      email: 'u2@x.org',
    })
    expect(
      (
        await people()
          .upsert([
            { email: 'u2@x.org', visits: 4 },
            { email: 'u3@x.org', visits: 5 },
          ])
          .select('visits')
      ).data,
    ).toEqual([{ visits: 4 }, { visits: 5 }])
    expect((await people().upsert({ email: 'x@x.org' }, { onConflict: 'visits' })).error).toMatchObject({ code: '42P10' })
  })

  test('update and delete, with what they return', async () => {
    await supabase.from('notes').insert([{ note: 'a' }, { note: 'b' }])
    expect((await supabase.from('notes').update({ note: 'c' }).eq('note', 'b').select()).data).toEqual([{ note: 'c' }])
    expect(await supabase.from('notes').update({ note: 'd' }).eq('note', 'none').select()).toMatchObject({ status: 200, data: [] })
    expect(await supabase.from('notes').update({ note: 'd' }, { count: 'exact' }).in('note', ['a', 'c'])).toMatchObject({
      status: 204,
      count: 2,
    })
    const shown = await supabase
      .from('books')
      .update({ pages: 301 })
      .eq('id', 1)
      .select('pages, authors!books_author_id_fkey(name)')
      .single()
    expect(shown.data as unknown).toEqual({ pages: 301, authors: { name: 'Ada' } })
    expect((await supabase.from('notes').delete().eq('note', 'd').select()).data?.length).toBe(2)
    expect((await supabase.from('notes').delete({ count: 'exact' }).eq('note', 'none')).count).toBe(0)
  })

  test('a change that is not of one row is undone where one was meant', async () => {
    const { error } = await supabase.from('books').update({ pages: 7 }).gt('id', 1).select('id').single()
    expect(error).toMatchObject({ code: 'PGRST116' })
    expect((await books().select('id').eq('pages', 7)).data).toEqual([])
  })

  test('rollback and maxAffected', async () => {
    const gone = await plain.from('books').delete().eq('id', 4).select('id').rollback()
    expect(gone.data).toEqual([{ id: 4 }])
    expect((await books().select('id').eq('id', 4)).data).toEqual([{ id: 4 }])
    // Its types offer it only to who says that the server is of version 13.
    const many = plain.from('books').update({ pages: 7 }).gt('id', 0) as unknown as { maxAffected: (most: number) => Promise<object> }
    expect(await many.maxAffected(2)).toMatchObject({ error: { code: 'PGRST124' } })
    expect((await books().select('id').eq('pages', 7)).data).toEqual([])
  })

  test('what PostgreSQL refuses comes with its code, and without the values', async () => {
    const { error, status } = await supabase.from('people').insert({ email: 'a@x.org' })
    expect({ status, error }).toMatchObject({
      status: 409,
      error: {
        code: '23505',
        message: 'duplicate key value violates unique constraint "people_pkey"',
        details: 'Key (email) already exists.',
      },
    })
    expect(await supabase.from('books').insert({ title: 'x', author_id: 4711 })).toMatchObject({
      status: 409,
      error: { code: '23503', details: 'Key (author_id) is not present in table "authors".' },
    })
    expect(await supabase.from('books').insert({ title: null })).toMatchObject({ status: 400, error: { code: '23502', details: null } })
    expect(await supabase.from('books').insert({ title: 'x', price: 's3cret' })).toMatchObject({ status: 400, error: { code: '22P02' } })
    expect(await supabase.from('books').insert({ nope: 1 })).toMatchObject({ status: 400, error: { code: 'PGRST204' } })
  })
})

describe('functions', () => {
  test('by POST, by GET, by HEAD', async () => {
    expect((await supabase.rpc('add_up', { a: 1, b: 2 })).data).toBe(3)
    expect((await supabase.rpc('add_up', { a: 1 }, { get: true })).data).toBe(11)
    expect((await supabase.rpc('books_of', { author: 'Ada' }, { head: true, count: 'exact' })).count).toBe(2)
    expect((await supabase.rpc('total', { numbers: [1, 2, 3] })).data).toBe(6)
  })

  test('rows are filtered, ordered and embedded as those of a table', async () => {
    const { data, error } = await supabase
      .rpc('books_of', { author: 'Ada' })
      .select('id, shelves(label)')
      .gt('price', 6)
      .order('id')
      .limit(1)
    expect(error).toBeNull()
    expect(data as unknown).toEqual([{ id: 1, shelves: [{ label: 'top' }, { label: 'low' }] }])
    expect((await supabase.rpc('first_book').select('title').single()).data as unknown).toEqual({ title: 'Engines' })
    expect((await supabase.rpc('counts')).data).toContainEqual({ state: 'draft', n: 2 })
  })

  test('what a function raises is told as it was written', async () => {
    expect(await supabase.rpc('raise', { reason: 'so' })).toMatchObject({
      status: 400,
      error: { code: 'P0001', message: 'No: so', details: 'why', hint: 'how' },
    })
  })

  test('a viewer calls what changes nothing', async () => {
    expect((await viewer.rpc('add_up', { a: 1 })).data).toBe(11)
    expect(await viewer.rpc('visit', { who: 'a@x.org' })).toMatchObject({ status: 403, error: { code: '42501' } })
    expect((await supabase.rpc('visit', { who: 'b@x.org' })).data).toBe(6)
  })

  test('unknown ones are not found, nor are those that nobody listed', async () => {
    const near = 'Perhaps you meant to call the function shop'
    for (const [name, sent, hint] of [
      ['add_upp', { a: 1 }, `${near}.add_up`],
      ['add_up', { z: 1 }, `${near}.add_up(a, b)`],
      // It is listed, and the database does not have it.
      ['raised', { reason: 'x' }, `${near}.raise`],
      ['pg_sleep', { seconds: 1 }, null],
    ] as [string, object, string | null][])
      expect(await supabase.rpc(name, sent)).toMatchObject({ status: 404, error: { code: 'PGRST202', hint } })
  })
})

test('schema() chooses another schema', async () => {
  expect((await supabase.schema('side').from('facts').select()).data).toEqual([{ id: 1, fact: 'yes' }])
  expect(await supabase.schema('nope').from('facts').select()).toMatchObject({ status: 406, error: { code: 'PGRST106' } })
})

test('a viewer reads and does not write', async () => {
  expect((await viewer.from('books').select('id')).data?.length).toBe(4)
  expect(await viewer.from('people').insert({ email: 'v@x.org' })).toMatchObject({ status: 403, error: { code: '42501' } })
})

test('a wrong key is refused', async () => {
  const stranger = createClient(app.url, 'x'.repeat(43), { db: { schema: 'shop' }, auth: { persistSession: false } })
  expect(await stranger.from('books').select()).toMatchObject({ status: 401, error: { code: 'PGRST301' } })
})
