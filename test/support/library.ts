/**
 * A schema for queries: every kind of relationship, of columns with their own operators, and of tables without a key.
 */
export const library = `
create schema lib;
create type lib.mood as enum ('sad', 'ok', 'great');
create table lib.countries (code text primary key, name text not null);
create table lib.authors (id bigint primary key, name text not null, born int, country text references lib.countries, mood lib.mood,
  facts jsonb, tags text[], active boolean);
create table lib.books (id bigint primary key, title text not null, author_id bigint references lib.authors, editor_id bigint references lib.authors,
  price numeric(8,2), pages int, published date, sold tstzrange, words tsvector generated always as (to_tsvector('english', title)) stored);
create table lib.passports (number text primary key, author_id bigint unique not null references lib.authors);
create table lib.topics (id bigint primary key, name text not null, parent_id bigint constraint topic_parent references lib.topics);
create table lib.book_topics (book_id bigint references lib.books on delete cascade, topic_id bigint references lib.topics, primary key (book_id, topic_id));
create table lib.log (at timestamptz, what text);
create view lib.cheap as select id, title, price from lib.books where price < 10;
insert into lib.countries values ('UK', 'Britain'), ('FR', 'France');
insert into lib.authors values
  (1, 'Austen', 1775, 'UK', 'great', '{"prize": {"name": "none", "years": [1811, 1813]}, "n": 5}', '{novel,irony}', true),
  (2, 'Zola', 1840, 'FR', 'sad', '{"prize": null}', '{novel}', false),
  (3, 'Homer', null, null, null, null, null, null);
insert into lib.books values
  (1, 'Emma', 1, 2, 9.90, 474, '1815-12-23', '[2020-01-01,2021-01-01)'),
  (2, 'Persuasion', 1, null, 7.50, 249, '1817-12-20', null),
  (3, 'Nana', 2, 1, 12.00, 420, '1880-03-15', '[2021-06-01,)'),
  (4, 'Iliad', 3, null, null, 700, null, null),
  (5, '100%_sure*', null, null, 1.00, null, '2020-02-29', null);
insert into lib.passports values ('p1', 1), ('p2', 2);
insert into lib.topics values (1, 'fiction', null), (2, 'romance', 1), (3, 'war', 1);
insert into lib.book_topics values (1, 1), (1, 2), (2, 2), (3, 1), (4, 3);
insert into lib.log select timestamptz '2026-01-01' + n * interval '1 hour', 'line ' || n from generate_series(1, 5) n;
`
