import type { Sql } from 'postgres'
import { sqlState } from '../errors'
import { lockKeys } from '../lock-keys'
import { catalogPath, equal } from '../search-path'

/**
 * Notes once per transaction that definitions were changed outside of Rowhouse. It must not harm that transaction: it
 * never waits, ignores temporary tables and catches all of its own errors.
 */
const body = `
begin
  if current_setting('rowhouse.change_noted', true) = pg_current_xact_id()::text then return; end if;
  if tg_tag in ('REFRESH MATERIALIZED VIEW', 'REINDEX', 'CREATE STATISTICS', 'ALTER STATISTICS', 'DROP STATISTICS') then return; end if;
  begin
    if tg_event = 'sql_drop' then
      if not exists (select from pg_event_trigger_dropped_objects() where not is_temporary) then return; end if;
    elsif not exists (select from pg_event_trigger_ddl_commands() where schema_name is distinct from 'pg_temp') then
      return;
    end if;
    insert into rowhouse.catalog_changes default values;
    perform set_config('rowhouse.change_noted', pg_current_xact_id()::text, true);
  exception when others then
    return;
  end;
end
`

// Dropped and created rather than replaced: the function must be owned by the role that creates the triggers, because
// it also runs within the commands of superusers.
const installTrigger = `
${catalogPath};
select pg_advisory_xact_lock(${lockKeys.changeTrigger});
drop event trigger if exists rowhouse_ddl;
drop event trigger if exists rowhouse_drop;
drop function if exists rowhouse.note_change();
create function rowhouse.note_change() returns event_trigger language plpgsql security definer set search_path = pg_catalog, pg_temp as $body$${body}$body$;
create event trigger rowhouse_ddl on ddl_command_end execute function rowhouse.note_change();
create event trigger rowhouse_drop on sql_drop execute function rowhouse.note_change();
alter event trigger rowhouse_ddl enable always;
alter event trigger rowhouse_drop enable always;
`

const isInstalledAlready = `select count(*) ${equal} 2 as yes from pg_event_trigger t join pg_proc p on p.oid ${equal} t.evtfoid
  where t.evtname ${equal} any (array['rowhouse_ddl', 'rowhouse_drop']) and t.evtenabled ${equal} 'A' and t.evtowner ${equal} p.proowner
    and p.prosrc ${equal} $1`

/**
 * Lets PostgreSQL report changes made outside of Rowhouse, by event triggers, if the role may create them: usually a
 * superuser, and always in the embedded PostgreSQL. Not a migration, because Rowhouse also works with a role that may
 * not (tables/catalog/watch.ts then polls).
 * @returns whether the triggers exist
 */
export async function installChangeTrigger(sql: Sql): Promise<boolean> {
  if (await isInstalled(sql)) return true
  try {
    // Several statements in one text run in one transaction.
    await sql.unsafe(installTrigger)
    return true
  } catch (error) {
    // Insufficient privilege, or another object depends on the function, so we must not drop it.
    if (['42501', '2BP01'].includes(sqlState(error) ?? '')) return false
    throw error
  }
}

async function isInstalled(sql: Sql): Promise<boolean> {
  const [found] = await sql.unsafe<{ yes: boolean }[]>(isInstalledAlready, [body])
  return found!.yes
}
