import type { Sql, TransactionSql } from 'postgres'
import { pipeCopy } from './table-rows'

/**
 * Copies the large objects with their OIDs, by which columns refer to them. pg_dump would write them into its script.
 * @param keepsRoles whether to also copy owners, privileges and comments: the new server must have the same roles
 */
export async function copyLargeObjects(
  from: TransactionSql,
  to: TransactionSql,
  signal: AbortSignal,
  onBytes: (count: number) => void,
  keepsRoles = true,
): Promise<void> {
  const statements = await from<{ text: string }[]>`
    select concat_ws('; ', format('select lo_create(%s)', oid), format('alter large object %s owner to %I', oid, pg_get_userbyid(lomowner)),
      'comment on large object ' || oid || ' is ' || quote_literal(obj_description(oid, 'pg_largeobject')),
      case when lomacl is not null then format('revoke all on large object %s from %I', oid, pg_get_userbyid(lomowner)) end,
      (select string_agg(format('grant %s on large object %s to %s%s', privilege_type, oid,
        case when grantee = 0 then 'public' else grantee::regrole::text end, case when is_grantable then ' with grant option' else '' end), '; ')
        from aclexplode(lomacl))) as text
    from pg_largeobject_metadata order by oid`
  if (statements.length === 0) return
  // Every statement after the first one names a role or is a comment.
  for (const { text } of statements) await to.unsafe(keepsRoles ? text : text.split('; ')[0]!).simple()
  await to`create temp table rowhouse_pages (loid oid, pageno int, data bytea) on commit drop`
  const pages = 'copy (select loid, pageno, data from pg_largeobject order by loid, pageno) to stdout'
  await pipeCopy(from, pages, to, 'copy rowhouse_pages from stdin', signal, onBytes)
  await to`do $$ begin perform lo_put(loid, pageno::bigint * 2048, data) from rowhouse_pages; end $$`
}

/** The metadata of large objects, for the comparison. Their bytes are compared as the rows of a table. */
export async function describeLargeObjects(sql: Sql): Promise<string> {
  const [row] = await sql<{ text: string | null }[]>`
    select string_agg(concat_ws(' ', oid, pg_get_userbyid(lomowner), obj_description(oid, 'pg_largeobject'),
      (select array_agg(concat_ws(' ', grantor::regrole, grantee::regrole, privilege_type, is_grantable) order by 1)
        from aclexplode(lomacl))), E'\n' order by oid) as text
    from pg_largeobject_metadata`
  return row!.text ?? ''
}
