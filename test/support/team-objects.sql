-- What a team's schemas may hold and a logical copy has to bring, made by a role that is no superuser.
create extension citext;
create schema shop;
comment on schema shop is 'the team''s';
create schema "Odd ""Schema";
create type shop.mood as enum ('sad', 'ok', 'ha''ppy');
create domain shop.positive as int default 5 check (value > 0);
create type shop.address as (street text, zip int);
create collation shop.natural (provider = icu, locale = 'und-u-kn-true');
create sequence shop.numbers as int increment 3 minvalue 2 start 5 cycle;
select nextval('shop.numbers'), nextval('shop.numbers');
create sequence shop.unused start 7;

create function shop.raise() returns trigger language plpgsql as $$ begin raise exception 'a trigger has fired'; end $$;
create function shop.text_with_lines() returns text language sql as $$ select '
CREATE SCHEMA shop;
SET transaction_timeout = 0;
-- Name: shop; Type: SCHEMA; Schema: -; Owner: -'::text $$;
create procedure shop.nothing() language plpgsql as $$ begin null; end $$;

create unlogged table shop.volatile (a int);
insert into shop.volatile values (1);

create table shop.everything (
  id bigint generated always as identity (start 10 increment 5) primary key,
  short smallint, exact numeric, rough float8, small real, bytes bytea, words text collate shop.natural, email citext,
  sure boolean, day date, clock timetz, moment timestamptz, local timestamp, took interval,
  data json, binary_data jsonb, code uuid, place inet, bits bit varying, span int4range, spans nummultirange, xml_data xml,
  mood shop.mood, above shop.positive, address shop.address, addresses shop.address[], moods shop.mood[], grid int[][],
  word tsvector, where_to point, money_of money, relation regclass,
  doubled numeric generated always as (exact * 2) stored
);
insert into shop.everything
  (short, exact, rough, small, bytes, words, email, sure, day, clock, moment, local, took, data, binary_data, code, place, bits, span,
   spans, xml_data, mood, above, address, addresses, moods, grid, word, where_to, money_of, relation)
values
  (-32768, 'NaN', 'NaN', '-Infinity', '\x00ff5c0a0d09', E'tab\tline\nreturn\rback\\slash \\. \\N', 'A@b.C', true, 'infinity', '12:00:00.123456+05:30',
   'infinity', '-infinity', '-1 year 2 mons -3 days 04:05:06.789', '{"a":  1,"a":2}', '{"b": 1.50}', gen_random_uuid(), '::1/64', B'0101',
   '[1,5)', '{[1.5,2.5),(7,)}', '<a b="c">é</a>', 'ha''ppy', 7, row('a "street", with', null), array[row('x', 1)::shop.address, null],
   array['sad', null]::shop.mood[], '[2:3][0:1]={{1,2},{3,null}}', 'a:1A b', '(1e-300,-0)', '-12.34', 'shop.everything'),
  (null, 'Infinity', 'Infinity', '1e-45', '', '', '', null, '4713-01-01 BC', '00:00:00-15:59', '294276-12-31 23:59:59.999999+00', null, null,
   null, 'null', null, null, null, 'empty', '{}', null, null, null, null, null, '{}', null, null, null, null, null),
  (1, 12345678901234567890.123456789012345678901234567890, 0.1, 0.1, null, '𝒳 ÿ é', null, false, null, null, null, null, null,
   null, null, null, null, null, null, null, null, 'ok', null, null, null, null, null, null, null, null, null);
comment on column shop.everything.exact is 'a line,
and	another \ one';

-- Each refers to the other.
create table shop.hens (id int primary key, egg int);
create table shop.eggs (id int primary key, hen int not null references shop.hens deferrable initially deferred);
alter table shop.hens add constraint laid foreign key (egg) references shop.eggs on delete set null;
insert into shop.hens values (1, null), (2, null);
insert into shop.eggs values (1, 2), (2, 1);
update shop.hens set egg = id;
set constraints all immediate;
create trigger never before insert or update or delete on shop.hens for each row execute function shop.raise();
create constraint trigger late after insert on shop.eggs deferrable initially deferred for each row execute function shop.raise();
create trigger disabled after insert on shop.eggs for each statement execute function shop.raise();
alter table shop.eggs disable trigger disabled;

create table shop.parted (k text, v int, primary key (k, v)) partition by range (v);
create table shop.parted_low partition of shop.parted for values from (0) to (10);
create table shop.parted_high partition of shop.parted for values from (10) to (20) partition by hash (k);
create table shop.parted_high_0 partition of shop.parted_high for values with (modulus 2, remainder 0);
create table shop.parted_high_1 partition of shop.parted_high for values with (modulus 2, remainder 1);
create table shop.parted_rest partition of shop.parted default;
insert into shop.parted select 'k' || i, i from generate_series(-3, 25) i;

create table shop.keyless (a int, b text);
insert into shop.keyless values (1, 'same'), (1, 'same'), (null, null);
create table shop.no_columns ();
insert into shop.no_columns default values;
create table shop.dropped (a int, b int, c int);
insert into shop.dropped values (1, 2, 3);
alter table shop.dropped drop column b;
create table shop.parent (x int);
create table shop.child (y int) inherits (shop.parent);
insert into shop.parent values (1);
insert into shop.child values (2, 3);
create table shop.deferred (a int primary key deferrable initially deferred, b int, unique (b) deferrable);
insert into shop.deferred values (1, 1), (2, 2);
create table "Odd ""Schema"."T;x
y" ("c'1" text default E'\\x\n', "Name: a; Type: b; Schema: c; Owner: d" int default nextval('shop.numbers'));
insert into "Odd ""Schema"."T;x
y" values ('v', 1);
create table shop.guarded (id int primary key);
insert into shop.guarded values (1);
alter table shop.guarded enable row level security;
create policy own on shop.guarded for select to auditor using (id > 3);

create view shop.joined with (security_barrier) as select e.id, e.mood, h.id as hen from shop.everything e left join shop.hens h on h.id = e.above;
create materialized view shop.by_mood as select mood, count(*) as number from shop.everything group by mood;
create unique index on shop.by_mood (mood);
create materialized view shop.empty_one as select 1 as a with no data;
create rule redirect as on insert to shop.keyless do also notify keyless;
create index on shop.everything (lower(words) text_pattern_ops, short desc nulls last) include (code) where short > 3;
create statistics shop.together on short, words from shop.everything;
comment on view shop.joined is 'joined';
