import { beforeAll, describe, expect, test } from 'bun:test'
import { startApp } from '../../support/app'

const app = await startApp()
const { sql } = app.deps.db
const statusOf = async (path: string, method: string, body: unknown) => {
  const response = await app.call(`/api/v1/tables${path}`, { as: 'admin', method, body })
  return response.ok ? response.status : response.text()
}
const records = '/jobs/records'

// Names of the role's own search path, which PostgreSQL would not find among its own.
await statusOf('', 'POST', {
  name: 'jobs',
  columns: [
    { name: 'state', type: 'select', options: { choices: ['open', 'done'] } },
    { name: 'tags', type: 'multiSelect', options: { choices: ['new', 'old'] } },
    { name: 'size', type: 'text' },
  ],
})
await statusOf(records, 'POST', [
  { state: 'open', tags: ['new', 'old'], size: 'large' },
  { state: 'done', tags: null, size: '2' },
])
await sql.unsafe(`create table public.history (what text);
  create function public.fine(text) returns boolean language plpgsql as $$ begin return exists (select from history) or true; end $$;
  create function public.note() returns trigger language plpgsql as $$ begin insert into history values (tg_name); return null; end $$;
  alter table data.jobs add constraint fine check (public.fine(size)) not valid;
  create trigger soon after update on data.jobs for each row execute function public.note();
  create table public.ends (what text);
  create function public.at_end() returns trigger language plpgsql as $$ begin insert into ends values (tg_name); return null; end $$;
  create constraint trigger later after insert on public.history deferrable initially deferred for each row execute function public.at_end()`)

test('renamed choices reach triggers, deferred ones, and checks that use bare names', async () => {
  expect(await statusOf('/jobs/columns/state', 'PATCH', { renameChoices: { open: 'ready' } })).toBe(200)
  expect(await statusOf('/jobs/columns/tags', 'PATCH', { renameChoices: { new: 'fresh' } })).toBe(200)
  expect((await sql`select state, tags from data.jobs order by id`).map(({ state, tags }) => `${state} ${tags}`)).toEqual([
    'ready {fresh,old}',
    'done null',
  ])
  expect(await sql`select what from public.history`).toHaveLength(2)
  expect(await sql`select what from public.ends`).toHaveLength(2)
})

test('values that are emptied reach them, too', async () => {
  await sql.unsafe('alter table data.jobs drop constraint fine; delete from public.history')
  expect(await statusOf('/jobs/columns/size', 'PATCH', { type: 'integer', onFailure: 'null' })).toBe(200)
  expect((await sql`select size from data.jobs order by id`).map(({ size }) => size)).toEqual([null, 2])
  expect(await sql`select what from public.history`).toHaveLength(1)
})

describe('a trigger', () => {
  const columns = [
    { name: 'state', type: 'select', options: { choices: ['open', 'done'] } },
    { name: 'size', type: 'text' },
  ]
  const rename = (from: string) => statusOf('/tasks/columns/state', 'PATCH', { renameChoices: { [from]: 'ready' } })
  const empty = () => statusOf('/tasks/columns/size', 'PATCH', { type: 'integer', onFailure: 'null' })
  beforeAll(async () => {
    await statusOf('', 'POST', { name: 'firms', columns: [{ name: 'name', type: 'text' }] })
    await statusOf('', 'POST', { name: 'tasks', columns })
    await statusOf('/tasks/records', 'POST', [
      { state: 'open', size: 'small' },
      { state: 'done', size: 'large' },
    ])
    await sql.unsafe(`create function public.closed() returns trigger language plpgsql as $$ begin
        if old.state = 'done' then raise exception 'closed'; end if; return new; end $$;
      create function public.filled() returns trigger language plpgsql as $$ begin raise exception 'closed'; end $$;
      create trigger closed before insert on data.firms for each row execute function public.filled()`)
  })

  test.each([
    'trigger closed before update on data.tasks',
    'constraint trigger closed after update on data.tasks deferrable initially deferred',
  ])('that refuses the change of a column says why: %s', async (trigger) => {
    await sql.unsafe(`drop trigger if exists closed on data.tasks; create ${trigger} for each row execute function public.closed()`)
    for (const answer of [await rename('done'), await empty()]) {
      expect(answer).toContain('"status":409')
      expect(answer).toContain('A rule in the database refused this: closed.')
    }
  })

  test('that refuses a record which a link would create says why, too', async () => {
    const link = { type: 'link', options: { table: 'firms' }, createLinked: true }
    expect(await statusOf('/tasks/columns/size', 'PATCH', link)).toContain('A rule in the database refused this: closed.')
  })

  test('that is deferred and refuses nothing lets the column change', async () => {
    await sql.unsafe("delete from data.tasks where state = 'done'")
    expect([await rename('open'), await empty()]).toEqual([200, 200])
    expect(await sql`select state, size from data.tasks`).toEqual([{ state: 'ready', size: null }] as never)
  })
})

describe('a column of another type', () => {
  const columnPath = '/lots/columns'
  beforeAll(async () => {
    const columns = [{ name: 'code', type: 'text' }]
    await statusOf('', 'POST', { name: 'lots', columns })
    await statusOf('/lots/records', 'POST', [{ code: '1' }])
    await sql.unsafe(`create table public.allowed (least int); insert into allowed values (1);
      create function public.is_allowed(anyelement) returns boolean language plpgsql as $$ begin return $1::text::int >= (select min(least) from allowed); end $$`)
  })

  test('is held to a check that uses bare names', async () => {
    await sql.unsafe('alter table data.lots add constraint allowed check (public.is_allowed(code))')
    expect(await statusOf(`${columnPath}/code`, 'PATCH', { type: 'integer' })).toBe(200)
    expect(await sql`select code from data.lots`).toEqual([{ code: 1 }] as never)
    expect(await statusOf('/lots/records', 'POST', { code: 0 })).toContain('validation_failed')
    await sql.unsafe('update public.allowed set least = 5')
    expect(await statusOf(`${columnPath}/code`, 'PATCH', { type: 'text' })).toContain('"status":4')
    await sql.unsafe('update public.allowed set least = 1')
  })

  test('is converted by PostgreSQL’s own functions, whatever stands in the path', async () => {
    await sql.unsafe(`create function public.btrim(varchar) returns text language sql as $$ select '66' $$;
      alter table data.lots add column narrow varchar(10) default '3'; update data.lots set narrow = '4'`)
    await app.deps.catalog.refresh()
    expect(await statusOf(`${columnPath}/narrow`, 'PATCH', { type: 'integer' })).toBe(200)
    expect((await sql`select distinct narrow from data.lots`).map(({ narrow }) => narrow)).toEqual([4])
  })

  test('leaves no function behind', async () => {
    expect(await sql`select proname from pg_proc where pronamespace = 'rowhouse'::regnamespace and proname like 'converted%'`).toEqual(
      [] as never,
    )
  })
})
