import { readMigrations } from '../../src/db/migration/migrations.macro'

const migrations = readMigrations()

/** The name of the newest migration. */
export const newestMigration: string = migrations.at(-1)!.name

const formerFunction = migrations
  .flatMap(({ statements }) => statements)
  .find((statement) => statement.includes('CREATE FUNCTION "rowhouse"."log_changes"()'))!

/** Reverts the newest migration, to the database of the previous release. Has to be rewritten for each migration. */
export const undoNewestMigration = formerFunction.replace('CREATE FUNCTION', 'CREATE OR REPLACE FUNCTION')

/** Reverts all migrations except the first, and removes the records that they were applied. */
export const undoMigrations = `${undoNewestMigration};
  drop table rowhouse.named_views;
  alter table rowhouse.tables drop column is_search_indexed;
  drop function rowhouse.folded, rowhouse.search_text(date), rowhouse.search_text(timestamp), rowhouse.search_text(timestamptz),
    rowhouse.search_text(float8), rowhouse.search_text(float4), rowhouse.search_text(text[]);
  alter table rowhouse.tables drop column section, drop column position;
  alter table rowhouse.share_links drop column last_change; alter table rowhouse.changes drop column restores;
  alter table rowhouse.audit drop column members;
  drop function rowhouse.log_epoch; drop table rowhouse.log_epochs; drop index rowhouse.changes_xid;
  alter table rowhouse.access_changes drop column renamed;
  drop function rowhouse.log_changes cascade; drop function rowhouse.change_key, rowhouse.present_key, rowhouse.readable_json;
  drop function rowhouse.note_column_name cascade; drop table rowhouse.changes, rowhouse.logged_tables, rowhouse.column_names;
  drop table rowhouse.forms, rowhouse.form_proofs;
  drop function rowhouse.open_link; drop table rowhouse.share_links;
  drop function rowhouse.take_from_budget; drop table rowhouse.budgets;
  drop table rowhouse.access_changes; alter table rowhouse.sessions drop column viewed_user_id;
  drop function rowhouse.note_access_change cascade;
  drop table rowhouse.access_document, rowhouse.group_members, rowhouse.groups; alter table rowhouse.users drop column kind cascade;
  drop function rowhouse.keep_revoked_token cascade; drop table rowhouse.refusals, rowhouse.revoked_tokens, rowhouse.moved_files;
  drop table rowhouse.backups; alter table rowhouse.storage drop column moved_from, drop column target_id, drop column target_place;
  alter table rowhouse.tables drop column display_column_id;
  alter table rowhouse.imports drop constraint imports_state,
    add constraint imports_state check (state in ('running', 'complete', 'failed', 'cancelled'));
  alter table rowhouse.imports alter column rows set not null;
  delete from rowhouse.migrations where position > 0;`
