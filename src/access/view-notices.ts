import type { Db } from '../db/pool/open'
import { withCatalogPath } from '../db/search-path'
import { translatable } from '../messages/message'
import type { StoredRule } from '../tables/access-source'
import type { Tables } from '../tables/catalog/catalog'
import type { Table } from '../tables/model'
import type { AccessNotice } from './model'
import { rulesNaming } from './narrow-tables'

const maxNotices = 200

/**
 * Views that no rule restricts, over tables that rules restrict: Rowhouse treats a view as a separate table, so the
 * view shows all rows of its tables. Includes views over views, and materialized views.
 */
export async function readViewNotices(db: Db, tables: Tables, rules: readonly StoredRule[]): Promise<AccessNotice[]> {
  const isOpen = (table: Table) => lineOf(rules, table) === null
  if (!tables.list.some((table) => !isOpen(table))) return []
  const pairs = await withCatalogPath(db, (query) => query<ViewPair>(viewsStatement))
  const notices = pairs.flatMap(({ view: viewName, table: tableName }): AccessNotice[] => {
    const [view, table] = [viewName, tableName].map((name) => tables.byQualifiedName.get(name))
    const rule = view && table ? lineOf(rules, table) : null
    if (!view || !table || rule === null || linesNaming(rules, view).length > 0) return []
    const names = { view: view.name, table: table.name }
    const message = translatable(
      'The view "{view}" shows rows of "{table}", which this rule narrows; the view has no rule of its own.',
      names,
    )
    return [{ rule, ...names, message: String(message) }]
  })
  return notices.slice(0, maxNotices)
}

/** The first line that restricts reading a table; null if everyone may read the whole table. */
function lineOf(rules: readonly StoredRule[], table: Table): number | null {
  const naming = linesNaming(rules, table)
  const isAll = naming.some(
    ({ group, groupId, read, columns }) => groupId === undefined && group === 'everyone' && read === 'all' && !columns?.read,
  )
  return naming.length === 0 || isAll ? null : rules.indexOf(naming[0]!)
}

const linesNaming = (rules: readonly StoredRule[], table: Table) => rulesNaming({ rules: [...rules], groupsOf: new Map() }, table)

/** Names with their schema, joined by a dot. */
type ViewPair = { view: string; table: string }

/**
 * Every view with each table that its rows come from. A table shows the rows of its partitions and child tables, and a
 * partition counts as part of its table.
 */
const viewsStatement = `with recursive layers as materialized (
    select w.ev_class as above, d.refobjid as below from pg_rewrite w join pg_class v on v.oid = w.ev_class and v.relkind in ('v', 'm')
      join pg_depend d on d.classid = 'pg_rewrite'::regclass and d.objid = w.oid and d.refclassid = 'pg_class'::regclass
      where w.ev_type = '1' and w.ev_class >= 16384 and d.refobjid <> w.ev_class
    union select inhparent, inhrelid from pg_inherits
    union select i.inhrelid, i.inhparent from pg_inherits i join pg_class p on p.oid = i.inhrelid and p.relispartition
  ), pairs as (
    select l.above, l.below from layers l join pg_class v on v.oid = l.above and v.relkind in ('v', 'm')
    union select p.above, l.below from pairs p join layers l on l.above = p.below
  )
  select concat(vn.nspname, '.', v.relname) as view, concat(tn.nspname, '.', t.relname) as table
    from pairs p join pg_class v on v.oid = p.above join pg_namespace vn on vn.oid = v.relnamespace
      join pg_class t on t.oid = p.below join pg_namespace tn on tn.oid = t.relnamespace
    where p.above <> p.below order by 1, 2`
