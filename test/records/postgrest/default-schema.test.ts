import { describe, expect, test } from 'bun:test'
import { PostgrestClient } from '@supabase/postgrest-js'
import { createClient } from '@supabase/supabase-js'
import { json, startApp } from '../../support/app'

const tables = `create table public.books (id int primary key, title text); insert into public.books values (1, 'adopted');
  create table data.books (id int primary key, title text); insert into data.books values (1, 'own');
  create function public.shout(word text) returns text language sql immutable as 'select upper(word)'`

describe.each([
  ['public,data', 'adopted', ['public', 'data']],
  ['public', 'own', ['data', 'public']],
  ['data,public', 'own', ['data', 'public']],
])('ROWHOUSE_SCHEMAS=%s', async (schemas, title, order) => {
  const app = await startApp({ ROWHOUSE_SCHEMAS: schemas, ROWHOUSE_RPC: 'public.shout' })
  await app.deps.db.sql.unsafe(tables)
  const { schemas: served } = await app.deps.catalog.refresh()

  test('the schemas are served in the order in which they are named, with data before them where it is not', () => {
    expect(served).toEqual([...order])
  })

  test('a request without a profile, and a bare name, mean the first schema', async () => {
    expect(await json(app.call('/rest/v1/books?select=title', { as: 'viewer' }))).toEqual([{ title }])
    expect(await json(app.call('/api/v1/tables/books/records/1', { as: 'viewer' }))).toMatchObject({ title })
    expect((await app.call('/rest/v1/books', { as: 'editor', body: { id: 2, title: 'new' } })).status).toBe(201)
    expect(await json(app.call('/rest/v1/books?id=eq.2&select=title', { as: 'viewer', headers: { 'accept-profile': order[0]! } }))).toEqual(
      [{ title: 'new' }],
    )
  })

  test('clients of Supabase without options read and write the first schema', async () => {
    const plain = new PostgrestClient(`${app.url}/rest/v1`, { headers: { Authorization: `Bearer ${app.tokens.editor}` } })
    expect((await plain.from('books').select('title').eq('id', 1).single()).data).toEqual({ title } as never)
    if (order[0] !== 'public') return
    const supabase = createClient(app.url, app.tokens.editor, { auth: { persistSession: false } })
    expect((await supabase.from('books').select('title').eq('id', 1).single()).data).toEqual({ title })
    expect((await supabase.from('books').insert({ id: 3, title: 'made' }).select('title')).data).toEqual([{ title: 'made' }])
    expect((await supabase.from('books').update({ title: 'changed' }).eq('id', 3).select('title')).data).toEqual([{ title: 'changed' }])
    expect((await supabase.from('books').delete().eq('id', 3).select('title')).data).toEqual([{ title: 'changed' }])
    expect((await supabase.rpc('shout', { word: 'hey' })).data).toBe('HEY')
  })
})
