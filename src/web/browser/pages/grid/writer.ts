import type { TableView } from '../../../../tables/model'
import { send } from '../../api'
import { jsonHeaders, recordAddress } from '../../record-address'
import { Refusal } from '../../refusal'
import { mostInBatch, runBatch } from './batch'
import { type Change, History, type Side } from './history'
import type { Records } from './records'
import { type RowTurn, RowWriter } from './row-writer'
import { answerOf, isSame, keyOf, type Values } from './values'

/** Somebody else has changed the same cell in the meantime. */
export type Conflict = { key: string; column: string; mine: unknown; theirs: unknown }

export type Asked = {
  choose: (conflict: Conflict) => Promise<'mine' | 'theirs'>
  refuse: (error: unknown) => void
}

/** What undo or redo did. */
export type Turn = { kind: 'cells' } | RowTurn

/** So often a record may change under one's hands before it is given up. */
const mostAttempts = 5

/**
 * Writes what was typed: shown at once, sent with the version of the record, and taken back when it is refused. Writes of one record go one after the other.
 */
export class Writer {
  readonly history = new History()
  private readonly versions = new Map<string, string>()
  private readonly last = new Map<string, Promise<unknown>>()

  readonly rows: RowWriter
  private turns: Promise<unknown> = Promise.resolve()

  private records!: Records
  private asked!: Asked

  constructor(private readonly tableId: string) {
    this.rows = new RowWriter(tableId, this.versions, this.history)
  }

  /** The table as it is now, the list that is shown, and who answers when something has to be asked. */
  use(table: TableView, records: Records, asked: Asked) {
    this.records = records
    this.asked = asked
    this.rows.use(table, records, asked.refuse)
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

  /** The list that is shown now. */
  get list(): Records {
    return this.records
  }

  /** Asks for the version of a record that will probably be written, so that writing need not wait. */
  async prepare(key: string) {
    if (!this.versions.has(key)) await this.read(key).catch(() => {})
  }

  /** @returns whether all of it was written */
  async write(changes: Change[], isKept = true): Promise<boolean> {
    const real = changes.filter(({ before, after }) => !isSame(before, after))
    if (real.length === 0) return true
    for (const [key, values] of byRecord(real, 'after')) this.show(key, values)
    const isWritten = await this.inTurn(real, () => (byRecord(real, 'after').size === 1 ? this.writeOne(real) : this.writeAll(real)))
    if (isWritten && isKept) this.history.add({ kind: 'cells', changes: real })
    return isWritten
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
    const wanted = from === 'undone' ? changes : changes.map(({ before, after, ...rest }) => ({ ...rest, before: after, after: before }))
    if (!(await this.write(wanted, false))) return null
    this.history.put(to, { kind: 'cells', changes })
    return { kind: 'cells' }
  }

  private inTurn<T>(changes: Change[], work: () => Promise<T>): Promise<T> {
    const keys = [...new Set(changes.map(({ key }) => key))]
    const turn = Promise.allSettled(keys.map((key) => this.last.get(key))).then(work)
    for (const key of keys) this.last.set(key, turn)
    return turn
  }

  private async writeOne(changes: Change[]): Promise<boolean> {
    const { key } = changes[0]!
    let values = byRecord(changes, 'after').get(key)!
    try {
      for (let attempt = 0; attempt < mostAttempts; attempt++) {
        const agreed = await this.settle(key, changes, values)
        if (Object.keys(agreed).length === 0) {
          this.hide(key, values)
          return false
        }
        values = agreed
        const response = await this.patch(key, values)
        if (response.status === 412) this.versions.delete(key)
        else {
          const record = await answerOf<Values>(response)
          this.learn(key, record, response.headers.get('etag'), Object.keys(values))
          agree(changes, key, record)
          return true
        }
      }
      throw new TypeError('The record changes too often.')
    } catch (error) {
      this.takeBack(key, byRecord(changes, 'after').get(key)!, error)
      return false
    }
  }

  /** Where somebody has changed the same cells, the user chooses. @returns what is still to be written */
  private async settle(key: string, changes: Change[], values: Values): Promise<Values> {
    const known = this.versions.has(key) ? this.records.find(key)?.record : undefined
    const fresh = known ?? (await this.read(key))
    const agreed = { ...values }
    for (const change of changes.filter(({ column }) => column in agreed)) {
      const theirs = fresh[change.column]
      if (isSame(theirs, change.before) || isSame(theirs, change.after)) continue
      const choice = await this.asked.choose({ key, column: change.column, mine: change.after, theirs })
      // What was chosen against is what an undo goes back to, and no reason to ask again.
      change.before = theirs
      if (choice === 'theirs') {
        delete agreed[change.column]
        this.hide(key, { [change.column]: null })
      }
    }
    return agreed
  }

  private async writeAll(changes: Change[]): Promise<boolean> {
    const all = [...byRecord(changes, 'after')]
    try {
      for (let at = 0; at < all.length; at += mostInBatch) {
        const part = all.slice(at, at + mostInBatch)
        const results = await runBatch(
          part.map(([key, body]) => ({ method: 'PATCH', table: this.tableId, pk: key, ifMatch: this.versions.get(key), body })),
        )
        for (const [index, [key, values]] of part.entries()) {
          const { body, etag } = results[index]!
          this.learn(key, body, etag ?? null, Object.keys(values))
          agree(changes, key, body)
        }
      }
      return true
    } catch (error) {
      const failed = error instanceof Refusal ? Number(error.body.details?.index ?? -1) : -1
      for (const [index, [key, values]] of all.entries())
        index === failed ? this.takeBack(key, values, error, false) : this.hide(key, values)
      if (error instanceof Refusal && error.status === 412) for (const [key] of all) this.versions.delete(key)
      this.asked.refuse(error)
      return false
    }
  }

  private async read(key: string): Promise<Values> {
    const response = await send(recordAddress(this.tableId, key))
    const record = await answerOf<Values>(response)
    this.learn(key, record, response.headers.get('etag'), [])
    return record
  }

  private patch(key: string, values: Values): Promise<Response> {
    const version = this.versions.get(key)
    const headers = { ...jsonHeaders, ...(version ? { 'if-match': version } : {}) }
    return send(recordAddress(this.tableId, key), { method: 'PATCH', headers, body: JSON.stringify(values) })
  }

  private show(key: string, values: Values) {
    this.records.change(key, (row) => ({
      ...row,
      pending: { ...row.pending, ...values },
      problems: without(row.problems, Object.keys(values)),
    }))
  }

  private hide(key: string, values: Values) {
    this.records.change(key, (row) => ({ ...row, pending: without(row.pending, Object.keys(values)) }))
  }

  private learn(key: string, record: Values, version: string | null, written: string[]) {
    if (version) this.versions.set(key, version)
    this.records.change(key, (row) => ({ ...row, record, pending: without(row.pending, written) }))
  }

  private takeBack(key: string, values: Values, error: unknown, isTold = true) {
    const names = Object.keys(values)
    const named = names.filter((name) => error instanceof Refusal && error.problemOf(name))
    const words = (name: string) => (error instanceof Refusal ? (error.problemOf(name) ?? error.message) : '')
    const problems = Object.fromEntries((named.length ? named : names).map((name) => [name, words(name)]).filter(([, text]) => text))
    this.records.change(key, (row) => ({
      ...row,
      pending: without(row.pending, names),
      problems: { ...row.problems, ...problems },
    }))
    if (isTold) this.asked.refuse(error)
  }
}

/** The service may write a value otherwise than it was typed ("5" as 5.00): that is what an undo finds. */
function agree(changes: Change[], key: string, record: Values) {
  for (const change of changes) if (change.key === key && change.column in record) change.after = record[change.column]
}

/** @returns nothing instead of an empty object, so that a row can be asked whether there is any */
function without<T>(values: Record<string, T> | undefined, names: string[]): Record<string, T> | undefined {
  const left = Object.entries(values ?? {}).filter(([name]) => !names.includes(name))
  return left.length ? Object.fromEntries(left) : undefined
}

function byRecord(changes: Change[], side: 'before' | 'after'): Map<string, Values> {
  const all = new Map<string, Values>()
  for (const { key, column, [side]: value } of changes) all.set(key, { ...all.get(key), [column]: value ?? null })
  return all
}
