import { expect, test } from 'bun:test'
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
