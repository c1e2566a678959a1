import { keyOf, type Values } from './cell-values'
import type { DraftRow } from './draft-row'
import { forgetBeginning, type Part, pageSize, readBeginning, readPart, takeBeginning } from './first-page'
import type { PendingCells } from './pending-cells'

/** One record as the grid has it. `pending` is what was typed and has not been answered, `problems` what the service said of it, by column. */
export type Row = {
  key: string | null
  record: Values
  pending?: Values
  problems?: Record<string, string>
  /** Not made yet: it is when its row is left. */
  isDraft?: boolean
  /** What is pending waits until the service can be reached. */
  isUnsent?: boolean
}

export type Count = { value: number; isExact: boolean }

type Source = { tableId: string; primaryKey: string[]; query: string }

/** The first records are drawn before it is asked how many there are exactly, which may be work. */
const countPauseMs = 100
/** What is kept of a long list: enough to go back and forth without asking anew. */
const mostPages = 80

/**
 * A list of any length of which the parts are fetched that are looked at. A page behind one that is known is read by its cursor;
 * after a jump the first one is read by its offset.
 */
export class Records {
  version = 0
  count: Count | null = null
  /** Why the first page, or one that is looked at, could not be read. */
  failure: unknown = null
  isLoaded = false
  /** Records that were made here: they stay at the end until the list is read anew. The row that was begun stands behind them. */
  appended: Row[] = []
  private readonly pages = new Map<number, { rows: Row[]; nextCursor: string | null; usedAt: number }>()
  private readonly underWay = new Map<number, AbortController>()
  private readonly listeners = new Set<() => void>()
  private uses = 0
  private looked: [first: number, last: number] = [0, 60]

  /** @param known the beginning, if it has been read already */
  constructor(
    readonly source: Source,
    readonly draftRow: DraftRow,
    private readonly pending: PendingCells,
    known?: Part,
  ) {
    if (known) this.keep(0, known)
  }

  readonly subscribe = (listener: () => void) => {
    this.listeners.add(listener)
    return () => void this.listeners.delete(listener)
  }

  /** Rows: records, and the one that was begun. */
  get length(): number {
    return this.recordCount + (this.draft ? 1 : 0)
  }

  get recordCount(): number {
    return (this.count?.value ?? 0) + this.appended.length
  }

  rowAt(index: number): Row | undefined {
    const listed = this.count?.value ?? 0
    if (index >= listed) return this.appended[index - listed] ?? (index === this.recordCount ? this.draft : undefined)
    return this.pages.get(Math.floor(index / pageSize))?.rows[index % pageSize]
  }

  /** The number of a record, if it is among those that are known. */
  indexOf(key: string): number {
    for (const [page, { rows }] of this.pages) {
      const at = rows.findIndex((row) => row.key === key)
      if (at >= 0) return page * pageSize + at
    }
    const at = this.appended.findIndex((row) => row.key === key)
    return at < 0 ? -1 : (this.count?.value ?? 0) + at
  }

  find(key: string): Row | undefined {
    const index = this.indexOf(key)
    return index < 0 ? undefined : this.rowAt(index)
  }

  /** Puts a record in the place of what is shown of it. */
  change(key: string, change: (row: Row) => Row) {
    const changed = (row: Row) => (row.key === key ? change(row) : row)
    for (const page of this.pages.values()) if (page.rows.some((row) => row.key === key)) page.rows = page.rows.map(changed)
    this.appended = this.appended.map(changed)
    this.tell()
  }

  /** A record that has been made. */
  append(record: Values) {
    this.appended = [...this.appended, this.rowOf(record)]
    this.tell()
  }

  /** The row of a record that is yet to be made is the last one. */
  get draft(): Row | undefined {
    return this.draftRow.row ?? undefined
  }

  /** @param draft null takes it away */
  setDraft(draft: Pick<Row, 'pending' | 'problems'> | null) {
    this.draftRow.set(draft)
    this.tell()
  }

  /** Reads everything anew, also what is on its way. */
  reread() {
    const { tableId, query } = this.source
    this.reset()
    forgetBeginning(tableId, query)
    // Not by way of what was asked for ahead, which may be on its way, and older.
    if (!this.isLoaded) void this.load(0, () => readBeginning(tableId, query))
  }

  /** Records that are gone. Those that were made here leave the others where they are. */
  drop(keys: readonly string[]) {
    const gone = new Set(keys)
    const { length } = this.appended
    this.appended = this.appended.filter(({ key }) => key === null || !gone.has(key))
    const others = keys.length - (length - this.appended.length)
    if (others > 0) this.reset(others)
    else this.tell()
  }

  /** Forgets what was read, and keeps its length, so that nothing jumps until it is read again. */
  reset(gone = 0) {
    for (const request of this.underWay.values()) request.abort()
    this.underWay.clear()
    this.pages.clear()
    const length = Math.max(0, this.recordCount - gone)
    if (this.count) this.count = { value: length, isExact: this.count.isExact }
    this.appended = []
    this.failure = null
    this.tell()
    void this.countExactly()
    this.look(...this.looked)
  }

  /** The first look: a page, and about how many there are; then how many exactly. */
  async open(): Promise<void> {
    this.failure = null
    const { tableId, query } = this.source
    if (this.isLoaded) forgetBeginning(tableId, query)
    else await this.load(0, () => takeBeginning(tableId, query))
    if (!this.isLoaded || this.count?.isExact) return
    await new Promise((drawn) => setTimeout(drawn, countPauseMs))
    await this.countExactly()
  }

  /** Sees to it that these rows are there, or on their way; what is no longer looked at is not waited for. */
  look(first: number, last: number) {
    this.looked = [first, last]
    if (!this.isLoaded) return
    const [from, to] = [first, Math.min(last, (this.count?.value ?? 0) - 1)].map((index) => Math.floor(Math.max(0, index) / pageSize))
    for (const [page, request] of this.underWay) if (page < from! - 1 || page > to! + 1) request.abort()
    for (let page = from!; page <= to!; page++) {
      const known = this.pages.get(page)
      if (known) known.usedAt = ++this.uses
      // The next one goes on behind it: it is asked for when this one is there.
      else if (!this.underWay.has(page - 1)) void this.load(page).then((isRead) => isRead && this.look(first, last))
    }
  }

  /** All records from one number to another, for the clipboard. */
  async range(first: number, last: number): Promise<Row[]> {
    for (let page = Math.floor(first / pageSize); page <= Math.floor(last / pageSize); page++) {
      if (page * pageSize < (this.count?.value ?? 0) && !this.pages.has(page)) await this.load(page)
    }
    return Array.from({ length: last - first + 1 }, (_, at) => this.rowAt(first + at)).filter((row) => row !== undefined)
  }

  private async load(page: number, ask?: () => Promise<Part>): Promise<boolean> {
    if (this.underWay.has(page)) return false
    const request = new AbortController()
    this.underWay.set(page, request)
    try {
      const before = this.pages.get(page - 1)
      const cursor = before?.nextCursor ? `cursor=${encodeURIComponent(before.nextCursor)}` : page ? `offset=${page * pageSize}` : ''
      const part = await (ask?.() ?? this.ask([`limit=${pageSize}`, cursor], request.signal))
      if (request.signal.aborted) return false
      this.keep(page, part)
      return true
    } catch (error) {
      if (request.signal.aborted) return false
      this.failure = error
      return false
    } finally {
      if (this.underWay.get(page) === request) this.underWay.delete(page)
      if (!request.signal.aborted) this.tell()
    }
  }

  private keep(page: number, { records, nextCursor, totalCount }: Part) {
    const rows = records.map((record) => this.rowOf(record))
    this.pages.set(page, { rows, nextCursor, usedAt: ++this.uses })
    this.isLoaded = true
    this.failure = null
    const end = page * pageSize + rows.length
    // A short page is the last one: then the end is known, whatever was estimated.
    if (rows.length < pageSize && (rows.length > 0 || page === 0)) this.count = { value: end, isExact: true }
    else if (totalCount !== undefined) this.count = { value: Math.max(totalCount, end), isExact: false }
    else if (this.count && this.count.value < end) this.count = { value: end, isExact: false }
    this.forgetOldest()
  }

  private rowOf(record: Values): Row {
    const key = keyOf(this.source.primaryKey, record)
    return { key, record, ...this.pending.of(key) }
  }

  private forgetOldest() {
    if (this.pages.size <= mostPages) return
    const isHeld = ({ rows }: { rows: Row[] }) => rows.some(({ pending, problems }) => pending || problems)
    const oldest = [...this.pages].filter(([, page]) => !isHeld(page)).sort(([, one], [, other]) => one.usedAt - other.usedAt)
    if (oldest[0]) this.pages.delete(oldest[0][0])
  }

  private async countExactly() {
    try {
      const { totalCount } = await this.ask(['limit=1', 'count=exact'])
      if (totalCount !== undefined) this.count = { value: Math.max(0, totalCount - this.appended.length), isExact: true }
      this.tell()
    } catch {
      // The estimate stands: counting may take longer than the service allows.
    }
  }

  private ask(parts: string[], signal?: AbortSignal): Promise<Part> {
    return readPart(this.source.tableId, [this.source.query, ...parts], signal)
  }

  /** Something of it is shown otherwise now. */
  tell() {
    this.version++
    for (const listener of this.listeners) listener()
  }
}
