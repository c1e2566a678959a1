import { expect, test } from 'bun:test'
import { json, startApp } from '../../support/app'

const app = await startApp({
  ROWHOUSE_SCHEMAS: 'public,personal',
  ROWHOUSE_RPC: 'personal.counted,personal.written,personal.item,public.counted',
})
const { sql } = app.deps.db
await sql.unsafe(`create schema personal;
  create table public.items (n int); insert into public.items values (1), (2), (3);
  create table personal.items (n int); insert into personal.items values (1);
  create table public.shared (n int); insert into public.shared values (1), (2);
  create table personal.notes (id int generated always as identity primary key, what text, items int);
  create function personal.counted() returns bigint language sql stable as 'select count(*) from items';
  create function public.counted() returns bigint language sql stable as 'select count(*) from items';
  create function personal.written() returns bigint language plpgsql as $$ begin
    insert into items values (7); delete from items where n = 7; return (select count(*) from shared); end $$;
  create function personal.see() returns trigger language plpgsql as $$ begin new.items := (select count(*) from items); return new; end $$;
  create trigger see before insert or update on personal.notes for each row execute function personal.see();
  create function personal.total() returns int language plpgsql as $$ begin return (select count(*) from items); end $$;
  create table personal.computed (id int generated always as identity primary key, what text, items int default personal.total());
  create table personal.gone (id int primary key, items int);
  create function personal.leave() returns trigger language plpgsql as $$ begin insert into gone values (old.id, (select count(*) from items)); return old; end $$;
  create trigger leave after delete on personal.notes for each row execute function personal.leave();
  create view personal.note_view as select id, what, items from personal.notes`)
await app.deps.catalog.refresh()

const headers = { 'accept-profile': 'personal', 'content-profile': 'personal', prefer: 'return=representation' }
const ask = (path: string, call: object = {}) => json(app.call(`/rest/v1/${path}`, { as: 'editor', headers, ...call }))

test('a function finds names in the schema of the request first, then by the search path of the role', async () => {
  expect(await ask('rpc/counted')).toBe(1)
  expect(await ask('rpc/counted', { method: 'POST', body: {} })).toBe(1)
  expect(await ask('rpc/counted', { headers: { 'accept-profile': 'public' } })).toBe(3)
  expect(await ask('rpc/written', { method: 'POST', body: {} })).toBe(2)
})

test.each(['notes', 'computed', 'note_view'])(
  'triggers and defaults of a write find names in the schema of the request first: %s',
  async (name) => {
    expect(await ask(name, { body: { what: 'one' } })).toMatchObject([{ items: 1 }])
    expect(await ask(name, { body: [{ what: 'two' }, { what: 'three' }] })).toMatchObject([{ items: 1 }, { items: 1 }])
    const several = await Promise.all(Array.from({ length: 8 }, (_, n) => ask(name, { body: { what: `at once ${n}` } })))
    expect(several.flat().map(({ items }) => items)).toEqual(Array(8).fill(1))
    if (name === 'computed') return
    expect(await ask(`${name}?what=eq.two`, { method: 'PATCH', body: { what: 'four' } })).toMatchObject([{ items: 1 }])
    const keyed = await Promise.all(
      [1, 2, 3, 4, 5, 6].map((id) => ask(`${name}?id=eq.${id}`, { method: 'PATCH', body: { what: `at once ${id}` } })),
    )
    expect(keyed.flat().every(({ items }) => items === 1)).toBe(true)
    const removed = await ask(`${name}?what=eq.four&select=id`, { method: 'DELETE' })
    expect(await ask(`gone?id=eq.${removed[0]?.id ?? 0}`)).toEqual(removed.map(({ id }: { id: number }) => ({ id, items: 1 })))
  },
)

test('the path is the role’s again behind it, also for the native routes', async () => {
  const made = await json(app.call('/api/v1/tables/personal.notes/records', { as: 'editor', body: { what: 'native' } }))
  expect(made.items).toBe(3)
  expect(await sql.unsafe('show search_path')).toEqual([{ search_path: '"$user", public' }] as never)
})

test('only tables whose writes run functions of the database take a search path', async () => {
  const { byQualifiedName } = await app.deps.catalog.refresh()
  const names = ['public.items', 'personal.notes', 'personal.computed', 'personal.note_view', 'personal.gone']
  expect(names.map((name) => byQualifiedName.get(name)!.runsFunctions)).toEqual([false, true, true, true, false])
})
