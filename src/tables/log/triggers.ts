import type { Query } from '../../db/pool/open'
import { identifier, literal } from '../sql-text'

/**
 * The triggers that log the changes of a table (docs/history.md). A trigger with transition tables has one event, and
 * each statement calls it once, however many rows it changes.
 */
const events: Record<string, string> = {
  insert: 'referencing new table as new_rows',
  update: 'referencing old table as old_rows new table as new_rows',
  delete: 'referencing old table as old_rows',
  truncate: '',
}

/** The id in `rowhouse.logged_tables` that turns the log off for all tables. */
export const everyTable = '00000000-0000-0000-0000-000000000000'

/** The same id as `derivedId` of catalog/introspection/derived-id.ts, for a table of the schema `data`. */
const derivedId = `encode(set_byte(set_byte(bytes, 6, get_byte(bytes, 6) & 15 | 128), 8, get_byte(bytes, 8) & 63 | 128), 'hex')::uuid`
const nameBytes = `substring(sha256(convert_to('["data",' || to_json(name)::text || ']', 'UTF8')) for 16)`

/**
 * Tables whose triggers differ from those that they should have: tables that Rowhouse made, the join tables of their
 * `manyLinks` columns, and others on request. `arguments` are those of the triggers, the table's id and the columns of
 * its key; null if the table should have none. `isOpen` says whether the database lets Rowhouse change them: the owner
 * of a table may, and a role with the TRIGGER privilege may create them.
 */
const differences = `with named as (
    select id, 'data' as schema, name from rowhouse.tables
    union all select ${derivedId}, 'data', name from (select name, ${nameBytes} as bytes
      from (select distinct join_table ->> 'name' as name from rowhouse.columns where join_table is not null) joins) hashed
    union all select table_id, schema, name from rowhouse.logged_tables where schema is not null
  ), keyed as (
    select n.id, c.oid, c.relowner as owner, n.schema, n.name, c.relkind in ('r', 'p') and coalesce(l.is_logged, true)
      and not exists (select from rowhouse.logged_tables where table_id = '${everyTable}') as is_wanted,
      (select array_agg(a.attname::text order by k.place) from pg_index i cross join unnest(i.indkey) with ordinality as k (number, place)
        join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.number where i.indrelid = c.oid and i.indisprimary) as key
    from named n join pg_namespace s on s.nspname = n.schema join pg_class c on c.relnamespace = s.oid and c.relname = n.name
      left join rowhouse.logged_tables l on l.table_id = n.id
  ), wanted as (
    select id, oid, owner, schema, name, case when is_wanted and key is not null then array[id::text] || key end as arguments from keyed
  ), present as (
    select t.tgrelid as oid, count(*) = ${Object.keys(events).length} and bool_and(t.tgenabled <> 'D') as is_whole, min(encode(t.tgargs, 'hex')) as least, max(encode(t.tgargs, 'hex')) as most
    from pg_trigger t join pg_proc p on p.oid = t.tgfoid where p.pronamespace = 'rowhouse'::regnamespace and p.proname = 'log_changes' group by 1
  )
  select w.id::text as id, w.schema, w.name, to_json(w.arguments)::text as arguments,
    pg_has_role(w.owner, 'USAGE') or (w.arguments is not null and has_table_privilege(w.oid, 'TRIGGER')) as "isOpen"
  from wanted w left join present p on p.oid = w.oid
  where case when w.arguments is null then p.oid is not null
    else (p.is_whole and p.least = p.most and p.most = (select encode(string_agg(convert_to(a.text, 'UTF8') || '\\x00', '' order by a.place), 'hex')
      from unnest(w.arguments) with ordinality as a (text, place))) is not true end`

type Difference = { id: string; schema: string; name: string; arguments: string | null; isOpen: boolean }

/** @param query of a transaction in which names are PostgreSQL's own */
export const areTablesLogged = async (query: Query): Promise<boolean> =>
  (await query<Difference>(differences)).every(({ isOpen }) => !isOpen)

/**
 * Gives each table the triggers that it should have, except tables that the database does not let Rowhouse change.
 * @param query of a transaction in which names are PostgreSQL's own (`withCatalogPath`)
 * @returns the ids of these exceptions
 */
export async function logTables(query: Query): Promise<string[]> {
  const found = await query<Difference>(differences)
  for (const { schema, name, arguments: given } of found.filter(({ isOpen }) => isOpen)) {
    const table = `${identifier(schema)}.${identifier(name)}`
    for (const [event, tables] of Object.entries(events)) {
      const trigger = identifier(`rowhouse_log_${event}`)
      const text = given
        ? `create or replace trigger ${trigger} after ${event} on ${table} ${tables} for each statement
          execute function rowhouse.log_changes(${(JSON.parse(given) as string[]).map(literal).join(', ')})`
        : `drop trigger if exists ${trigger} on ${table}`
      await query(text, [], { prepare: false })
    }
  }
  return found.flatMap(({ id, isOpen }) => (isOpen ? [] : [id]))
}
