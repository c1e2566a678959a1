import { afterAll, expect, test } from 'bun:test'
import type { Sql } from 'postgres'
import { removeJournal } from '../../src/backup/move/journal'
import { openSessions, planMove } from '../../src/backup/move/move'
import { requireUsableTarget, type TargetFacts } from '../../src/backup/move/requirements'
import { readMoveState, refusalOf } from '../../src/backup/move/state'
import type { MoveTask } from '../../src/backup/move/task'
import { type ConnectionTarget, connectDirectly } from '../../src/db/pool/open'
import { readConfig } from '../../src/ops/settings/config'
import { readUri } from '../../src/ops/settings/connection-uri'
import { isDrilling } from '../support/drill'
import { readAllRows } from '../support/inventory'
import { move, moveTaskOf } from '../support/moves'
import { startPostgres } from '../support/postgres'
import { settled } from '../support/rejection'
import { testServer } from '../support/server'

const config = readConfig({})
const server = await startPostgres()
afterAll(() => server[Symbol.asyncDispose]())
let count = 0

/** Every kind of table that a move treats in a way of its own, and things that act on rows. */
const definitions = `
  create extension citext schema public;
  create schema team;
  set search_path = team, public;
  create type mood as enum ('sad', 'ha''ppy');
  create domain positive as int check (value > 0);
  create collation anycase (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
  create table plain (id bigint generated always as identity primary key, a text unique, mood mood, twice numeric generated always as (length(a) * 2) stored);
  create table "odd ""name""" (moment timestamptz, "Key" bytea, "collate" text collate anycase, n numeric, primary key (moment, "Key", "collate", n));
  create table labels (name citext primary key, t text[], j jsonb, f float8, p positive, i interval, r int4range);
  create table keyless (a int, b text);
  create table unique_only (a int not null unique, b int);
  create table bare ();
  create table parted (region text, id int, b text, primary key (region, id)) partition by list (region);
  create table parted_north partition of parted for values in ('north');
  create table parted_rest (b text, id int not null, region text not null);
  alter table parted attach partition parted_rest default;
  create table parent (id int primary key, a text);
  create table child (extra text) inherits (parent);
  create table people (id int primary key, boss int references people on delete cascade, house int);
  create table houses (id int primary key, owner int not null references people on delete restrict deferrable initially deferred);
  alter table people add foreign key (house) references houses on delete set null;
  create table log (id serial primary key, what text);
  create function note() returns trigger language plpgsql as $$ begin insert into team.log (what) values (new.a); return new; end $$;
  create trigger noted after insert on plain for each row execute function note();
  create rule kept as on delete to labels where old.name = 'kept' do instead nothing;
  create view seen as select a from plain;
  create materialized view counted as select count(*) from plain;
  create unique index on counted (count);
  alter table keyless enable row level security;
  create policy all_of_it on keyless using (true);
  create sequence loose start 7;
  comment on trigger noted on plain is 'a comment';
  insert into plain (a, mood) select 'a' || i, 'sad' from generate_series(1, 3000) i;
  insert into "odd ""name""" select now() + i * interval '1 microsecond', int4send(i), 'Ab' || i, i / 7.0 from generate_series(1, 500) i;
  insert into labels select 'L' || i, array['x', null], '{"a": 1}', 'NaN', 3, '1 mon -3 days', '[1,4)' from generate_series(1, 500) i;
  insert into labels values ('kept', '{}', null, '-Infinity', null, null, 'empty');
  insert into keyless select i, null from generate_series(1, 100) i;
  insert into unique_only select i, i from generate_series(1, 100) i;
  insert into bare select from generate_series(1, 5);
  insert into parted select case when i % 2 = 0 then 'north' else 'r' || i end, i from generate_series(1, 500) i;
  insert into parent select i, 'p' from generate_series(1, 50) i;
  insert into child select i, 'c', 'e' from generate_series(100, 150) i;
  insert into people select i, nullif(i / 2, 0) from generate_series(1, 200) i;
  insert into houses select i, i from generate_series(1, 200) i;
  update people set house = id;
  select lo_from_bytea(4711, 'a large object');
  select nextval('loose');
  reset search_path;
`

/** What others may do to them meanwhile; each of it is one transaction. */
const changes = (
  [
    (n) => `insert into team.plain (a, mood) values ('new ${n}', 'ha''ppy')`,
    (n) => `update team.plain set a = a || '!' where id % 97 = ${n % 97}`,
    // What was unique in one row is so in another.
    () => `delete from team.plain where a = 'a1'; update team.plain set a = 'a1' where id = (select min(id) from team.plain)`,
    (n) => `delete from team.plain where id % 101 = ${n % 101}`,
    (n) =>
      `set datestyle = 'German'; set bytea_output = 'escape'; update team."odd ""name""" set n = n + 1, "Key" = '\\x5c00' || int4send(${n}) where "collate" = 'aB${n % 500}'; reset datestyle; reset bytea_output`,
    (n) => `update team.labels set name = upper(name::text), f = 'Infinity' where name = 'l${n % 500}'`,
    (n) => `insert into team.labels (name) values ('z${n}') on conflict (name) do update set j = '[]'`,
    (n) => `update team.keyless set b = 'x${n}' where a = ${n % 100}`,
    () => 'truncate team.unique_only; insert into team.unique_only values (1, 1)',
    (n) => `insert into team.unique_only values (${n + 10}, 1) on conflict do nothing`,
    () => 'insert into team.bare default values',
    (n) => `update team.parted set region = case when region = 'north' then 'south' else 'north' end where id = ${n % 500}`,
    (n) => `update team.parted_north set b = 'direct ${n}' where id = ${n % 500}`,
    () => 'truncate team.parted_north',
    (n) => `update team.parent set a = 'by the parent ${n}' where id in (${n % 50}, ${100 + (n % 50)})`,
    (n) => `delete from team.child where id = ${100 + (n % 50)}`,
    (n) => `delete from team.houses where owner = ${n % 200}; delete from team.people where id = ${n % 200}`,
    (n) => `insert into team.people values (${n + 1000}, null, ${n + 1000}); insert into team.houses values (${n + 1000}, ${n + 1000})`,
    () => `select nextval('team.loose')`,
  ] satisfies ((n: number) => string)[]
).map((change: (n: number) => string) => (n: number) => `set constraints all deferred; ${change(n)}`)

async function makeSource(): Promise<{ target: ConnectionTarget; sql: Sql }> {
  const target = await (await testServer()).createDatabase()
  const sql = connectDirectly(target, config)
  await sql.unsafe(`${definitions}; alter table team.people alter constraint people_house_fkey deferrable`)
  return { target, sql }
}

const makeTarget = async (): Promise<ConnectionTarget> => ({ uri: readUri(await server.createDatabase(`moved_${count++}`)) })

const schemas = ['rowhouse', 'data', 'team', 'public']
/** Materialized views are refreshed; the end of a move is a change of definitions in the old database. */
const rowsOf = async (sql: Sql) => {
  const { 'team.counted': _refreshed, 'rowhouse.catalog_changes': _changes, ...rows } = await readAllRows(sql, schemas)
  return rows
}
const connect = (target: ConnectionTarget) => connectDirectly(target, config)
const traces = (sql: Sql) =>
  sql
    .unsafe<{ triggers: number; schema: boolean }[]>(
      `select (select count(*)::int from pg_trigger where tgname like 'rowhouse\\_move%') as triggers, to_regnamespace('rowhouse_move') is not null as schema`,
    )
    .then(([row]) => ({ ...row }))

test('all kinds of tables arrive as they are at the switch, whatever was done to them meanwhile', async () => {
  const { target, sql } = await makeSource()
  const to = await makeTarget()
  let isWanted = true
  let refused = 0
  const work = async (first: number) => {
    const writer = connect(target)
    for (let n = first; isWanted; n += 2) {
      await writer
        .unsafe(changes[n % changes.length]!(n))
        .simple()
        .catch((error: { code: string }) => {
          if (error.code === '25006') refused++
        })
      await Bun.sleep(1)
    }
    await writer.end()
  }
  const writers = [work(0), work(1)]
  const { plan, comparedKeys, problems } = await move(target, to)
  isWanted = false
  await Promise.all(writers)
  const moved = connect(to)
  expect(await rowsOf(moved)).toEqual(await rowsOf(sql))
  expect(problems).toEqual([])
  expect(comparedKeys).toBeGreaterThan(0)
  expect(refused).toBeGreaterThan(0)
  expect(
    plan.tables
      .filter(({ key }) => key.length === 0)
      .map(({ name }) => name)
      .sort(),
  ).toEqual(expect.arrayContaining(['team.bare', 'team.child', 'team.keyless', 'team.parent']))
  const [kept] = await moved`select (select count(*)::int from pg_constraint where contype = 'f' and not convalidated) as unchecked,
    (select relrowsecurity from pg_class where oid = 'team.keyless'::regclass) as secured, nextval('team.loose')::int as next,
    (select convert_from(lo_get(4711), 'UTF8')) as object, obj_description((select oid from pg_trigger where tgname = 'noted'), 'pg_trigger') as comment`
  const [{ last } = { last: 0 }] = await sql<{ last: number }[]>`select last_value::int as last from team.loose`
  // A number can still be drawn in the old database.
  expect(kept!.next).toBeGreaterThan(7)
  expect(kept!.next).toBeLessThanOrEqual(last + 1)
  expect(kept).toMatchObject({ unchecked: 0, secured: true, object: 'a large object', comment: 'a comment' })
  expect(await traces(moved)).toEqual({ triggers: 0, schema: false })
  // The triggers of the table act again, once.
  const [before] = await moved<{ rows: number }[]>`select count(*)::int as rows from team.log`
  await moved`insert into team.plain (a) values ('behind the move')`
  expect(await moved`select count(*)::int as rows from team.log`).toEqual([{ rows: before!.rows + 1 }] as never)

  for (const write of [
    'insert into team.bare default values',
    'update team.parted_north set b = 1',
    'truncate team.keyless',
    'delete from data.nothing',
  ]) {
    const sentence = write.includes('nothing') ? 'does not exist' : /This database was moved to 127.0.0.1:\d+, database moved_/
    expect(await settled(Promise.resolve(sql.unsafe(write)))).toThrow(sentence)
  }
  expect(refusalOf(await readMoveState(sql))).toMatch(
    /^This database was moved to 127.0.0.1:\d+, database moved_\d+ and no longer accepts changes\. /,
  )
  await removeJournal(sql, new AbortController().signal)
  expect(await traces(sql)).toEqual({ triggers: 0, schema: false })
  await sql`insert into team.bare default values`
  await Promise.all([sql.end(), moved.end()])
})

const steps = isDrilling
  ? ['Watching the tables', 'Making the tables', 'Copying the rows', 'Building indexes', 'Comparing the rows', 'Switching']
  : ['Copying the rows', 'Switching']

test.each(steps)('interrupted at "%s" it leaves the old database in use, and goes on the next time', async (at) => {
  const { target, sql } = await makeSource()
  const to = await makeTarget()
  const stop = move(target, to, (step, end) => {
    if (step.startsWith(at)) end()
  })
  expect(await settled(stop)).toThrow()
  await sql.unsafe(`insert into team.plain (a) values ('between'); update team.keyless set b = 'between'`)
  const moved = connect(to)
  expect(refusalOf(await readMoveState(moved))).toMatch(/^This database is the unfinished copy of the embedded database\./)
  expect(refusalOf(await readMoveState(sql))).toBeNull()
  const { plan, rows } = await move(target, to)
  expect(plan.isBegun).toBe(true)
  if (['Building indexes', 'Comparing the rows', 'Switching'].includes(at)) expect(rows).toBe(0)
  expect(await rowsOf(moved)).toEqual(await rowsOf(sql))
  await Promise.all([sql.end(), moved.end()])
})

test('a definition that changes meanwhile stops it before the switch, and the next run copies anew', async () => {
  const { target, sql } = await makeSource()
  const to = await makeTarget()
  let altered: Promise<unknown> = Promise.resolve()
  const stopped = move(target, to, (step) => {
    if (step === 'Comparing the rows')
      altered = sql.unsafe(`alter table team.plain add column added int default 5; create table team.another (a int)`).execute()
  })
  expect(await settled(stopped)).toThrow('The definitions were changed')
  await altered
  await sql`insert into team.another values (1)`
  const { plan } = await move(target, to)
  expect(plan.isBegun).toBe(false)
  const moved = connect(to)
  expect(await rowsOf(moved)).toEqual(await rowsOf(sql))
  await Promise.all([sql.end(), moved.end()])
})

test('what differs in the new database stops it before the switch', async () => {
  const { target, sql } = await makeSource()
  const to = await makeTarget()
  const moved = connect(to)
  let damaged: Promise<unknown> = Promise.resolve()
  const stopped = move(target, to, (step) => {
    if (step.startsWith('Building')) damaged = moved.unsafe(`update team.labels set t = '{y}' where name = 'L7'`).execute()
  })
  expect(await settled(stopped)).toThrow(
    'The rows of team.labels are not the same in the new database: 501 rows in the old one, 501 in the new one.',
  )
  await damaged
  expect(refusalOf(await readMoveState(sql))).toBeNull()
  await Promise.all([sql.end(), moved.end()])
})

test('what stands in the way is said before anything is written', async () => {
  const { target, sql } = await makeSource()
  const to = await makeTarget()
  const moved = connect(to)
  const plan = async (more: Partial<MoveTask> = {}) => {
    const task = { ...moveTaskOf(target, to), ...more }
    const sessions = await openSessions(task)
    return planMove(task, sessions).finally(sessions.end)
  }
  await sql`create role stranger_to_it`.catch(() => {})
  await sql`grant select on team.plain to stranger_to_it; create event trigger watching on ddl_command_end execute function rowhouse.note_change()`.simple()
  const { definitions: planned, schemas: found } = await plan()
  expect(planned.left).toEqual(
    expect.arrayContaining(['the rights of the role stranger_to_it, which is not there', 'the event trigger watching']),
  )
  expect(found).toEqual(['data', 'public', 'rowhouse', 'team'])
  expect((await plan({ schemas: ['rowhouse', 'data'] })).schemas).toEqual(['data', 'rowhouse'])
  expect(await traces(moved)).toEqual({ triggers: 0, schema: false })
  expect(await traces(sql)).toEqual({ triggers: 0, schema: false })

  await sql`create function team.of_language() returns int language c as 'pg_trgm', 'show_limit'`.catch(() => {})
  await sql`create table team.virtual (a int, b int generated always as (a + 1) virtual)`
  await moved`create table mine (a int)`
  expect(await settled(plan())).toThrow(/The database moved_\d+ is not empty: public\.mine\. Nothing was changed\./)
  await moved`drop table mine`
  await server.admin.unsafe(`revoke all on database ${(to as { uri: { database: string } }).uri.database} from public, app`)
  expect(await settled(plan())).toThrow(/GRANT CREATE, TEMPORARY ON DATABASE|may not create schemas there|permission denied/)
  // Databases are dropped after the file; a role would stay on the server.
  await sql`revoke select on team.plain from stranger_to_it; drop role stranger_to_it`.simple()
  await Promise.all([sql.end(), moved.end()])
})

test.each([
  [{ version: 14, versionText: '14.9' }, 'Rowhouse needs PostgreSQL 15 or newer; that one is 14.9.'],
  [{ isStandby: true }, 'a standby'],
  [{ encoding: 'LATIN1' }, 'has the encoding LATIN1'],
  [{ mayCreate: false }, 'GRANT CREATE ON DATABASE "d" TO "r";'],
])('a new database with %p is refused', (wrong, sentence) => {
  const right = {
    version: 17,
    versionText: '17.1',
    isStandby: false,
    encoding: 'UTF8',
    role: 'r',
    database: 'd',
    mayCreate: true,
    mayMakeTemporary: true,
  }
  const facts = { ...right, collation: '', schemas: [], largeObjects: 0, roles: [], extensions: [] } satisfies TargetFacts
  expect(() => requireUsableTarget(facts)).not.toThrow()
  expect(() => requireUsableTarget({ ...facts, ...wrong })).toThrow(sentence)
})
