import type { TableView } from '../../../../../tables/model'
import { Refusal } from '../../../api/api-error'
import { send } from '../../../api/client'
import { jsonHeaders, recordsAddress } from '../../../api/urls'
import { among } from '../../record/data/record-key'
import { mostInBatch, runBatch } from './batch'
import { answerOf, keyOf, type Values } from './cell-values'
import type { Records } from './record-pages'
import { inOrder, restoring } from './restoration'
import type { History, RowStep, Side } from './undo-stack'

/** What undo or redo did with records: brought them back or took them away. `isRestored` of those that had been deleted. */
export type RowTurn = { kind: 'back' | 'away'; count: number; isRestored: boolean }

/** Records that a work on many went through, and those that it did not come to. */
type Done = { done: Values[]; left: Values[]; failure?: unknown }

/** An address has room for so many keys. */
const mostNamed = 100

/** Makes and deletes whole records, and takes that back. */
export class RowWriter {
  private table!: TableView
  private records!: Records
  private refuse!: (error: unknown) => void

  /** @param versions of the records that were written or read here, by key */
  constructor(
    private readonly tableId: string,
    private readonly versions: Map<string, string>,
    private readonly history: History,
  ) {}

  use(table: TableView, records: Records, refuse: (error: unknown) => void) {
    this.table = table
    this.records = records
    this.refuse = refuse
  }

  /** Makes a record. @param body of its values @param key by which it is made once, however often it is sent @throws Refusal */
  create = async (body: string, key: string): Promise<Values> => {
    const headers = { ...jsonHeaders, 'idempotency-key': key }
    const response = await send(recordsAddress(this.tableId), { method: 'POST', headers, body })
    const record = await answerOf<Values>(response)
    this.remember(record, response.headers.get('etag'))
    this.history.add({ kind: 'made', records: [record] })
    return record
  }

  /** @returns how many were there to be deleted @throws Refusal: of the part that it is about, nothing is deleted */
  async remove(keys: readonly string[]): Promise<number> {
    const deleted: Values[] = []
    try {
      for (let at = 0; at < keys.length; at += mostNamed) {
        const [name, value] = among(this.table.primaryKey, keys.slice(at, at + mostNamed))
        const query = `${encodeURIComponent(name)}=${encodeURIComponent(value)}`
        deleted.push(...(await this.byFilter('DELETE', query, { isAnswered: true })).records)
      }
    } finally {
      this.keep(deleted)
    }
    return deleted.length
  }

  /** @param isKept whether they can be brought back @returns how many @throws Refusal */
  async removeAll(query: string, isKept: boolean): Promise<number> {
    const { affected, records } = await this.byFilter('DELETE', query, { isAnswered: isKept })
    if (isKept) this.keep(records)
    else this.history.clear()
    return affected
  }

  /** @returns how many @throws Refusal */
  async changeAll(query: string, values: Values): Promise<number> {
    const { affected } = await this.byFilter('PATCH', query, { values })
    this.versions.clear()
    this.history.clear()
    return affected
  }

  private async byFilter(method: 'PATCH' | 'DELETE', query: string, { values, isAnswered }: { values?: Values; isAnswered?: boolean }) {
    const headers = { ...jsonHeaders, ...(isAnswered ? { prefer: 'return=representation' } : {}) }
    const response = await send(recordsAddress(this.tableId, query), { method, headers, body: values && JSON.stringify(values) })
    const { affected, records = [] } = await answerOf<{ affected: number; records?: Values[] }>(response)
    return { affected, records }
  }

  private keep(deleted: Values[]) {
    for (const record of deleted) this.versions.delete(this.keyOf(record))
    if (deleted.length) this.history.add({ kind: 'deleted', records: deleted })
  }

  /** Undoes a step, or does it again. */
  async turn(step: RowStep, from: Side, to: Side): Promise<RowTurn | null> {
    const isBack = (step.kind === 'deleted') === (from === 'done')
    const { done, left, failure } = isBack ? await this.bringBack(step.records) : await this.takeAway(step.records)
    // Records are kept until they are back; one that others have changed or deleted since is left to them.
    const isPassed = !isBack && failure instanceof Refusal && [404, 412].includes(failure.status)
    if (left.length && !isPassed) this.history.put(from, { ...step, records: left })
    if (done.length) this.history.put(to, { ...step, records: done })
    if (failure) this.refuse(failure)
    if (done.length === 0) return null
    if (!isBack) this.records.drop(done.map((record) => this.keyOf(record)))
    else if (step.kind === 'made') for (const record of done) this.records.append(record)
    else this.records.reset(-done.length)
    return failure ? null : { kind: isBack ? 'back' : 'away', count: done.length, isRestored: step.kind === 'deleted' }
  }

  private bringBack(records: Values[]): Promise<Done> {
    return inParts(inOrder(this.table, records), async (part) => {
      const results = await runBatch(part.map((record) => restoring(this.table, record)))
      for (const { body, etag } of results) this.remember(body, etag ?? null)
      return results.map(({ body }) => body)
    })
  }

  /** Only as they are known here: what somebody has changed since stays. */
  private takeAway(records: Values[]): Promise<Done> {
    // Those that link to others of them go first: otherwise their links would be emptied, which is a change.
    return inParts(inOrder(this.table, records).reverse(), async (part) => {
      const keys = part.map((record) => this.keyOf(record))
      await runBatch(keys.map((pk) => ({ method: 'DELETE', table: this.tableId, pk, ifMatch: this.versions.get(pk) })))
      for (const key of keys) this.versions.delete(key)
      return part
    })
  }

  private keyOf = (record: Values): string => keyOf(this.table.primaryKey, record)!

  private remember(record: Values, version: string | null) {
    if (version && this.table.primaryKey.length) this.versions.set(this.keyOf(record), version)
  }
}

/** Part by part, until one fails. */
async function inParts(records: Values[], work: (part: Values[]) => Promise<Values[]>): Promise<Done> {
  const done: Values[] = []
  for (let at = 0; at < records.length; at += mostInBatch) {
    try {
      done.push(...(await work(records.slice(at, at + mostInBatch))))
    } catch (failure) {
      return { done, left: records.slice(at), failure }
    }
  }
  return { done, left: [] }
}
