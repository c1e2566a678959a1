import { asc, desc, eq, sql } from 'drizzle-orm'
import { type AuditSource, commandSource, recordChange } from '../auth/audit/audit-log'
import { briefTransaction, catalogChanging } from '../db/brief-transaction'
import type { Db, Tx } from '../db/pool/open'
import { accessChanges, accessDocument, groupMembers, groups } from '../db/schema/access'
import type { Deps } from '../deps'
import { Failure, type Problem } from '../errors'
import { translatable } from '../messages/message'
import { allowedVersions, entityTag } from '../records/store/etag'
import type { AccessSource, GroupName, StoredRule } from '../tables/access-source'
import type { RenamedNames, Tables } from '../tables/catalog/catalog'
import { areCurrent } from '../tables/catalog/table-in-transaction'
import type { Table } from '../tables/model'
import { toAccessDocument, toAccessRule, toStoredRules } from './document-rules'
import type { AccessChange, AccessDocument, NewAccessDocument } from './model'
import { findUnreadableFilters } from './unreadable-filters'
import { readViewNotices } from './view-notices'

type Documents = Pick<Deps, 'db' | 'catalog'>

/** `version` makes the ETag. */
export type VersionedDocument = { document: AccessDocument; version: number }

type StoredDocument = { rules: StoredRule[]; version: number }

/**
 * Locks out changes of the document, the tables and the groups until the transaction ends. All of these raise the
 * catalog version, so it is locked first, which prevents deadlocks.
 */
export async function lockDocument(tx: Tx): Promise<void> {
  await tx.execute(sql`select 1 from rowhouse.catalog_version for update`)
  await tx.execute(sql`select 1 from rowhouse.access_document for update`)
}

async function readStored(db: Db | Tx): Promise<StoredDocument> {
  const orm = 'orm' in db ? db.orm : db
  const [row] = await orm.select().from(accessDocument)
  return { rules: row!.rules as StoredRule[], version: row!.version }
}

const readGroups = async (db: Db): Promise<GroupName[]> => db.orm.select({ id: groups.id, name: groups.name }).from(groups)

const namesById = (list: readonly GroupName[]) => new Map(list.map(({ id, name }) => [id, name]))
const idsByName = (list: readonly GroupName[]) => new Map(list.map(({ id, name }) => [name, id]))

export async function getDocument({ db, catalog }: Documents): Promise<VersionedDocument> {
  const [stored, groupNames, tables] = await Promise.all([readStored(db), readGroups(db), catalog.current()])
  const notices = await readViewNotices(db, tables, stored.rules)
  return { document: { ...toAccessDocument(tables, namesById(groupNames), stored.rules), notices }, version: stored.version }
}

/**
 * Replaces the document. It applies from the next request on, on every instance.
 * @param ifMatch the header If-Match
 * @throws Failure validation_failed; precondition_failed with the current document
 */
export async function saveDocument(
  deps: Documents,
  input: NewAccessDocument,
  ifMatch: string | null,
  source: AuditSource,
): Promise<VersionedDocument> {
  const { db, catalog } = deps
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const tables = await catalog.current()
    const unreadable = await findUnreadableFilters(db, tables, input.rules)
    const saved = await briefTransaction(db, (tx) => saveFor(tx, tables, { ...input, unreadable }, ifMatch, source))
    if (saved) return { version: saved.version, document: { ...saved.document, notices: await readViewNotices(db, tables, saved.rules) } }
  }
  throw catalogChanging()
}

/** How often tables may change while a document is being saved. */
const maxAttempts = 10

/** @returns null if the tables have changed: names in the document may mean something else */
async function saveFor(
  tx: Tx,
  tables: Tables,
  { rules: lines, unreadable }: NewAccessDocument & { unreadable: readonly Problem[] },
  ifMatch: string | null,
  source: AuditSource,
): Promise<{ document: ReturnType<typeof toAccessDocument>; version: number; rules: StoredRule[] } | null> {
  await lockDocument(tx)
  if (!(await areCurrent(tx, tables))) return null
  const groupNames = await tx.select({ id: groups.id, name: groups.name }).from(groups)
  const before = await readStored(tx)
  requireVersion(tables, groupNames, before, ifMatch)
  const rules = toStoredRules(tables, idsByName(groupNames), lines, unreadable)
  const version = await replaceRules(tx, before, rules, null, source)
  return { document: toAccessDocument(tables, namesById(groupNames), rules), version, rules }
}

/** @param renamed the rename that caused the change, if the change is automatic @returns the new version */
async function replaceRules(
  tx: Tx,
  before: StoredDocument,
  rules: StoredRule[],
  renamed: RenamedNames | null,
  source: AuditSource,
): Promise<number> {
  const userId = source.actorId ?? null
  const version = before.version + 1
  await tx.update(accessDocument).set({ rules, version, updatedAt: sql`now()`, updatedBy: userId })
  const names = renamed && { from: renamed[0], to: renamed[1] }
  const change = { id: Bun.randomUUIDv7(), userId, version, ...differenceOf(before.rules, rules), renamed: names }
  await tx.insert(accessChanges).values(change)
  await recordChange(tx, source, 'access_changed', change.id)
  return version
}

/**
 * The lines keep referring to a renamed group, since they hold its id. The returned document changes, and so does its
 * version.
 */
export async function followGroupName(tx: Tx, groupId: string, names: RenamedNames, source: AuditSource): Promise<void> {
  const before = await readStored(tx)
  const rules = before.rules.map((rule) => (rule.groupId === groupId ? { ...rule, group: names[1] } : rule))
  if (!Bun.deepEquals(rules, before.rules)) await replaceRules(tx, before, rules, names, source)
}

/**
 * Closes a copy of a table to everyone except administrators if the document has lines for the table itself, which do
 * not apply to the copy. @returns whether it was closed
 */
export const closeCopy = (db: Db, originalId: string, copy: Pick<Table, 'id' | 'name'>): Promise<boolean> =>
  changeRules(db, (rules) => {
    const nothing = { read: 'none', create: 'none', update: 'none', delete: 'none' }
    const closing: StoredRule = { group: 'everyone', table: copy.name, tableId: copy.id, ...nothing }
    return rules.some(({ tableId }) => tableId === originalId) ? [...rules, closing] : rules
  })

/** Removes the lines for a copy that was not completed. */
export const forgetCopy = (db: Db, id: string): Promise<boolean> =>
  changeRules(db, (rules) => rules.filter(({ tableId }) => tableId !== id))

const changeRules = (db: Db, change: (rules: StoredRule[]) => StoredRule[]): Promise<boolean> =>
  db.orm.transaction(async (tx) => {
    await lockDocument(tx)
    const before = await readStored(tx)
    const rules = change(before.rules)
    if (rules.length === before.rules.length) return false
    await replaceRules(tx, before, rules, null, commandSource)
    return true
  })

function requireVersion(tables: Tables, groupNames: readonly GroupName[], { rules, version }: StoredDocument, ifMatch: string | null) {
  if (allowedVersions(ifMatch)?.includes(String(version)) !== false) return
  throw new Failure('precondition_failed', translatable('The access document has changed since you read it.'), {
    details: { current: toAccessDocument(tables, namesById(groupNames), rules) },
    headers: { etag: entityTag(String(version)) },
  })
}

/** The lines of each list that are missing from the other. */
export function differenceOf(before: readonly StoredRule[], after: readonly StoredRule[]): { removed: StoredRule[]; added: StoredRule[] } {
  const textOf = (rule: StoredRule) => JSON.stringify(Object.entries(rule).sort(([one], [other]) => one.localeCompare(other)))
  const without = (rules: readonly StoredRule[], others: readonly StoredRule[]) => {
    const texts = new Set(others.map(textOf))
    return rules.filter((rule) => !texts.has(textOf(rule)))
  }
  return { removed: without(before, after), added: without(after, before) }
}

const maxChanges = 100

/** The newest changes, each with the lines it removed and added. */
export async function listChanges({ db, catalog }: Documents): Promise<AccessChange[]> {
  const [rows, groupNames, tables] = await Promise.all([
    db.orm.select().from(accessChanges).orderBy(desc(accessChanges.id)).limit(maxChanges),
    readGroups(db),
    catalog.current(),
  ])
  const names = namesById(groupNames)
  const toAccessRules = (rules: unknown) => (rules as StoredRule[]).map((rule) => toAccessRule(tables, names, rule))
  return rows.map(({ id, at, userId, version, removed, added, renamed }) => ({
    ...{ id, at: at.toISOString(), userId, version, removed: toAccessRules(removed), added: toAccessRules(added) },
    renamed: renamed as AccessChange['renamed'],
  }))
}

/** An unsaved document, checked against the current groups and members. @throws Failure validation_failed */
export async function proposedRules(
  { db, catalog }: Documents,
  input: NewAccessDocument,
): Promise<{ tables: Tables; rules: StoredRule[]; groupsOf: AccessSource['groupsOf'] }> {
  const [groupNames, tables, members] = await Promise.all([readGroups(db), catalog.current(), readMembers(db)])
  const unreadable = await findUnreadableFilters(db, tables, input.rules)
  return { tables, rules: toStoredRules(tables, idsByName(groupNames), input.rules, unreadable), groupsOf: members }
}

export async function readMembers(db: Db): Promise<AccessSource['groupsOf']> {
  const rows = await db.orm
    .select({ userId: groupMembers.userId, id: groups.id, name: groups.name })
    .from(groupMembers)
    .innerJoin(groups, eq(groups.id, groupMembers.groupId))
    .orderBy(asc(groups.name))
  const groupsOf = new Map<string, GroupName[]>()
  for (const { userId, id, name } of rows) groupsOf.set(userId, [...(groupsOf.get(userId) ?? []), { id, name }])
  return groupsOf
}
