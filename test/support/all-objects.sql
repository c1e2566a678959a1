-- A schema of a team's own with every kind of object that PostgreSQL 17 knows and that a dump can hold.
create role app login password 'x' connection limit 5 valid until '2040-01-01';
create role staff noinherit;
create role boss;
create role "Odd ""role" in role staff;
grant staff to boss with admin true, inherit false, set true;
grant staff to app with inherit true granted by boss;
comment on role app is 'the application''s';
alter role app set work_mem = '5MB';
alter role app set search_path = "$user", team, 'a, "b"';
alter role boss set search_path = '';
alter role app in database rowhouse set lock_timeout = '3s';
alter database rowhouse set idle_session_timeout = '2h';
comment on database rowhouse is 'a team''s';
grant connect on database rowhouse to app;

create schema team;
comment on schema team is 'a comment
\connect elsewhere
on two lines';
create schema "Odd ""Schema" authorization app;
create extension pg_trgm with schema team;
create extension citext;
create extension hstore;
create extension btree_gist;
create extension postgres_fdw;

create type team.mood as enum ('sad', 'ok', 'ha''ppy');
create type team.address as (street text, zip int);
create type team.person as (name text, home team.address, moods team.mood[]);
create domain team.positive as int default 5 not null constraint above check (value > 0);
create domain team.codes as varchar(10)[] check (array_length(value, 1) < 5);
create type team.floats as range (subtype = float8, subtype_diff = float8mi);
create type team.nothing;
create collation team.natural (provider = icu, locale = 'und-u-kn-true');
create collation team.anycase (provider = icu, locale = 'und-u-ks-level2', deterministic = false);

create function team.add(a int, b int default 2) returns int language sql immutable as 'select a + b';
create function team.increase(a int) returns int language sql immutable return a + 1;
create function team.several(a int) returns int language sql begin atomic select a; select a + 1; end;
create function team."odd name""x"(variadic words text[]) returns setof record language sql as 'select 1, 2';
create function team.settings() returns text language plpgsql security definer set search_path = team, public set work_mem = '1MB'
  as $$ begin -- $body$
  return 'a line
-- Name: nothing; Type: TABLE; Schema: team; Owner: nobody
that looks like another one'; end $$;
create procedure team.double(inout x int) language plpgsql as $$ begin x := x * 2; end $$;
create function team.touch() returns trigger language plpgsql as $$ begin new.a := coalesce(new.a, 0) + 1; return new; end $$;
create function team.note() returns trigger language plpgsql as $$ begin return null; end $$;
create function team.watch() returns event_trigger language plpgsql as $$ begin perform 1; end $$;
create aggregate team.total(int) (sfunc = int4pl, stype = int, initcond = '0');
create operator team.=== (leftarg = int, rightarg = int, procedure = int4eq, commutator = operator(team.===));
create operator family team.family using btree;
create operator class team.backwards for type int using btree family team.family as
  operator 1 >, operator 2 >=, operator 3 =, operator 4 <=, operator 5 <, function 1 btint4cmp(int, int);
create cast (team.mood as int) with inout;
create text search dictionary team.plain (template = simple, accept = false);
create text search configuration team.english (copy = english);
alter text search configuration team.english alter mapping for asciiword with team.plain, english_stem;
create conversion team.latin for 'LATIN1' to 'UTF8' from iso8859_1_to_utf8;
create transform for hstore language sql (from sql with function prsd_lextype(internal));

-- Not qualified: the search path of the database finds it.
create function known(code text) returns boolean language plpgsql as $$ begin return length_of(code) > 0; end $$;
create function length_of(code text) returns int language sql as 'select length(code)';

create sequence team.numbers as int increment 3 minvalue 2 start 5 cache 7 cycle;
select nextval('team.numbers');
create sequence team.unused;

create table team.things (
  id bigint generated always as identity (start 10 increment 5) primary key,
  a int default team.add(1),
  b text storage external compression pglz collate team.natural,
  c numeric(10, 2) generated always as (a * 2) stored,
  mood team.mood default 'ok',
  address team.address,
  positive team.positive,
  span team.floats,
  data jsonb,
  words tsvector,
  anycase text collate team.anycase,
  email citext,
  relation regclass,
  moods team.mood[],
  people team.person[],
  state varchar(10) check (state in ('new', 'old')),
  code text check (known(code)),
  constraint above check (a > 0),
  constraint apart exclude using gist (span with &&) deferrable initially deferred
);
alter table team.things alter a set statistics 500, set (fillfactor = 70), replica identity full, cluster on things_pkey;
create index on team.things using gin (data jsonb_path_ops);
create index on team.things (lower(b) text_pattern_ops, a desc nulls last) include (c) where a > 3 and state in ('new', 'old');
create unique index on team.things (email) nulls not distinct;
create index on team.things using brin (id) with (pages_per_range = 16);
create index on team.things using hash (b);
create index on team.things using gin (b team.gin_trgm_ops);
create index on team.things (a team.backwards);
alter index team.things_lower_a_c_idx alter column 1 set statistics 200;
create statistics team.together (ndistinct, mcv) on a, b from team.things;
create statistics team.computed on (a + 1), (lower(b)) from team.things;
comment on column team.things.a is 'a line,
and	another \ one';
comment on index team.things_pkey is 'key';
comment on constraint above on team.things is 'above zero';

create table team.parts (id int primary key, thing bigint references team.things on delete cascade deferrable, self int references team.parts);
-- Each refers to the other.
alter table team.things add column part int, add constraint part foreign key (part) references team.parts not valid;
alter table team.things add constraint small check (a < 1000) not valid;
alter table team.parts owner to app;
alter table team.parts enable row level security, force row level security;
create policy own on team.parts as restrictive for select to app using (id > 3 and pg_has_role('staff', 'member'));
create trigger touch before insert or update of a on team.things for each row when (new.a is not null) execute function team.touch();
create trigger watched after update on team.parts referencing old table as before for each statement execute function team.note();
alter table team.parts disable trigger watched;
create constraint trigger late after insert on team.parts deferrable initially deferred for each row execute function team.note();
alter table team.parts enable always trigger late;

create view team.joined with (security_barrier) as select t.id, t.a + p.id as sum, t.state in ('new', 'old') as known from team.things t join team.parts p on p.thing = t.id;
create view team.few as select id, a from team.things where a > 3 with local check option;
create recursive view team.counted (n) as select 1 union all select n + 1 from counted where n < 3;
create view team.wide as select n, sum(n) over w, array(select 1), case when n in (1, 2) then 'x' end as c, n between 1 and 2 as few, interval '1 day' as day
  from team.counted window w as (order by n rows between 1 preceding and current row);
create rule redirect as on insert to team.joined do instead insert into team.parts values (new.id);
create materialized view team.by_mood as select mood, count(*) as number from team.things group by mood;
create unique index on team.by_mood (mood);
create materialized view team.moods_of_moods as select number, count(*) from team.by_mood group by number;
create materialized view team.empty_one as select * from team.by_mood with no data;

create table team.parted (k text, v int, primary key (k, v)) partition by range (v);
create table team.parted_low partition of team.parted for values from (0) to (10);
create table team.parted_high partition of team.parted for values from (10) to (20) partition by hash (k);
create table team.parted_high_0 partition of team.parted_high for values with (modulus 2, remainder 0);
create table team.parted_high_1 partition of team.parted_high for values with (modulus 2, remainder 1);
create table team.parted_rest partition of team.parted default;
create index on team.parted (v);
create table team.parent (x int, y text not null);
create table team.child (z int, constraint own check (z > 0) no inherit) inherits (team.parent);
alter table team.child alter column x set default 3;
create table team.typed of team.address (street with options not null);
create unlogged table team.volatile (a int);
create table team.no_columns ();
create table team.dropped (a int, b int, c int);
alter table team.dropped drop column b;
create table team.late (a int primary key deferrable initially deferred, b int unique nulls not distinct);
create table "Odd ""Schema"."T;x
y" ("c'1" text default E'\\x\n', "Name: a; Type: b; Schema: c; Owner: d" int);
create server remote foreign data wrapper postgres_fdw options (host 'x');
create user mapping for app server remote options (user 'u', password 'p');
create foreign table team.far (a int) server remote options (table_name 'near');
create publication chosen for table team.parts (id) where (id > 3);
create publication whole_schema for tables in schema "Odd ""Schema";
create publication all_of_it for all tables with (publish = 'insert');
create event trigger watching on ddl_command_end when tag in ('DROP TABLE') execute function team.watch();
alter event trigger watching disable;

grant usage on schema team to app with grant option;
grant select (a), update (b) on team.things to app;
grant execute on function team.add to boss;
revoke execute on function team.increase from public;
grant usage on type team.mood to staff;
grant all on sequence team.numbers to app;
alter default privileges in schema team grant select on tables to staff;
alter default privileges for role app revoke execute on functions from public;

create table team.types (
  id serial primary key, a bit(3), b bit varying, c box, d bytea, e "char", f char(5), g cidr, h circle, i date, j float4, k float8, l inet, m interval,
  n json, o line, p lseg, q macaddr, r macaddr8, s money, t name, u numeric, v oid, w path, x pg_lsn, y point, z polygon, aa regproc, ab regrole, ac regtype,
  ad smallint, ae time, af timetz, ag timestamp, ah timestamptz, ai tsquery, aj uuid, ak varchar(9), al xml, am int4range, an nummultirange, ao jsonpath, ap hstore,
  aq text[], ar int[][], at xid8, au boolean, av team.codes, aw varbit[], ax regnamespace
);
insert into team.types (a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, aa, ab, ac, ad, ae, af, ag, ah, ai, aj, ak, al, am, an, ao, ap, aq, ar, at, au, av, aw, ax) values
  (b'101', b'1', '(1,2),(3,4)', '\x00ff5c0a', 'x', 'ab', '10.0.0.0/8', '<(1,2),3>', 'infinity', 'NaN', '-Infinity', '::1/64', '-1 year 2 mons -3 days 04:05:06.789',
  '{"b":1, "a" : [ ]}', '{1,2,3}', '((1,2),(3,4))', '08:00:2b:01:02:03', '08:00:2b:01:02:03:04:05', '-12.34', 'n', 'Infinity', 4711, '[(1,2),(3,4)]', '16/B374D848', '(1.5,1e300)',
  '((1,2),(3,4),(5,6))', 'team.touch', 'app', 'team.mood[]', -32768, '24:00', '12:00:00.123456+05:30', '0044-03-15 12:00 BC', '294276-12-31 23:59:59.999999Z',
  '''a b'' & !c:*AB', '00000000-0000-0000-0000-000000000000', '', '<a b="1">é<!-- c --></a>', 'empty', '{[1.1,2),[3,)}', '$.a[*] ? (@ > 1)', '"a"=>NULL,"b c"=>"\\\""',
  array[null, 'null', '', '\', E'a"b,{}\n\t\\N', '\.'], '[0:1][2:3]={{1,2},{3,null}}', '18446744073709551615', true, '{a,b}', '{101,1}', 'team'),
  (null, b'', null, '', null, 'é', null, null, '4713-01-01 BC', 1e-45, 1.7976931348623157e308, null, '0', 'null', null, null, null, null, null, null, 0.00000000000000000001000, null,
  '((1,2),(3,4))', null, null, null, null, null, null, null, null, null, '-infinity', null, '', null, e'\t\r\n\\', 'text <b/>', '(,5)', '{}', null, '', '{}', '{}', null, null, null, '{}', null);
insert into team.types (k, u, aq) select random(), random()::numeric / 3, array[repeat(chr(33 + i), i * 100)] from generate_series(1, 90) i;
insert into team.things (a, b, mood, address, positive, span, data, words, anycase, email, relation, moods, people, state, code)
  select i, 'item ' || i, 'ha''ppy', row('street ' || i, i)::team.address, i, team.floats(i, i + 1), jsonb_build_object('a', i), to_tsvector('word' || i),
    'CASE' || i, 'C' || i || '@x', 'team.parts', array['sad', 'ok']::team.mood[], array[row('x', row('y', null), array['ok'])::team.person, null], 'new', 'c'
  from generate_series(1, 200) i;
insert into team.parts values (1, 10, 1), (2, null, 1);
update team.things set part = 2 where id = 15;
-- Not as the constraints want it, which are not validated.
set session_replication_role = replica;
update team.things set part = 99 where id = 20;
set session_replication_role = default;
insert into team.parted select 'k' || i, i from generate_series(0, 29) i;
insert into team.parent values (1, 'y');
insert into team.child values (1, 'y', 2), (1, 'y', 2);
insert into team.typed values ('s', 1);
insert into team.volatile values (1);
insert into team.no_columns select from generate_series(1, 3);
insert into team.dropped values (1, 3);
insert into "Odd ""Schema"."T;x
y" values (default, 1), ('\.', 2), (E'\\N', null);
refresh materialized view team.by_mood;
refresh materialized view team.moods_of_moods;
select lo_from_bytea(4711, '\x0102'), lo_create(4712), lo_from_bytea(4713, decode(repeat('00ff', 5000), 'hex'));
select lo_put(4712, 100000, '\xff');
comment on large object 4711 is 'large';
alter large object 4712 owner to app;
grant select on large object 4711 to app with grant option;
revoke update on large object 4712 from app;
create table team.deleted (a int);
insert into team.deleted select generate_series(1, 1000);
delete from team.deleted where a > 5;
alter database rowhouse set search_path = public, team;
