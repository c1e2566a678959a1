import type { TableView } from '../../../../../tables/model'
import { Refusal } from '../../../api/api-error'
import { send } from '../../../api/client'
import { isUnreachable, untilReachable } from '../../../api/reachability'
import { jsonHeaders, recordAddress } from '../../../api/urls'
import { mostInBatch, type Result, runBatch } from './batch'
import { answerOf, isSame, keyOf, plainText, type Values } from './cell-values'
import { type Conflict, Questions } from './conflicts'
import { PendingCells } from './pending-cells'
import type { Records } from './record-pages'
import { type RowTurn, RowWriter } from './row-mutations'
import { type Change, History, inverted, type Side, unseen } from './undo-stack'

/** What undo or redo did. */
export type Turn = { kind: 'cells' } | RowTurn

/** So often records may change under one's hands before it is given up. */
const mostAttempts = 5

/**
 * Writes what was typed: shown at once, sent with the versions of the records, and taken back when it is refused. Writes of one record go one after the other.
 */
export class Writer {
  readonly history = new History()
  private readonly versions = new Map<string, string>()
  private readonly last = new Map<string, Promise<unknown>>()

  readonly rows: RowWriter
  readonly questions = new Questions()
  readonly pending = new PendingCells(() => this.abandon())
  private turns: Promise<unknown> = Promise.resolve()
  private isAbandoned = false

  private records!: Records
  private refuse: ((error: unknown) => void) | null = null
  private refused: unknown = null

  constructor(private readonly tableId: string) {
    this.rows = new RowWriter(tableId, this.versions, this.history)
  }

  /** The table as it is now, and the list that is shown. */
  use(table: TableView, records: Records) {
    this.records = records
    this.pending.use(records)
    this.rows.use(table, records, this.tell)
  }

  /** The table is looked at. @param refuse told of what could not be written, also while nobody looked @returns to be called when it no longer is */
  attend(refuse: (error: unknown) => void): () => void {
    this.refuse = refuse
    if (this.refused) refuse(this.refused)
    this.refused = null
    return () => {
      this.refuse = null
    }
  }

  private readonly tell = (error: unknown) => {
    if (this.refuse) this.refuse(error)
    else this.refused = error
  }

  /** Whether something is not written yet. */
  get isBusy(): boolean {
    return !this.pending.isEmpty
  }

  private abandon() {
    this.isAbandoned = true
    this.pending.clear()
  }

  /** The list that is shown now. */
  get list(): Records {
    return this.records
  }

  /**
   * A record that has been made: the row that was begun is it now.
   * @param list in which it was begun; another one may have been read before the record was there, or after it
   * @param later what was typed while it was being made
   */
  append(record: Values, list: Records, later: Values) {
    if (this.records === list) list.append(record)
    else this.records.reread()
    const key = keyOf(this.records.source.primaryKey, record)
    const changes = Object.entries(later).map(([column, after]) => ({ key: key!, column, before: record[column], after }))
    if (key) void this.write(changes)
  }

  /** Asks for the version of a record that will probably be written, so that writing need not wait. */
  async prepare(key: string) {
    if (!this.versions.has(key)) await this.readNow([key]).catch(() => {})
  }

  /** @returns what stands now as it was to be; null when nothing was written */
  async write(changes: Change[], isKept = true): Promise<Change[] | null> {
    const real = changes.filter(({ before, after }) => !isSame(before, after))
    if (real.length === 0) return changes
    for (const [key, values] of byRecord(real)) this.pending.show(key, values)
    const written = await this.inTurn(real, () => this.writeNow(real))
    if (written.length && isKept) this.history.add({ kind: 'cells', changes: written })
    return written.length ? [...changes.filter((change) => !real.includes(change)), ...written] : null
  }

  undo = (): Promise<Turn | null> => this.turn('done', 'undone')
  redo = (): Promise<Turn | null> => this.turn('undone', 'done')

  /** One after the other, however fast the keys are pressed. */
  private turn(from: Side, to: Side): Promise<Turn | null> {
    const turn = this.turns.then(async () => {
      const step = this.history.take(from)
      if (!step) return null
      return step.kind === 'cells' ? this.turnCells(step.changes, from, to) : this.rows.turn(step, from, to)
    })
    this.turns = turn.catch(() => {})
    return turn
  }

  /** What could not be taken back is forgotten: somebody else has gone on from there. */
  private async turnCells(changes: Change[], from: Side, to: Side): Promise<Turn | null> {
    const isBack = from === 'done'
    const written = await this.write(isBack ? changes.map(inverted) : changes, false)
    if (!written) return null
    this.history.put(to, { kind: 'cells', changes: isBack ? written.map(inverted) : written })
    return { kind: 'cells' }
  }

  private inTurn<T>(changes: Change[], work: () => Promise<T>): Promise<T> {
    const keys = [...new Set(changes.map(({ key }) => key))]
    const turn = Promise.allSettled(keys.map((key) => this.last.get(key))).then(work)
    for (const key of keys) this.last.set(key, turn)
    return turn
  }

  /** @returns what was written; what was not is no longer shown */
  private async writeNow(changes: Change[]): Promise<Change[]> {
    const written: Change[] = []
    let left = changes
    try {
      for (let attempt = 0; attempt < mostAttempts && left.length; attempt++) {
        left = await this.settle(left)
        left = await this.send(left, written)
      }
      if (left.length) throw new TypeError('The records change too often.')
    } catch (error) {
      this.takeBack(
        changes.filter((change) => !written.includes(change)),
        error,
      )
    }
    return written
  }

  /** Where somebody has changed the same cells, the user chooses. @returns what is still to be written */
  private async settle(changes: Change[]): Promise<Change[]> {
    const keys = [...byRecord(changes).keys()]
    const read = await this.read(keys.filter((key) => !this.versions.has(key) || !this.records.find(key)))
    const conflicts = changes.flatMap((change): (Conflict & { change: Change })[] => {
      const { key, column, before, after } = change
      const record = read.get(key) ?? this.records.find(key)!.record
      const theirs = record[column]
      if (before === unseen) change.before = theirs
      const isAgreed = before === unseen || isSame(theirs, before) || plainText(theirs) === plainText(after)
      return isAgreed ? [] : [{ change, key, record, column, mine: after, theirs }]
    })
    if (conflicts.length === 0) return changes
    const choices = await this.questions.ask(conflicts)
    // What was chosen against is what an undo goes back to, and no reason to ask again.
    for (const { change, theirs } of conflicts) change.before = theirs
    const given = new Set(conflicts.filter((_conflict, index) => choices[index] === 'theirs').map(({ change }) => change))
    for (const [key, values] of byRecord([...given])) this.pending.hide(key, Object.keys(values))
    return changes.filter((change) => !given.has(change))
  }

  /** @param written takes what was @returns what was not, since records have another version by now */
  private async send(changes: Change[], written: Change[]): Promise<Change[]> {
    const all = [...byRecord(changes)]
    const stale: Change[] = []
    for (let at = 0; at < all.length; at += mostInBatch) {
      const part = all.slice(at, at + mostInBatch)
      const keys = new Set(part.map(([key]) => key))
      const sent = changes.filter(({ key }) => keys.has(key))
      try {
        for (const [index, { body, etag }] of (await this.reach([...keys], () => this.patch(part))).entries()) {
          const [key, values] = part[index]!
          this.learn(key, body, etag, Object.keys(values))
          agree(sent, key, body)
        }
        written.push(...sent)
      } catch (error) {
        if (!(error instanceof Refusal && error.status === 412)) throw error
        for (const key of keys) this.versions.delete(key)
        stale.push(...sent)
      }
    }
    return stale
  }

  private async patch(part: [key: string, values: Values][]): Promise<Result[]> {
    const [first] = part
    if (part.length > 1 || !first)
      return runBatch(part.map(([pk, body]) => ({ method: 'PATCH', table: this.tableId, pk, ifMatch: this.versions.get(pk), body })))
    const [key, values] = first
    const headers = { ...jsonHeaders, 'if-match': this.versions.get(key) ?? '*' }
    const response = await send(recordAddress(this.tableId, key), { method: 'PATCH', headers, body: JSON.stringify(values) })
    return [{ body: await answerOf<Values>(response), etag: response.headers.get('etag') ?? undefined }]
  }

  /** Again and again until the service can be reached. */
  private async reach<T>(keys: string[], call: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await call()
      } catch (error) {
        if (!isUnreachable(error) || this.isAbandoned) throw error
        this.pending.mark(keys, true)
        await untilReachable()
      } finally {
        if (!this.isAbandoned) this.pending.mark(keys, false)
      }
    }
  }

  private read = (keys: string[]) => this.reach(keys, () => this.readNow(keys))

  /** Records as they are now, with their versions. */
  private async readNow(keys: string[]): Promise<Map<string, Values>> {
    const read = new Map<string, Values>()
    const learn = (key: string, record: Values, etag?: string) => {
      read.set(key, record)
      this.learn(key, record, etag, [])
    }
    if (keys.length === 1) {
      const response = await send(recordAddress(this.tableId, keys[0]!))
      learn(keys[0]!, await answerOf<Values>(response), response.headers.get('etag') ?? undefined)
    } else
      for (let at = 0; at < keys.length; at += mostInBatch) {
        const part = keys.slice(at, at + mostInBatch)
        // A change of nothing is answered by the record and its version, which lists do not have.
        const results = await runBatch(part.map((pk) => ({ method: 'PATCH', table: this.tableId, pk, body: {} })))
        for (const [index, { body, etag }] of results.entries()) learn(part[index]!, body, etag)
      }
    return read
  }

  private learn(key: string, record: Values, version: string | undefined, written: string[]) {
    if (version) this.versions.set(key, version)
    this.pending.learn(key, record, written)
  }

  /** Of several records one was refused: its cells say why. */
  private takeBack(changes: Change[], error: unknown) {
    const all = [...byRecord(changes)]
    const failed = error instanceof Refusal ? (all.length === 1 ? all[0]![0] : error.body.details?.pk) : undefined
    for (const [key, values] of all) {
      const names = Object.keys(values)
      this.pending.hide(key, names)
      if (key === failed) this.blame(key, names, error as Refusal)
    }
    if (!this.isAbandoned) this.tell(error)
  }

  private blame(key: string, names: string[], refusal: Refusal) {
    const named = names.filter((name) => refusal.problemOf(name))
    const words = (name: string) => refusal.problemOf(name) ?? refusal.message
    const problems = Object.fromEntries((named.length ? named : names).map((name) => [name, words(name)]))
    this.pending.blame(key, problems)
  }
}

/** The service may write a value otherwise than it was typed ("5" as 5.00): that is what an undo finds. */
function agree(changes: Change[], key: string, record: Values) {
  for (const change of changes) if (change.key === key && change.column in record) change.after = record[change.column]
}

/** What is to stand in the cells of each record. */
function byRecord(changes: Change[]): Map<string, Values> {
  const all = new Map<string, Values>()
  for (const { key, column, after } of changes) all.set(key, { ...all.get(key), [column]: after ?? null })
  return all
}
