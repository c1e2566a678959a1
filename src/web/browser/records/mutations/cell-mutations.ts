import type { TableView } from '../../../../tables/model'
import { ApiError } from '../../api/api-error'
import { send } from '../../api/client'
import { isUnreachable, waitUntilReachable } from '../../api/reachability'
import { jsonHeaders, recordUrl } from '../../api/urls'
import { invalidateAllRecords } from '../list/change-queries'
import { newIdempotencyKey } from '../pages/draft-row'
import { PendingCells } from '../pages/pending-cells'
import type { RecordPages } from '../pages/record-pages'
import { isSameValue, isStoredAlike, type RecordValues, readJson, recordKey, toPlainText } from '../values/cell-values'
import { isUnseen } from '../values/record-key'
import { type BatchOperation, type BatchResult, maxBatchSize, type OnAnswer, sendBatch } from './batch'
import { adoptStoredValues, type BlockResult, fieldErrors, groupByRecord } from './cell-changes'
import { type CellConflict, ConflictQueue } from './conflicts'
import type { Creation } from './creation'
import { type RowHistoryResult, RowMutations } from './row-mutations'
import { type CellChange, type CellUndoStep, invert, joinSteps, type StackName, UndoStack, type UndoStep, unknownValue } from './undo-stack'
import { WriteQueue } from './write-queue'

/** The result of an undo or redo. */
export type HistoryResult = { kind: 'cells' } | RowHistoryResult

/** The combined result of several steps, with the kind of the first. */
const joinResults = (one: HistoryResult | null, other: HistoryResult): HistoryResult => {
  if (one === null || one.kind === 'cells' || one.kind !== other.kind) return one ?? other
  return { ...one, count: one.count + other.count, recreated: [...one.recreated, ...other.recreated] }
}

/** The number of attempts when other users keep changing the records. */
const maxAttempts = 5

/**
 * Writes cells: displays the new values immediately, sends them with the records' versions, and reverts them if they
 * are rejected. Writes to one record run one after the other.
 */
export class CellMutations {
  readonly history = new UndoStack(() => this.records?.notify())
  private readonly versions = new Map<string, string>()
  private readonly queue = new WriteQueue()

  readonly rows: RowMutations
  readonly conflicts = new ConflictQueue()
  readonly pending = new PendingCells(() => this.discard())
  private historyQueue: Promise<unknown> = Promise.resolve()
  /** Whether these mutations must no longer be used, because another user may have signed in since. */
  isDiscarded = false

  private records!: RecordPages
  private errorListener: ((error: unknown) => void) | null = null
  private unreportedError: unknown = null

  constructor(private readonly tableId: string) {
    this.rows = new RowMutations(tableId, this.versions, this.history)
  }

  /** Sets the current table and list. */
  use(table: TableView, records: RecordPages) {
    this.records = records
    this.pending.use(records)
    this.rows.use(table, records, this.reportError)
  }

  /**
   * Registers the grid's error handler.
   * @param listener also called with an error that occurred while no grid was mounted
   * @returns unregisters it
   */
  listenForErrors(listener: (error: unknown) => void): () => void {
    this.errorListener = listener
    if (this.unreportedError) listener(this.unreportedError)
    this.unreportedError = null
    return () => {
      this.errorListener = null
    }
  }

  private readonly reportError = (error: unknown) => {
    if (this.errorListener) this.errorListener(error)
    else this.unreportedError = error
  }

  private discard() {
    this.isDiscarded = true
    this.pending.clear()
  }

  get list(): RecordPages {
    return this.records
  }

  /**
   * Adds a created record, which replaces the draft row.
   * @param list the list in which the row was created; the current list may be another one
   * @param laterValues values that were entered while the record was being created
   */
  append(record: RecordValues, list: RecordPages, laterValues: RecordValues) {
    if (isUnseen(record)) return this.records.notify()
    if (this.records === list) list.append(record)
    else this.records.reload()
    const key = recordKey(this.records.source.primaryKey, record)
    const changes = Object.entries(laterValues).map(([column, after]) => ({ key: key!, column, before: record[column], after }))
    if (key) void this.write(changes)
  }

  /** Fetches the version of a record that is likely to be edited, so that the write does not have to wait. */
  async prefetchVersion(key: string) {
    if (!this.versions.has(key)) await this.fetchRecords([key]).catch(() => {})
  }

  /** @returns the changes whose cells have the new value; null if none was written */
  async write(changes: CellChange[], isRecorded = true): Promise<CellChange[] | null> {
    for (const { key, column } of changes) this.pending.dropRefused(key, [column])
    const real = changes.filter(({ before, after }) => !isSameValue(before, after))
    // Setting a cell back to its stored value sends no request, so the error of a rejected value is cleared here.
    for (const change of changes) if (!real.includes(change)) this.clearError(change)
    this.records.notify()
    if (real.length === 0) return changes
    const block = this.writeBlock(real)
    const { written } = await (isRecorded ? this.history.record(block, this.toUndoStep) : block)
    return written.length ? [...changes.filter((change) => !real.includes(change)), ...written] : null
  }

  /**
   * Writes cells and creates records, both or neither if they fit into one batch.
   * @returns the result, with the failure, which has been reported
   */
  async writeAndCreate(changes: CellChange[], creation: Creation): Promise<BlockResult> {
    const real = changes.filter(({ before, after }) => !isSameValue(before, after))
    return this.history.record(this.writeBlock(real, creation), this.toUndoStep)
  }

  /** Adds what the form of a record has saved to the history. @param requestId the id of the request */
  recordSaved(key: string, changes: readonly Omit<CellChange, 'key'>[], requestId: string | null) {
    this.versions.delete(key)
    const real = changes.filter(({ before, after }) => !isSameValue(before, after)).map((change) => ({ key, ...change }))
    if (real.length) void this.history.record(Promise.resolve(), () => this.toCellStep(real, requestId ? [requestId] : []))
  }

  private toCellStep(changes: CellChange[], requestIds: readonly string[]): CellUndoStep {
    return { kind: 'cells', changes, ...(changes.some(this.rows.isLinkBack) ? { takenBy: requestIds } : {}) }
  }

  private readonly toUndoStep = (result?: BlockResult): UndoStep | undefined => {
    const steps: UndoStep[] = []
    if (result?.written.length) steps.push(this.toCellStep(result.written, result.requestIds))
    const created = this.rows.toCreation(result?.created.map(({ body }) => body) ?? [])
    if (created) steps.push(created)
    return joinSteps(steps) ?? undefined
  }

  private clearError({ key, column }: CellChange) {
    if (this.records.find(key)?.errors?.[column]) this.records.setErrors(key, { [column]: undefined })
  }

  private async writeBlock(changes: CellChange[], creation?: Creation): Promise<BlockResult> {
    for (const [key, values] of groupByRecord(changes)) this.pending.show(key, values)
    return this.queue.add(changes, () => this.writeCells(changes, creation))
  }

  undo = (): Promise<HistoryResult | null> => this.applyHistory('undo', 'redo')
  redo = (): Promise<HistoryResult | null> => this.applyHistory('redo', 'undo')

  /** Runs steps one after the other, however fast the keys are pressed, and after all actions that have begun. */
  private applyHistory(from: StackName, to: StackName): Promise<HistoryResult | null> {
    const { recorded } = this.history
    const result = Promise.all([this.historyQueue, recorded]).then(async () => {
      const step = this.history.pop(from)
      return step ? this.applyStep(step, from, to) : null
    })
    this.historyQueue = result.catch(() => {})
    return result
  }

  private async applyStep(step: UndoStep, from: StackName, to: StackName): Promise<HistoryResult | null> {
    if (step.kind === 'cells') return this.applyCellHistory(step, from, to)
    if (step.kind !== 'several') return this.rows.applyHistory(step, from, to)
    const size = this.history.size(to)
    const results: (HistoryResult | null)[] = []
    for (const part of [...step.steps].reverse()) results.push(await this.applyStep(part, from, to))
    this.history.push(to, { kind: 'several', steps: this.history.takeSince(to, size) })
    return results.filter((result) => result !== null).reduce<HistoryResult | null>(joinResults, null)
  }

  /** Drops a step that cannot be undone because another user has changed the cells since. */
  private async applyCellHistory(step: CellUndoStep, from: StackName, to: StackName): Promise<HistoryResult | null> {
    const isUndo = from === 'undo'
    const links = await this.rows.undoLinks(step).catch((error) => {
      this.history.push(from, step)
      this.reportError(error)
    })
    if (!links) return null
    // Omit links that the log could not restore: writing their former list would only unlink the records.
    const changes = links.refusal ? step.changes.filter((change) => !this.rows.isLinkBack(change)) : step.changes
    // The refused texts of these cells are undone, too.
    for (const { key } of changes) this.pending.dropRefused(key)
    const written = await this.write(isUndo ? changes.map(invert) : changes, false)
    if (links.undoneBy.length) void invalidateAllRecords()
    if (written || links.undoneBy.length) {
      const done = written ?? []
      this.history.push(to, { kind: 'cells', changes: isUndo ? done.map(invert) : done, takenBy: links.undoneBy })
    }
    if (links.refusal) this.reportError(links.refusal)
    return written && !links.refusal ? { kind: 'cells' } : null
  }

  /** @returns the written changes; all others are reverted */
  private async writeCells(changes: CellChange[], creation?: Creation): Promise<BlockResult> {
    const result: BlockResult = { written: [], created: [], requestIds: [] }
    const { written } = result
    const isOpen = () => remaining.length > 0 || (creation !== undefined && !creation.isDone)
    let remaining = changes
    try {
      for (let attempt = 0; attempt < maxAttempts && isOpen(); attempt++) {
        remaining = await this.resolveConflicts(remaining)
        remaining = await this.send(remaining, result, creation)
      }
      if (isOpen()) throw new TypeError('The records change too often.')
    } catch (error) {
      this.revert(
        changes.filter((change) => !written.includes(change)),
        error,
      )
      result.failure = error
    }
    return result
  }

  /** Asks the user about cells that another user has changed. @returns the changes that remain to be written */
  private async resolveConflicts(changes: CellChange[]): Promise<CellChange[]> {
    const keys = [...groupByRecord(changes).keys()]
    const read = await this.read(keys.filter((key) => !this.versions.has(key) || !this.records.find(key)))
    const conflicts = changes.flatMap((change): (CellConflict & { change: CellChange })[] => {
      const { key, column, before, after } = change
      const record = read.get(key) ?? this.records.find(key)?.record
      // If its page is not loaded, the version that is sent with the change detects a conflict.
      if (!record) return []
      const theirs = record[column]
      if (before === unknownValue) change.before = theirs
      const type = this.rows.typeOf(column)
      const isWritten = toPlainText(theirs) === toPlainText(after) || isStoredAlike(theirs, after, type)
      const isAgreed = before === unknownValue || isWritten || isStoredAlike(theirs, before, type)
      return isAgreed ? [] : [{ change, key, record, column, mine: after, theirs }]
    })
    if (conflicts.length === 0) return changes
    const choices = await this.conflicts.ask(conflicts)
    // An undo restores the other user's value, which must not cause another conflict.
    for (const { change, theirs } of conflicts) change.before = theirs
    const yielded = new Set(conflicts.filter((_conflict, index) => choices[index] === 'theirs').map(({ change }) => change))
    for (const [key, values] of groupByRecord([...yielded])) this.pending.hide(key, Object.keys(values))
    return changes.filter((change) => !yielded.has(change))
  }

  /**
   * @param result receives the written changes and the created records
   * @param creation is sent with the last batch
   * @returns the changes of records that have a newer version
   */
  private async send(changes: CellChange[], result: BlockResult, creation?: Creation): Promise<CellChange[]> {
    const all = [...groupByRecord(changes)]
    const stale: CellChange[] = []
    const size = creation ? maxBatchSize - 1 : maxBatchSize
    for (let at = 0; at === 0 || at < all.length; at += size) {
      const batch = all.slice(at, at + size)
      const keys = new Set(batch.map(([key]) => key))
      const sent = changes.filter(({ key }) => keys.has(key))
      const created = creation && !creation.isDone && at + size >= all.length ? creation : undefined
      if (batch.length === 0 && !created) break
      const [operations, idempotencyKey] = [this.toPatches(batch), newIdempotencyKey()]
      let requestId: string | null = null
      const onAnswer = (id: string | null) => {
        requestId = id
      }
      try {
        const results = await this.retryUntilReachable([...keys], () =>
          created ? this.sendCreation(operations, created, idempotencyKey, onAnswer) : this.patch(operations, idempotencyKey, onAnswer),
        )
        if (requestId) result.requestIds.push(requestId)
        if (created) {
          result.created = created.toResults(results.slice(batch.length), batch.length)
          this.rows.setVersions(result.created)
        }
        const gone = new Set<string>()
        for (const [index, { body, etag }] of results.slice(0, batch.length).entries()) {
          const [key, values] = batch[index]!
          if (isUnseen(body)) {
            gone.add(key)
            this.pending.hide(key, Object.keys(values))
            continue
          }
          const now = this.rename(key, body)
          this.updateRecord(now, body, etag, Object.keys(values))
          adoptStoredValues(sent, now, body)
        }
        // Records that the user does not see any more cannot be undone.
        if (gone.size > 0) this.records.removeRows([...gone])
        result.written.push(...sent.filter(({ key }) => !gone.has(key)))
      } catch (error) {
        if (created) result.failedCreation = created.toFailure(error, batch.length)
        if (!(error instanceof ApiError && error.status === 412)) throw error
        for (const key of keys) this.versions.delete(key)
        stale.push(...sent)
      }
    }
    return stale
  }

  private toPatches = (batch: [key: string, values: RecordValues][]): BatchOperation[] =>
    batch.map(([pk, body]) => ({ method: 'PATCH', table: this.tableId, pk, ifMatch: this.versions.get(pk), body }))

  private async sendCreation(operations: BatchOperation[], creation: Creation, key: string, onAnswer: OnAnswer): Promise<BatchResult[]> {
    try {
      return await sendBatch([...operations, ...creation.operations(operations.length)], key, onAnswer)
    } catch (error) {
      if (isUnreachable(error)) creation.onUnreachable()
      throw error
    }
  }

  private async patch(operations: BatchOperation[], idempotencyKey: string, onAnswer: OnAnswer): Promise<BatchResult[]> {
    const { pk, ifMatch, body } = operations[0]!
    // After a changed key, a repeated request would not find the record by its old key.
    const isRekeyed = operations.some((operation) => this.records.source.primaryKey.some((name) => name in operation.body!))
    if (isRekeyed || operations.length > 1) return sendBatch(operations, isRekeyed ? idempotencyKey : undefined, onAnswer)
    const headers = { ...jsonHeaders, 'if-match': ifMatch ?? '*' }
    const response = await send(recordUrl(this.tableId, pk!), { method: 'PATCH', headers, body: JSON.stringify(body) })
    onAnswer(response.headers.get('x-request-id'))
    return [{ body: await readJson<RecordValues>(response), etag: response.headers.get('etag') ?? undefined }]
  }

  /** Retries until the service can be reached. */
  private async retryUntilReachable<T>(keys: string[], call: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await call()
      } catch (error) {
        if (!isUnreachable(error) || this.isDiscarded) throw error
        this.pending.setUnsent(keys, true)
        await waitUntilReachable()
      } finally {
        if (!this.isDiscarded) this.pending.setUnsent(keys, false)
      }
    }
  }

  private read = (keys: string[]) => this.retryUntilReachable(keys, () => this.fetchRecords(keys))

  private async fetchRecords(keys: string[]): Promise<Map<string, RecordValues>> {
    const read = new Map<string, RecordValues>()
    const collect = (key: string, record: RecordValues, etag?: string) => {
      read.set(key, record)
      this.updateRecord(key, record, etag, [])
    }
    if (keys.length === 1) {
      const response = await send(recordUrl(this.tableId, keys[0]!))
      collect(keys[0]!, await readJson<RecordValues>(response), response.headers.get('etag') ?? undefined)
    } else
      for (let at = 0; at < keys.length; at += maxBatchSize) {
        const batch = keys.slice(at, at + maxBatchSize)
        // An empty PATCH returns the record with its version, which lists do not contain.
        const results = await sendBatch(batch.map((pk) => ({ method: 'PATCH', table: this.tableId, pk, body: {} })))
        for (const [index, { body, etag }] of results.entries()) collect(batch[index]!, body, etag)
      }
    return read
  }

  /** Continues with the new key if a write has changed it: another record may get the old one. @returns the key */
  rename(key: string, record: RecordValues): string {
    const now = recordKey(this.records.source.primaryKey, record) ?? key
    if (now === key) return key
    this.versions.delete(key)
    this.queue.rename(key, now)
    this.pending.rename(key, now, record)
    return now
  }

  private updateRecord(key: string, record: RecordValues, version: string | undefined, written: string[]) {
    if (version) this.versions.set(key, version)
    this.pending.update(key, record, written)
  }

  /** When one record of a batch is rejected, its cells show the reason. */
  private revert(changes: CellChange[], error: unknown) {
    const all = [...groupByRecord(changes)]
    const failed = error instanceof ApiError ? (all.length === 1 ? all[0]![0] : error.body.details?.pk) : undefined
    for (const [key, values] of all) {
      const names = Object.keys(values)
      this.pending.hide(key, names)
      if (key === failed) this.records.setErrors(key, fieldErrors(names, error as ApiError))
    }
    if (!this.isDiscarded) this.reportError(error)
  }
}
