import { attachmentColumn } from '../attachments/service'
import { auditSourceOf } from '../auth/audit/audit-log'
import type { Actor } from '../auth/identity/actor'
import { isTimestamp, notATimestamp } from '../auth/timestamp'
import { catalogChanging } from '../db/brief-transaction'
import type { Deps } from '../deps'
import { notFound, type Problem, validationFailed } from '../errors'
import { translatable } from '../messages/message'
import type { CallDeps } from '../plugins/call'
import type { Plugin } from '../plugins/load/load'
import { readKey, writeKey } from '../records/store/key'
import { getTable, tablesFor } from '../tables/catalog/catalog'
import { objectProblems } from '../tables/column-types/json'
import type { LinkKind, NewLink } from './model'
import { hashLinkPassword } from './opening/password'
import { createLink, type LinkTerms, type ResolvedSubject } from './service'
import { lastChangeOf } from './shared/reused-key'
import { makeSharedDocument } from './shared/shared-document'
import { filesIn } from './shared/shared-files'
import { readSharedList, readSharedRecord } from './shared/shared-record'
import type { StoredLink } from './store'

type NewLinkDeps = Deps & CallDeps

/** How often tables may change while a link is being created. */
const maxAttempts = 10

/**
 * Creates a link with the present names in its query: hashing a password takes time, in which they may change.
 * @throws Failure like `resolveSubject`, `resolveTerms` and `createLink`; unavailable
 */
export async function createNamedLink(
  deps: NewLinkDeps,
  plugins: readonly Plugin[],
  actor: Actor,
  input: NewLink,
  request: Request,
): Promise<{ secret: string; link: StoredLink }> {
  let terms: LinkTerms | null = null
  let current = actor
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const { version } = await tablesFor(deps.catalog, current)
    const subject = await resolveSubject(deps, plugins, current, input, request)
    terms ??= await resolveTerms(deps, input)
    const created = await createLink(deps.db, current, { subject, version }, terms, auditSourceOf(request, actor))
    if (created) return created
    current = { ...actor, catalogVersion: (await deps.catalog.current()).version }
  }
  throw catalogChanging()
}

/**
 * Resolves the target of a new link, and reads it once as the link will show it: if its issuer may not read it, the
 * link is rejected.
 * @throws Failure like a read of it; validation_failed unless exactly one kind of target is given, and for texts that
 * cannot be stored
 */
async function resolveSubject(
  deps: NewLinkDeps,
  plugins: readonly Plugin[],
  actor: Actor,
  input: NewLink,
  request: Request,
): Promise<ResolvedSubject> {
  const kind = kindOf(input)
  const problems = objectProblems('/document', input.document ?? {})
  if (problems.length > 0) throw validationFailed(problems)
  const subject: ResolvedSubject = {
    kind,
    tableId: null,
    recordKey: null,
    columnId: null,
    fileId: null,
    query: input.query?.replace(/^\?/, '') || null,
    document: input.document ?? null,
    lastChange: null,
  }
  if (input.table !== undefined) {
    const table = await getTable(deps.catalog, actor, input.table)
    subject.tableId = table.id
    if (input.pk !== undefined) subject.recordKey = writeKey(readKey(table, String(input.pk)))
    if (kind === 'file')
      Object.assign(subject, { columnId: attachmentColumn(table, input.column!).id, fileId: input.fileId!.toLowerCase() })
  }
  if (kind === 'list') await readSharedList(deps, actor, subject, {}, true)
  else if (subject.tableId !== null) await requireShown(deps, actor, subject)
  if (input.document) await (await makeSharedDocument(deps, plugins, actor, input.document, request)).body?.cancel()
  return subject
}

/**
 * Records the last change of the record that is shown.
 * @throws Failure like a read of the record; not_found if the file is not in the cell
 */
async function requireShown(deps: NewLinkDeps, actor: Actor, subject: ResolvedSubject): Promise<void> {
  const table = await getTable(deps.catalog, actor, subject.tableId!)
  // Read before the record: a change in between may give its key to another one.
  const lastChange = await lastChangeOf(deps.db.query, table, readKey(table, subject.recordKey!))
  const { outputs, json } = await readSharedRecord(deps, actor, subject, null)
  const isThere = subject.fileId === null || filesIn(outputs, JSON.parse(json)).some(({ id }) => id === subject.fileId)
  if (!isThere) throw notFound(translatable('There is no such file.'))
  subject.lastChange = lastChange
}

/** @throws Failure validation_failed */
function kindOf({ table, pk, column, fileId, document, query }: NewLink): LinkKind {
  const isFile = column !== undefined || fileId !== undefined
  if (document) {
    requireNone({ column, fileId, query }, translatable('A link to a document does not accept {name}.', { name: 'column, fileId, query' }))
    if (table !== undefined || pk !== undefined)
      requireAll({ table: table ?? null, pk: pk ?? null }, translatable('The record of a document needs a table and a key.'))
    return 'document'
  }
  requireAll({ table: table ?? null }, translatable('A link needs a table, or a document.'))
  if (!isFile) return pk === undefined ? 'list' : 'record'
  requireAll(
    { pk: pk ?? null, column: column ?? null, fileId: fileId ?? null },
    translatable('A link to a file needs table, pk, column and fileId.'),
  )
  requireNone({ query }, translatable('A link to a file does not accept {name}.', { name: 'query' }))
  return 'file'
}

function requireNone(values: Record<string, unknown>, message: Problem['message']) {
  const problems = Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [{ path: `/${name}`, message }]))
  if (problems.length) throw validationFailed(problems)
}

function requireAll(values: Record<string, unknown>, message: Problem['message']) {
  const problems = Object.entries(values).flatMap(([name, value]) => (value === null ? [{ path: `/${name}`, message }] : []))
  if (problems.length) throw validationFailed(problems)
}

/** @throws Failure validation_failed, unavailable */
async function resolveTerms({ passwords }: Pick<Deps, 'passwords'>, { expiresAt, maxOpens, password }: NewLink): Promise<LinkTerms> {
  return {
    expiresAt: typeof expiresAt === 'string' ? futureTime(expiresAt) : null,
    maxOpens: maxOpens ?? null,
    passwordHash: password === undefined ? null : await hashLinkPassword(passwords, password),
  }
}

function futureTime(text: string): Date {
  if (!isTimestamp(text)) throw validationFailed([{ path: '/expiresAt', message: notATimestamp }])
  const time = new Date(text)
  if (time.getTime() > Date.now()) return time
  throw validationFailed([{ path: '/expiresAt', message: translatable('This time is in the past.') }])
}
