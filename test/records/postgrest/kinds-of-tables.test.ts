import { describe, expect, test } from 'bun:test'
import { createClient } from '@supabase/supabase-js'
import { json, startApp } from '../../support/app'
import { crm } from '../../support/crm'

const app = await startApp({ ROWHOUSE_SCHEMAS: 'crm' })
await app.deps.db.sql.unsafe(crm)

const client = (schema: string, role: 'editor' | 'admin' = 'editor') =>
  createClient(app.url, app.tokens[role], { db: { schema }, auth: { persistSession: false } })

const make = async (body: object) => {
  const response = await app.call('/api/v1/tables', { as: 'admin', body })
  expect({ status: response.status, body: response.status === 201 || (await response.text()) }).toEqual({ status: 201, body: true })
  return json(response)
}

describe('tables that Rowhouse made', async () => {
  const data = client('data')
  await make({ name: 'teams', columns: [{ name: 'name', type: 'text', required: true, unique: true }] })
  await make({ name: 'tags', columns: [{ name: 'word', type: 'text' }] })
  await make({
    name: 'members',
    columns: [
      { name: 'email', type: 'email', unique: true },
      { name: 'level', type: 'select', options: { choices: ['low', 'high'] } },
      { name: 'team', type: 'link', options: { table: 'teams' } },
      { name: 'tags', type: 'manyLinks', options: { table: 'tags' } },
      { name: 'number', type: 'autoNumber' },
      { name: 'made', type: 'createdAt' },
      { name: 'maker', type: 'createdBy' },
      { name: 'changer', type: 'updatedBy' },
    ],
  })
  await data.from('teams').insert([{ name: 'red' }, { name: 'blue' }])
  await data.from('tags').insert([{ word: 'a' }, { word: 'b' }])

  test('fill in who and when, keep links, and embed along them', async () => {
    const made = await data
      .from('members')
      .insert({ email: 'm@x.org', level: 'low', team: 1, tags: [1, 2] })
      .select('email,number,team(name),tags,maker')
      .single()
    expect(made.error).toBeNull()
    expect(made.data as object).toMatchObject({
      email: 'm@x.org',
      number: 1,
      team: { name: 'red' },
      tags: [1, 2],
      maker: expect.any(String),
    })
    const changed = await data
      .from('members')
      .update({ tags: [2], level: 'high' })
      .eq('email', 'm@x.org')
      .select('level,tags')
      .single()
    expect(changed).toMatchObject({ error: null, data: { level: 'high', tags: [2] } })
    const merged = await data.from('members').upsert({ email: 'm@x.org', team: 2 }, { onConflict: 'email' }).select('level,team').single()
    expect(merged).toMatchObject({ error: null, data: { level: 'high', team: 2 } })
  })

  test('let nobody write what Rowhouse fills in', async () => {
    const { error, status } = await data.from('members').insert({ email: 'n@x.org', maker: crypto.randomUUID() })
    expect({ status, code: error?.code }).toEqual({ status: 400, code: '428C9' })
    expect((await data.from('members').insert({ email: 'n@x.org', number: 7 })).error).toMatchObject({ code: '428C9' })
  })

  test('hold their rules', async () => {
    const rules: [object, number, string][] = [
      [{ email: 'no address' }, 400, '23514'],
      [{ level: 'middle' }, 400, '23514'],
      [{ team: 99 }, 409, '23503'],
      [{ team: 'x' }, 400, '22P02'],
      [{ tags: [99] }, 409, '23503'],
      [{ tags: 'x' }, 400, '22P02'],
      [{ email: 'm@x.org' }, 409, '23505'],
    ]
    for (const [record, status, code] of rules) {
      const answer = await data.from('members').insert(record)
      expect({ record, status: answer.status, code: answer.error?.code }).toEqual({ record, status, code })
    }
    expect((await data.from('members').select('*', { count: 'exact', head: true })).count).toBe(1)
  })

  test('take nothing but an array of keys for the other side of a link', async () => {
    const column = { name: 'members', type: 'reverseLinks', options: { table: 'members', column: 'team' } }
    expect((await app.call('/api/v1/tables/teams/columns', { as: 'admin', body: column })).status).toBe(201)
    for (const members of [5, true, '1,2', {}, [{ toString: 1 }], [[1]], [null]]) {
      for (const answer of [
        await data.from('teams').insert({ name: 'green', members }),
        await data.from('teams').update({ members }).eq('id', 1),
      ])
        expect({ members, status: answer.status, code: answer.error?.code }).toEqual({ members, status: 400, code: '22P02' })
    }
    expect((await data.from('teams').select('*', { count: 'exact', head: true })).count).toBe(2)
    expect((await data.from('teams').update({ members: null }).eq('id', 1)).error).toBeNull()
  })
})

describe('tables that Rowhouse did not make', () => {
  const adopted = client('crm')

  test('with a key of several columns', async () => {
    const companies = () => adopted.from('companies')
    expect(
      (
        await companies()
          .insert([
            { country: 'de', code: 'a,b' },
            { country: 'fr', code: 'c' },
          ])
          .select('country,code')
          .order('country')
      ).data,
    ).toEqual([
      { country: 'de', code: 'a,b' },
      { country: 'fr', code: 'c' },
    ])
    expect((await companies().upsert({ country: 'de', code: 'a,b', name: 'Eins' }).select().single()).data).toEqual({
      country: 'de',
      code: 'a,b',
      name: 'Eins',
    })
    expect((await companies().upsert({ country: 'de', code: 'a,b', name: 'Zwei' }).select('name').single()).data).toEqual({ name: 'Zwei' })
  })

  test('partitioned', async () => {
    const events = () => adopted.from('events')
    expect(await events().insert({ id: 1, at: '2020-05-05', what: 'x' }).select().single()).toMatchObject({
      status: 201,
      data: { what: 'x' },
    })
    expect(await events().upsert({ id: 1, at: '2020-05-05', what: 'y' }).select().single()).toMatchObject({
      error: null,
      data: { what: 'y' },
    })
    expect(await events().insert({ id: 2, at: '2031-01-01' })).toMatchObject({ status: 400, error: { code: '23514', details: null } })
    expect(await events().delete().eq('id', 1).select('id')).toMatchObject({ data: [{ id: 1 }] })
  })

  test('without a key, and with odd names', async () => {
    expect((await adopted.from('keyless').insert({ a: 1, b: 'x' }).select()).data).toEqual([{ a: 1, b: 'x' }])
    expect((await adopted.from('keyless').update({ b: 'y' }).eq('a', 1).select()).data).toEqual([{ a: 1, b: 'y' }])
    const odd = await adopted
      .from('we"ird, na.me')
      .insert({ 'a b': 1, ['__proto__']: 'p' })
      .select()
    expect(JSON.stringify(odd.data)).toBe('[{"a b":1,"__proto__":"p"}]')
    expect((await adopted.from('we"ird, na.me').select('p:"__proto__"').eq('"__proto__"', 'p')).data as unknown).toEqual([{ p: 'p' }])
  })

  test('views: read, written where PostgreSQL can, and refused where not', async () => {
    expect((await adopted.from('doors').select()).data).toEqual([{ a: 1, b: 'x' }])
    expect(await adopted.from('doors').insert({ a: 5, b: 'five' })).toMatchObject({ status: 201, error: null })
    expect((await adopted.from('keyless').select('b').eq('a', 5)).data).toEqual([{ b: 'five' }])
    expect(await adopted.from('totals').insert({ n: 5 })).toMatchObject({ status: 403, error: { code: '42501' } })
    expect(await adopted.from('totals').delete().gt('n', -1)).toMatchObject({ status: 403, error: { code: '42501' } })
  })

  test('with the defaults of columns that a change leaves out', async () => {
    await app.deps.db.sql.unsafe("create table crm.offers (id int primary key, title text default 'none', price int default 5)")
    await app.deps.db.sql.unsafe("insert into crm.offers values (1, 'a', 1), (2, 'b', 2)")
    const change = (path: string, body: object) => {
      const headers = { 'content-profile': 'crm', prefer: 'missing=default, return=representation' }
      return json(app.call(`/rest/v1/offers?${path}`, { method: 'PATCH', as: 'editor', headers, body }))
    }
    expect(await change('id=eq.1&columns=title,price', { title: 'c' })).toEqual([{ id: 1, title: 'c', price: 5 }])
    expect(await change('id=gt.0&columns=title&order=id', {})).toEqual([
      { id: 1, title: 'none', price: 5 },
      { id: 2, title: 'none', price: 2 },
    ])
    // A null is a value.
    expect(await change('id=eq.2&columns=title,price', { title: 'd', price: null })).toEqual([{ id: 2, title: 'd', price: null }])
  })

  test('a table that is changed or dropped meanwhile', async () => {
    await app.deps.db.sql.unsafe('create table crm.passing (id int primary key)')
    expect((await adopted.from('passing').insert({ id: 1 }).select()).data).toEqual([{ id: 1 }])
    await app.deps.db.sql.unsafe("alter table crm.passing add column more text default 'x'")
    expect((await adopted.from('passing').select()).data).toEqual([{ id: 1, more: 'x' }])
    await app.deps.db.sql.unsafe('drop table crm.passing')
    expect(await adopted.from('passing').select()).toMatchObject({ status: 404, error: { code: 'PGRST205' } })
  })
})
