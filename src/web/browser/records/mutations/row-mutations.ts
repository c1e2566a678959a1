import type { TableView } from '../../../../tables/model'
import { ApiError } from '../../api/api-error'
import { send } from '../../api/client'
import { queryClient } from '../../api/queries'
import { jsonHeaders, recordsUrl } from '../../api/urls'
import { loggedQuery, undoUnchanged } from '../list/change-queries'
import type { RecordPages } from '../pages/record-pages'
import { isSameValue, type RecordValues, readJson, recordKey } from '../values/cell-values'
import { isUnseen, keysFilter, maxKeysInUrl } from '../values/record-key'
import { type BatchOperation, type BatchResult, maxBatchSize, type OnAnswer, sendBatch } from './batch'
import { inLinkOrder, restoreOperation } from './restoration'
import {
  type CellChange,
  type CellUndoStep,
  joinSteps,
  type RowUndoStep,
  type StackName,
  type UndoStack,
  type UndoStep,
} from './undo-stack'

/** The result of an undo or redo of rows. `recreated` are those that the log could not restore as they were. */
export type RowHistoryResult = { kind: 'restored' | 'removed'; count: number; recreated: RecordValues[] }

/** The records of a batched operation that were processed, and those that were not. */
type BatchProgress = { completed: RecordValues[]; remaining: RecordValues[]; failure?: unknown; isRecreated?: boolean }

/** Creates and deletes records, and undoes both. */
export class RowMutations {
  private table!: TableView
  private records!: RecordPages
  private onError!: (error: unknown) => void

  /** @param versions the known versions of records, by key */
  constructor(
    private readonly tableId: string,
    private readonly versions: Map<string, string>,
    private readonly history: UndoStack,
  ) {}

  use(table: TableView, records: RecordPages, onError: (error: unknown) => void) {
    this.table = table
    this.records = records
    this.onError = onError
  }

  /** Creates a record. @param body its values as JSON @param key the idempotency key @throws ApiError */
  create = (body: string, key: string): Promise<RecordValues> =>
    this.history.record(this.sendCreation(body, key), (record) => this.toCreation(record ? [record] : []))

  private async sendCreation(body: string, key: string): Promise<RecordValues> {
    const headers = { ...jsonHeaders, 'idempotency-key': key }
    const response = await send(recordsUrl(this.tableId), { method: 'POST', headers, body })
    const record = await readJson<RecordValues>(response)
    this.setVersion(record, response.headers.get('etag'))
    return record
  }

  /** Stores the versions of records that a batch has created. */
  setVersions(results: readonly BatchResult[]) {
    for (const { body, etag } of results) this.setVersion(body, etag ?? null)
  }

  /** @returns the number of deleted records @throws ApiError; the failed batch is then unchanged */
  async deleteByKeys(keys: readonly string[]): Promise<number> {
    const steps: RowUndoStep[] = []
    const run = async () => {
      for (let at = 0; at < keys.length; at += maxKeysInUrl) {
        const [name, value] = keysFilter(this.table.primaryKey, keys.slice(at, at + maxKeysInUrl))
        const query = `${encodeURIComponent(name)}=${encodeURIComponent(value)}`
        const { records, requestId } = await this.requestByFilter('DELETE', query, { returnsRecords: true })
        if (records.length) steps.push({ kind: 'deleted', records, deletedBy: requestId })
      }
    }
    await this.history.record(run(), () => this.toDeletion(steps))
    return steps.reduce((sum, { records }) => sum + records.length, 0)
  }

  /** @param isUndoable whether the records can be restored @returns the number of deleted records @throws ApiError */
  async deleteAll(query: string, isUndoable: boolean): Promise<number> {
    const deletion = this.requestByFilter('DELETE', query, { returnsRecords: isUndoable })
    const { affected } = await this.history.record(deletion, (ended) =>
      this.toDeletion(ended?.records.length ? [{ kind: 'deleted', records: ended.records, deletedBy: ended.requestId }] : []),
    )
    if (!isUndoable) this.history.clear()
    return affected
  }

  /** @returns the number of updated records @throws ApiError */
  async updateAll(query: string, values: RecordValues): Promise<number> {
    const { affected } = await this.requestByFilter('PATCH', query, { values })
    this.versions.clear()
    this.history.clear()
    return affected
  }

  private async requestByFilter(
    method: 'PATCH' | 'DELETE',
    query: string,
    { values, returnsRecords }: { values?: RecordValues; returnsRecords?: boolean },
  ) {
    const headers = { ...jsonHeaders, ...(returnsRecords ? { prefer: 'return=representation' } : {}) }
    const response = await send(recordsUrl(this.tableId, query), { method, headers, body: values && JSON.stringify(values) })
    const { affected, records = [] } = await readJson<{ affected: number; records?: RecordValues[] }>(response)
    return { affected, records, requestId: response.headers.get('x-request-id') }
  }

  private toDeletion(steps: readonly RowUndoStep[]): UndoStep | null {
    for (const record of steps.flatMap(({ records }) => records)) this.versions.delete(this.keyOf(record))
    return this.table.can.create ? joinSteps(steps) : null
  }

  /** The undo step of a creation; null if the user may not delete the records, or may not see them. */
  toCreation(created: readonly RecordValues[]): RowUndoStep | null {
    const records = this.table.can.delete ? created.filter((record) => !isUnseen(record)) : []
    return records.length ? { kind: 'created', records } : null
  }

  async applyHistory(step: RowUndoStep, from: StackName, to: StackName): Promise<RowHistoryResult | null> {
    const isRestore = (step.kind === 'deleted') === (from === 'undo')
    const deletedBy: (string | null)[] = []
    const { completed, remaining, failure, isRecreated } = isRestore
      ? await this.restoreRecords(step)
      : await this.deleteRecords(step.records, (id) => deletedBy.push(id))
    // A failed step stays on its stack, except if another user has changed or deleted the record.
    const isDropped = !isRestore && isPassed(failure)
    if (remaining.length && !isDropped) this.history.push(from, { ...step, records: remaining })
    // The log can restore the records only if a single request has deleted them.
    if (completed.length) this.history.push(to, { ...step, records: completed, deletedBy: deletedBy.length === 1 ? deletedBy[0] : null })
    if (failure) this.onError(failure)
    if (completed.length === 0) return null
    if (!isRestore) this.records.removeRows(completed.map((record) => this.keyOf(record)))
    else if (step.kind === 'created') for (const record of completed) this.records.append(record)
    else this.records.reset(-completed.length)
    if (failure) return null
    const recreated = isRecreated && step.kind === 'deleted' ? step.records : []
    return { kind: isRestore ? 'restored' : 'removed', count: completed.length, recreated }
  }

  /** Restores records from the log, with files and links; without the log, as new records with the same values. */
  private async restoreRecords({ records, deletedBy }: RowUndoStep): Promise<BatchProgress> {
    // Without this check, the undo would restore other, logged tables that the request has changed.
    const isLogged = deletedBy && (await queryClient.fetchQuery(loggedQuery(this.table)).catch(() => false))
    if (!isLogged) return this.recreateRecords(records)
    try {
      await undoUnchanged(deletedBy)
      const restored = await this.fetchAgain(records)
      const isWhole = records.every((record) => restored.has(this.keyOf(record)))
      return { completed: [...restored.values()], remaining: [], failure: isWhole ? undefined : new ApiError(409, { code: 'conflict' }, 0) }
    } catch (failure) {
      return isWithoutLog(failure) ? this.recreateRecords(records) : { completed: [], remaining: records, failure }
    }
  }

  /** Whether a change concerns links that are stored in the linked records, with one link per record. */
  isLinkBack = ({ column: name }: CellChange): boolean =>
    this.table.columns.some((column) => column.name === name && column.type === 'reverseLinks')

  /**
   * Links records again to those from which a step took them; writing the values alone would only unlink them.
   * @returns the requests that did so, an empty list without the log; and the reason for skipping records changed since
   * @throws ApiError, TypeError
   */
  async undoLinks({ changes, takenBy = [] }: CellUndoStep): Promise<{ undoneBy: string[]; refusal?: unknown }> {
    const keys = new Set(changes.map(({ key }) => key))
    const undoneBy: string[] = []
    let refusal: unknown
    for (const requestId of takenBy.toReversed()) {
      try {
        const { report, ownId, since } = await undoUnchanged(requestId)
        if (ownId) undoneBy.push(ownId)
        // Skipped records of this step do not count: their values are written afterwards.
        const written = report.changedSince.filter(({ tableId, pk }) => tableId === this.tableId && keys.has(pk))
        if (report.skipped > written.length) refusal = since
      } catch (error) {
        if (!isWithoutLog(error)) throw error
      }
    }
    if (undoneBy.length) this.versions.clear()
    return { undoneBy, refusal }
  }

  /** The records as they are stored now, by key. */
  private async fetchAgain(records: readonly RecordValues[]): Promise<Map<string, RecordValues>> {
    const found = new Map<string, RecordValues>()
    for (let at = 0; at < records.length; at += maxKeysInUrl) {
      const keys = records.slice(at, at + maxKeysInUrl).map((record) => this.keyOf(record))
      const query = new URLSearchParams([keysFilter(this.table.primaryKey, keys), ['limit', String(maxKeysInUrl)]])
      const page = await readJson<{ records: RecordValues[] }>(await send(recordsUrl(this.tableId, String(query))))
      for (const record of page.records) found.set(this.keyOf(record), record)
    }
    return found
  }

  private async recreateRecords(records: RecordValues[]): Promise<BatchProgress> {
    const progress = await inBatches(inLinkOrder(this.table, records), async (batch) => {
      const results = await sendBatch(batch.map((record) => restoreOperation(this.table, record)))
      for (const { body, etag } of results) this.setVersion(body, etag ?? null)
      return results.map(({ body }) => body)
    })
    return { ...progress, isRecreated: true }
  }

  /**
   * Deletes records whose versions are unchanged. The failure reports those that others have changed or deleted.
   * @param onAnswer gets the id of each request that has deleted records
   */
  private async deleteRecords(records: RecordValues[], onAnswer: OnAnswer): Promise<BatchProgress> {
    let passed: unknown
    const deleteUnchanged = async (batch: RecordValues[]): Promise<RecordValues[]> => {
      try {
        const changed = await this.readVersions(batch.filter((record) => !this.versions.has(this.keyOf(record))))
        if (changed.size) passed = new ApiError(412, { code: 'precondition_failed' }, 0)
        const rest = batch.filter((record) => !changed.has(record))
        const keys = rest.map(this.keyOf)
        const deletions = keys.map((pk): BatchOperation => ({ method: 'DELETE', table: this.tableId, pk, ifMatch: this.versions.get(pk) }))
        if (keys.length) await sendBatch(deletions, undefined, onAnswer)
        for (const key of keys) this.versions.delete(key)
        return rest
      } catch (error) {
        if (!isPassed(error)) throw error
        // Several may be deleted, but a response names only one.
        const present = await this.fetchAgain(batch)
        const isLeft = (key: string) => key !== error.body.details?.pk && present.has(key)
        const rest = batch.filter((record) => isLeft(this.keyOf(record)))
        if (rest.length === batch.length) throw error
        // A change is reported rather than a deletion, which the list shows anyway.
        if (error.status === 412 || !passed) passed = error
        return deleteUnchanged(rest)
      }
    }
    // Linking records first: otherwise deleting the linked record would clear their links and change their versions.
    const progress = await inBatches(inLinkOrder(this.table, records).reverse(), deleteUnchanged)
    // Undo creates the records again in their original order.
    const gone = new Set(progress.completed)
    return {
      failure: progress.failure ?? passed,
      completed: records.filter((record) => gone.has(record)),
      remaining: records.filter((record) => !gone.has(record)),
    }
  }

  /** Reads the versions of records that were created in bulk. @returns the records that another user has changed */
  private async readVersions(records: RecordValues[]): Promise<Set<RecordValues>> {
    const changed = new Set<RecordValues>()
    if (records.length === 0) return changed
    const results = await sendBatch(records.map((record) => ({ method: 'PATCH', table: this.tableId, pk: this.keyOf(record), body: {} })))
    for (const [at, { body, etag }] of results.entries()) {
      if (isSameValue(body, records[at])) this.setVersion(body, etag ?? null)
      else changed.add(records[at]!)
    }
    return changed
  }

  /** Undefined if the column no longer exists. */
  typeOf = (column: string): string | undefined => this.table.columns.find(({ name }) => name === column)?.type

  private keyOf = (record: RecordValues): string => recordKey(this.table.primaryKey, record)!

  private setVersion(record: RecordValues, version: string | null) {
    if (version && this.table.primaryKey.length && !isUnseen(record)) this.versions.set(this.keyOf(record), version)
  }
}

/** Whether another user has changed or deleted the record. */
const isPassed = (error: unknown): error is ApiError => error instanceof ApiError && [404, 412].includes(error.status)

/** Whether there is no log, or the user lacks the right to restore links in other tables. */
const isWithoutLog = (error: unknown) => error instanceof ApiError && [403, 404].includes(error.status)

/** Runs batches until one fails. */
async function inBatches(records: RecordValues[], work: (batch: RecordValues[]) => Promise<RecordValues[]>): Promise<BatchProgress> {
  const completed: RecordValues[] = []
  for (let at = 0; at < records.length; at += maxBatchSize) {
    try {
      completed.push(...(await work(records.slice(at, at + maxBatchSize))))
    } catch (failure) {
      return { completed: completed, remaining: records.slice(at), failure }
    }
  }
  return { completed: completed, remaining: [] }
}
