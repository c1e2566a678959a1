import type { Query } from '../db/pool/open'

/** An action's part of a rule: `all`, `none`, or a filter in the grammar of queries. */
export type RuleText = string

/**
 * A line of the access document as it is stored. It refers to groups, tables and columns by id, so that they may be
 * renamed. Without a `groupId` the group is `everyone` or a role; without a `tableId` the line applies to all tables.
 */
export type StoredRule = {
  group: string
  groupId?: string
  table: string
  tableId?: string
  read: RuleText
  create: RuleText
  update: RuleText
  delete: RuleText
  /** Ids of columns; null or absent for all. */
  columns?: { read?: string[] | null; write?: string[] | null }
}

export type GroupName = { id: string; name: string }

/** `groupsOf` maps each user who belongs to a group to their groups. */
export type AccessSource = { rules: StoredRule[]; groupsOf: ReadonlyMap<string, GroupName[]> }

const statement = `select rules::text as rules,
  case when jsonb_array_length(rules) > 0 then coalesce((select json_agg(json_build_array(m.user_id, g.id, g.name))
    from rowhouse.group_members m join rowhouse.groups g on g.id = m.group_id), '[]')::text else '[]' end as members
  from rowhouse.access_document`

/** @param query of a transaction in which names without a schema are PostgreSQL's own */
export async function readAccess(query: Query): Promise<AccessSource | null> {
  const [row] = await query<{ rules: string; members: string }>(statement)
  const rules = JSON.parse(row!.rules) as StoredRule[]
  if (rules.length === 0) return null
  const groupsOf = new Map<string, GroupName[]>()
  for (const [userId, id, name] of JSON.parse(row!.members) as [string, string, string][]) {
    const groups = groupsOf.get(userId)
    if (groups) groups.push({ id, name })
    else groupsOf.set(userId, [{ id, name }])
  }
  return { rules, groupsOf }
}
