import { lockKeys } from '../db/lock-keys'
import type { Query } from '../db/pool/open'
import { comparisonsIn } from '../records/query/plan/comparisons'
import { findQuery, isTextNaming, renamedText } from '../records/query/plan/renames'
import type { FindComparisons, FollowRename, NamingTexts } from '../tables/catalog/catalog'

/** By then, a link that was being created is complete, and a later one finds the new names. */
const lockQueries = (query: Query) => query(`select pg_catalog.pg_advisory_xact_lock(${lockKeys.linkQueries})`)

/**
 * Updates the queries of share links when a table or a column is renamed. The target itself is stored by id. A link
 * whose query has lost its meaning is revoked, since another column gets a name in it.
 */
const followNameInLinks: FollowRename = async ({ query, names, before, after }) => {
  await lockQueries(query)
  const links = await query<{ id: string; table_id: string; query: string }>(
    'select id, table_id, query from rowhouse.share_links where query is not null and table_id is not null and revoked_at is null',
  )
  const concerned = links.filter((link) => isTextNaming(link.query, names))
  if (concerned.length === 0) return
  const renaming = { before, after: await after() }
  const renamed = concerned.flatMap(({ id, table_id, query: text }) => {
    const now = renamedText(renaming, table_id, text)
    return now === text ? [] : [{ id, query: now ?? text, isLost: now === null && isTextNaming(text, names.slice(1)) }]
  })
  await query(
    `update rowhouse.share_links l set query = n.query, revoked_at = case when n."isLost" then now() end
      from jsonb_to_recordset($1::jsonb) as n (id uuid, query text, "isLost" boolean) where l.id = n.id`,
    [JSON.stringify(renamed)],
  )
}

const findComparisonsInLinks: FindComparisons = async (query, tables) => {
  await lockQueries(query)
  const links = await query<{ id: string; tableId: string; query: string }>(
    `select id::text as id, table_id::text as "tableId", query from rowhouse.share_links
      where query is not null and table_id is not null and revoked_at is null`,
  )
  return links.flatMap((link) => {
    const [table, parsed] = [tables.byId.get(link.tableId), findQuery(link.query)]
    if (!table || !parsed) return []
    return comparisonsIn(tables, table, parsed).map((comparison) => ({ kind: 'share link', name: link.id, ...comparison }))
  })
}

export const namesInLinks: NamingTexts = { follow: followNameInLinks, findComparisons: findComparisonsInLinks }
