import { expect, test } from 'bun:test'
import { readMigrations } from '../../../src/db/migration/migrations.macro'
import { isAdditive } from '../../../src/db/migration/plan'

test.each<[boolean, string[]]>([
  [true, ['create table rowhouse.a (n int)', 'create index on rowhouse.a (n)', "comment on table rowhouse.a is 'x'"]],
  [true, ['-- why\nCREATE UNIQUE INDEX b ON rowhouse.users (name);']],
  [true, ['ALTER TABLE "rowhouse"."tables" ADD COLUMN "x" uuid;']],
  [true, ['create table rowhouse.a (n int)', 'alter table rowhouse.a add constraint positive check (n > 0)']],
  [false, ['alter table rowhouse.users add column x text not null default 1']],
  [false, ['alter table rowhouse.users add constraint x check (id is not null)']],
  [false, ['alter table rowhouse.users alter column name type varchar(10)']],
  [false, ['alter table rowhouse.users drop column name']],
  [false, ['create table rowhouse.a (n int)', 'update rowhouse.users set name = null']],
  [false, ['drop table rowhouse.audit']],
  [false, ['create table rowhouse.a (n int); delete from rowhouse.users;']],
  [false, ['alter table rowhouse.users add column a int, drop column name']],
  [false, ['create table if not exists rowhouse.users (n int)', 'alter table rowhouse.users drop column name']],
  [true, ['create function rowhouse.f() returns void language plpgsql as $$ begin delete from rowhouse.a; end $$']],
  [false, ['create or replace function rowhouse.record_audit() returns void language sql as $$ $$']],
  [false, ['do $$ begin delete from rowhouse.users; end $$']],
])('%s: %j', (expected, statements) => {
  expect(isAdditive({ statements })).toBe(expected)
})

test('the migrations of this release are known for what they are', () => {
  expect(readMigrations().map((step) => [step.name, isAdditive(step)])).toContainEqual(['0001_queued_imports', false])
  expect(readMigrations().map((step) => [step.name, isAdditive(step)])).toContainEqual(['0002_display_column', true])
})
