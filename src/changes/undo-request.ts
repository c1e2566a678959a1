import { type AuditSource, recordAudit } from '../auth/audit/audit-log'
import { type Actor, canChangeTables } from '../auth/identity/actor'
import type { Query } from '../db/pool/open'
import { catalogPath, ownPath } from '../db/search-path'
import { conflict, forbidden } from '../errors'
import { translatable } from '../messages/message'
import { runUndone } from '../records/store/writes/transaction'
import type { Tables } from '../tables/catalog/catalog'
import { type Definitions, type SchemaChange, withSchemaLock } from '../tables/definitions/schema-lock'
import { deleteTableInTransaction, ownTable } from '../tables/definitions/service'
import { confirmationOf, createdTables, tableUse } from './created-tables'
import type { UndoneTable, UndoQuery, UndoReport } from './model'
import { tableUnknown, undoRecords } from './undo'

/** `tables` are the caller's tables. */
type Undoer = { actor: Actor; tables: Tables; source: AuditSource }

/**
 * Undoes all changes of a request, or none. A table that the request created is deleted if nobody has used it since or
 * the caller confirms the deletion.
 * @throws Failure not_found, conflict (with `changedSince`, or `tables` and `confirm`), forbidden, validation_failed
 */
export async function undoRequest(definitions: Definitions, undoer: Undoer, requestId: string, options: UndoQuery): Promise<UndoReport> {
  const { db } = definitions
  const caller = { tables: undoer.tables, userId: undoer.actor.user.id }
  if ((await createdTables(db.query, requestId)).length === 0) return undoRecords(db, caller, requestId, options)
  const work = async ({ query, transaction, tables }: SchemaChange): Promise<UndoReport> => {
    // Someone may have deleted the table in the meantime; from here on, nobody can.
    const ids = await createdTables(query, requestId)
    const deleted = await deleteTables({ query, tables }, undoer, requestId, { ids, options })
    await query(ownPath)
    // The linked records that the import created have now lost their links.
    const records = await undoRecords({ query, transaction, isTransaction: true }, caller, requestId, options, ids)
    await query(catalogPath)
    return { ...records, ...deleted }
  }
  return options.dryRun ? runUndone((inside) => withSchemaLock(definitions, inside), work) : withSchemaLock(definitions, work)
}

async function deleteTables(
  { query, tables }: { query: Query; tables: Tables },
  { actor, source, ...caller }: Undoer,
  requestId: string,
  { ids, options }: { ids: readonly string[]; options: UndoQuery },
): Promise<Pick<UndoReport, 'tables' | 'confirm'>> {
  const created = ids.map((id) => {
    if (!caller.tables.byId.has(id)) throw tableUnknown()
    return ownTable(tables, id)
  })
  if (!canChangeTables(actor)) throw forbidden(translatable('The request created a table, so only an administrator can undo it.'))
  const uses = []
  for (const table of created)
    uses.push(await tableUse(query, table, { requestId, userId: actor.user.id, isDryRun: options.dryRun ?? false }))
  const confirm = confirmationOf(uses)
  const report = { tables: uses.map(({ uses: _, ...use }): UndoneTable => use), ...(confirm === null ? {} : { confirm }) }
  if (confirm !== null && confirm !== options.confirm && !options.dryRun) throw usedSince(report)
  for (const table of created) {
    await deleteTableInTransaction(query, tables, table)
    await recordAudit({ query }, { ...source, kind: 'import_undone', result: 'ok', subjectId: table.id })
  }
  return report
}

const usedSince = (details: Pick<UndoReport, 'tables' | 'confirm'>) =>
  conflict(translatable('The imported table has been used since. Nothing was undone.'), {
    hint: translatable('To delete it with all of its records, send {parameter}.', { parameter: `?confirm=${details.confirm}` }),
    details,
  })
