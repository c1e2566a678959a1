import { asc, eq } from 'drizzle-orm'
import type { Db } from '../../db/pool/open'
import { groupMembers, groups } from '../../db/schema/access'
import type { User, UserWithGroups } from '../model'

/**
 * The names of each user's groups, by the user's id; users without a group are left out.
 * @param userId limits it to one user
 */
export async function listGroupNames(db: Db, userId?: string): Promise<Map<string, string[]>> {
  const rows = await db.orm
    .select({ userId: groupMembers.userId, name: groups.name })
    .from(groupMembers)
    .innerJoin(groups, eq(groups.id, groupMembers.groupId))
    .where(userId === undefined ? undefined : eq(groupMembers.userId, userId))
    .orderBy(asc(groups.name))
  const byUser = Map.groupBy(rows, (row) => row.userId)
  return new Map([...byUser].map(([id, memberships]) => [id, memberships.map(({ name }) => name)]))
}

export async function withGroups(db: Db, user: User): Promise<UserWithGroups> {
  return { ...user, groups: (await listGroupNames(db, user.id)).get(user.id) ?? [] }
}
