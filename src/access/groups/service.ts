import { and, asc, eq, type SQL, sql } from 'drizzle-orm'
import { type AuditSource, recordMembers } from '../../auth/audit/audit-log'
import { arrayLiteral } from '../../db/arrays'
import { briefTransaction } from '../../db/brief-transaction'
import { lockKeys } from '../../db/lock-keys'
import type { Db, Tx } from '../../db/pool/open'
import { accessDocument, groupMembers, groups } from '../../db/schema/access'
import { users } from '../../db/schema/tables'
import { conflict, invalidRequest, notFound, validationFailed } from '../../errors'
import { translatable } from '../../messages/message'
import { followGroupName, lockDocument } from '../document'
import { type Group, type GroupFilter, type GroupPatch, maxGroups, maxMembers, type NewGroup } from './model'
import { readGroupName } from './name'

const noGroup = () => notFound(translatable('There is no such group.'))
const nameTaken = () => conflict(translatable('A group with this name already exists.'))
const maxProblems = 100

/** A page by name. @throws Failure invalid_request for an invalid cursor */
export async function listGroups(db: Db, { limit = 100, cursor }: GroupFilter): Promise<{ groups: Group[]; nextCursor: string | null }> {
  const found = await readGroups(db.orm, cursor === undefined ? undefined : sql`${groups.name} > ${readCursorName(cursor)}`, limit + 1)
  const page = found.slice(0, limit)
  return { groups: page, nextCursor: found.length > limit ? writeCursorName(page.at(-1)!.name) : null }
}

/**
 * The cursor is the name of a page's last group, so the next page stays defined even if the group is renamed or
 * deleted.
 */
const writeCursorName = (name: string): string => Buffer.from(name).toString('base64url')

function readCursorName(cursor: string): string {
  const name = Buffer.from(cursor, 'base64url').toString()
  if (writeCursorName(name) === cursor && !name.includes('\0')) return name
  throw invalidRequest(translatable('The cursor does not belong to this list.'))
}

/** @throws Failure not_found */
export async function getGroup(db: Db, id: string): Promise<Group> {
  return findGroup(db.orm, id)
}

/** @throws Failure validation_failed (the name, an unknown member), conflict (the name is taken, too many groups) */
export async function createGroup(db: Db, { name: text, members = [] }: NewGroup, source: AuditSource): Promise<Group> {
  const name = readGroupName(text)
  return changeGroups(db, async (tx) => {
    if ((await tx.$count(groups)) >= maxGroups)
      throw conflict(translatable('The limit of {maxGroups} groups is reached; delete one that is no longer needed.', { maxGroups }))
    const id = Bun.randomUUIDv7()
    const memberIds = await readMembers(tx, members)
    const created = await tx.insert(groups).values({ id, name }).onConflictDoNothing().returning({ id: groups.id })
    if (created.length === 0) throw nameTaken()
    const added = await addMembers(tx, id, memberIds)
    await recordMembers(tx, source, 'group_created', id, { added, removed: [] })
    return findGroup(tx, id)
  })
}

/** @throws Failure not_found, validation_failed, conflict (the name is taken) */
export async function updateGroup(db: Db, id: string, patch: GroupPatch, source: AuditSource): Promise<Group> {
  const name = patch.name === undefined ? undefined : readGroupName(patch.name)
  return changeGroups(db, async (tx) => {
    await lockDocument(tx)
    const before = await findGroup(tx, id)
    if (name !== undefined && name !== before.name) {
      const others = await tx.$count(groups, sql`${groups.name} = ${name} and ${groups.id} <> ${id}`)
      if (others > 0) throw nameTaken()
      await tx.update(groups).set({ name }).where(eq(groups.id, id))
      await followGroupName(tx, before.id, [before.name, name], source)
    }
    const change = patch.members ? await replaceMembers(tx, id, patch.members) : { added: [], removed: [] }
    await recordMembers(tx, source, 'group_changed', id, change)
    return findGroup(tx, id)
  })
}

/** @throws Failure not_found, conflict if rules of the access document refer to it */
export async function deleteGroup(db: Db, id: string, source: AuditSource): Promise<void> {
  await changeGroups(db, async (tx) => {
    await lockDocument(tx)
    // The document stores ids in lower case; a path may contain upper case.
    const { id: groupId } = await findGroup(tx, id)
    const tables = await listRuledTables(tx, groupId)
    if (tables.length > 0)
      throw conflict(
        translatable('The access document has rules for this group, on {tables}. Remove them first.', { tables: tables.join(', ') }),
      )
    const removed = await removeMembers(tx, eq(groupMembers.groupId, groupId))
    await tx.delete(groups).where(eq(groups.id, groupId))
    await recordMembers(tx, source, 'group_deleted', groupId, { added: [], removed })
  })
}

/** Does nothing if the user is a member already. @throws Failure not_found, conflict (too many members) */
export async function addMember(db: Db, id: string, userId: string, source: AuditSource): Promise<void> {
  await changeGroups(db, async (tx) => {
    await assertGroup(tx, id)
    if ((await lockUsers(tx, [userId])).size === 0) throw notFound(translatable('There is no such user.'))
    const added = await addMembers(tx, id, [userId])
    if (added.length === 0) return
    if ((await tx.$count(groupMembers, eq(groupMembers.groupId, id))) > maxMembers)
      throw conflict(translatable('This group has reached the limit of {maxMembers} members.', { maxMembers }))
    await recordMembers(tx, source, 'group_changed', id, { added, removed: [] })
  })
}

/** Does nothing if the user is not a member. @throws Failure not_found for an unknown group */
export async function removeMember(db: Db, id: string, userId: string, source: AuditSource): Promise<void> {
  await changeGroups(db, async (tx) => {
    await assertGroup(tx, id)
    const removed = await removeMembers(tx, and(eq(groupMembers.groupId, id), eq(groupMembers.userId, userId)))
    if (removed.length > 0) await recordMembers(tx, source, 'group_changed', id, { added: [], removed })
  })
}

/** Allows one change of groups or users at a time across all instances, which prevents deadlocks. */
const changeGroups = <T>(db: Db, change: (tx: Tx) => Promise<T>): Promise<T> =>
  briefTransaction(db, async (tx) => {
    await tx.execute(sql`select pg_catalog.pg_advisory_xact_lock(${lockKeys.usersAndGroups})`)
    return change(tx)
  })

async function assertGroup(tx: Tx, id: string): Promise<void> {
  if ((await tx.$count(groups, eq(groups.id, id))) === 0) throw noGroup()
}

async function findGroup(orm: Db['orm'] | Tx, id: string): Promise<Group> {
  const [group] = await readGroups(orm, eq(groups.id, id))
  if (!group) throw noGroup()
  return group
}

/** By name, with the members in the order in which the users were created; in one statement. */
async function readGroups(orm: Db['orm'] | Tx, where: SQL | undefined, limit = 1): Promise<Group[]> {
  const page = orm.select().from(groups).where(where).orderBy(asc(groups.name)).limit(limit).as('page')
  const rows = await orm
    .select({ id: page.id, name: page.name, createdAt: page.createdAt, userId: groupMembers.userId })
    .from(page)
    .leftJoin(groupMembers, eq(groupMembers.groupId, page.id))
    .orderBy(asc(page.name), asc(groupMembers.userId))
  return [...Map.groupBy(rows, (row) => row.id).values()].map((memberships) => {
    const { id, name, createdAt } = memberships[0]!
    return { id, name, members: memberships.flatMap(({ userId }) => userId ?? []), createdAt: createdAt.toISOString() }
  })
}

/** Without duplicates. @throws Failure validation_failed with the index of each id that does not belong to a user */
async function readMembers(tx: Tx, given: string[]): Promise<string[]> {
  const ids = given.map((id) => id.toLowerCase())
  const existingIds = await lockUsers(tx, ids)
  const problems = ids.flatMap((id, index) =>
    existingIds.has(id) ? [] : [{ path: `/members/${index}`, message: translatable('There is no such user.') }],
  )
  if (problems.length > 0) throw validationFailed(problems.slice(0, maxProblems))
  return [...existingIds]
}

/** The ids of existing users, who are locked against deletion until the transaction ends. */
async function lockUsers(tx: Tx, ids: string[]): Promise<Set<string>> {
  const rows = await tx
    .select({ id: users.id })
    .from(users)
    .where(sql`${users.id} = any(${uuids(ids)})`)
    .orderBy(asc(users.id))
    .for('key share')
  return new Set(rows.map(({ id }) => id))
}

const uuids = (ids: string[]) => sql`${arrayLiteral(ids)}::pg_catalog.uuid[]`

/** @returns those who were not members before */
async function addMembers(tx: Tx, groupId: string, userIds: string[]): Promise<string[]> {
  const added = await tx.execute<{ user_id: string }>(sql`insert into rowhouse.group_members (group_id, user_id)
    select ${groupId}::pg_catalog.uuid, u from pg_catalog.unnest(${uuids(userIds)}) u on conflict do nothing returning user_id`)
  return added.map(({ user_id: userId }) => userId)
}

/** @returns the removed users */
async function removeMembers(tx: Tx, where: SQL | undefined): Promise<string[]> {
  const removed = await tx.delete(groupMembers).where(where).returning({ userId: groupMembers.userId })
  return removed.map(({ userId }) => userId)
}

/** @throws Failure validation_failed */
async function replaceMembers(tx: Tx, groupId: string, members: string[]): Promise<{ added: string[]; removed: string[] }> {
  const ids = await readMembers(tx, members)
  const left = sql`${groupMembers.groupId} = ${groupId} and ${groupMembers.userId} <> all(${uuids(ids)})`
  const removed = await removeMembers(tx, left)
  return { added: await addMembers(tx, groupId, ids), removed }
}

/**
 * The tables of the rules that refer to the group, by their names in the document; requires the lock of the document.
 */
async function listRuledTables(tx: Tx, groupId: string): Promise<string[]> {
  const [document] = await tx.select({ rules: accessDocument.rules }).from(accessDocument)
  const rules = (document?.rules ?? []) as { groupId?: string; table: string }[]
  return [...new Set(rules.filter((rule) => rule.groupId === groupId).map(({ table }) => table))].slice(0, maxProblems)
}
