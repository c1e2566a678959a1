import { type RecordValues, recordKey } from './cell-values'
import type { DraftRow } from './draft-row'
import { fetchFirstPage, fetchPage, type ListPage, pageSize, removeFirstPage, takeFirstPage } from './first-page'
import type { PendingCells } from './pending-cells'

/** One record in the grid. `pending` holds unconfirmed values, `errors` the service's messages by column. */
export type Row = {
  key: string | null
  record: RecordValues
  pending?: RecordValues
  errors?: Record<string, string>
  /** Not created yet; it is created when the focus leaves the row. */
  isDraft?: boolean
  /** Whether `pending` waits until the service can be reached. */
  isUnsent?: boolean
}

export type RowCount = { value: number; isExact: boolean }

type Source = { tableId: string; primaryKey: string[]; query: string }

/** The exact count may be expensive, so it is fetched after the first render. */
const exactCountDelayMs = 100
/** The maximum number of cached pages. */
const maxPages = 80

/**
 * A list of any length, fetched in pages as they become visible. A page after a cached one is fetched by cursor; after
 * a jump, the first one is fetched by offset.
 */
export class RecordPages {
  version = 0
  count: RowCount | null = null
  /** The error of the first page or of a visible page. */
  error: unknown = null
  isLoaded = false
  /**
   * Records that were created here. They stay at the end until the list is fetched again. The draft row follows them.
   */
  appended: Row[] = []
  private readonly pages = new Map<number, { rows: Row[]; nextCursor: string | null; usedAt: number }>()
  private readonly requests = new Map<number, AbortController>()
  private readonly listeners = new Set<() => void>()
  private uses = 0
  private visibleRange: [first: number, last: number] = [0, 60]

  /** @param firstPage the prefetched first page */
  constructor(
    readonly source: Source,
    readonly draftRow: DraftRow,
    private readonly pending: PendingCells,
    firstPage?: ListPage,
  ) {
    if (firstPage) this.storePage(0, firstPage)
  }

  readonly subscribe = (listener: () => void) => {
    this.listeners.add(listener)
    return () => void this.listeners.delete(listener)
  }

  /** The number of rows, including the draft row. */
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

  /** The index of a record, or -1 if it is not cached. */
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

  /** Replaces the row of a record. */
  change(key: string, change: (row: Row) => Row) {
    const changed = (row: Row) => (row.key === key ? change(row) : row)
    for (const page of this.pages.values()) if (page.rows.some((row) => row.key === key)) page.rows = page.rows.map(changed)
    this.appended = this.appended.map(changed)
    this.notify()
  }

  /** Adds a created record. */
  append(record: RecordValues) {
    this.appended = [...this.appended, this.toRow(record)]
    this.notify()
  }

  /** The draft row is the last row. */
  get draft(): Row | undefined {
    return this.draftRow.row ?? undefined
  }

  /** @param draft null removes the draft row */
  setDraft(draft: Pick<Row, 'pending' | 'errors'> | null) {
    this.draftRow.set(draft)
    this.notify()
  }

  /** Fetches everything again and cancels pending requests. */
  reload() {
    const { tableId, query } = this.source
    this.reset()
    removeFirstPage(tableId, query)
    // Not the prefetched page, which may be outdated.
    if (!this.isLoaded) void this.load(0, () => fetchFirstPage(tableId, query))
  }

  /** Removes deleted records. Removing appended records does not reset the list. */
  removeRows(keys: readonly string[]) {
    const gone = new Set(keys)
    const { length } = this.appended
    this.appended = this.appended.filter(({ key }) => key === null || !gone.has(key))
    const others = keys.length - (length - this.appended.length)
    if (others > 0) this.reset(others)
    else this.notify()
  }

  /** Clears the pages and keeps the length, so that the grid does not jump while they are fetched again. */
  reset(gone = 0) {
    for (const request of this.requests.values()) request.abort()
    this.requests.clear()
    this.pages.clear()
    const length = Math.max(0, this.recordCount - gone)
    if (this.count) this.count = { value: length, isExact: this.count.isExact }
    this.appended = []
    this.error = null
    this.notify()
    void this.fetchExactCount()
    this.setVisibleRange(...this.visibleRange)
  }

  /** Fetches the first page with the estimated count, then the exact count. */
  async open(): Promise<void> {
    this.error = null
    const { tableId, query } = this.source
    if (this.isLoaded) removeFirstPage(tableId, query)
    else await this.load(0, () => takeFirstPage(tableId, query))
    if (!this.isLoaded || this.count?.isExact) return
    await new Promise((drawn) => setTimeout(drawn, exactCountDelayMs))
    await this.fetchExactCount()
  }

  /** Fetches the pages of these rows and cancels requests for other pages. */
  setVisibleRange(first: number, last: number) {
    this.visibleRange = [first, last]
    if (!this.isLoaded) return
    const [from, to] = [first, Math.min(last, (this.count?.value ?? 0) - 1)].map((index) => Math.floor(Math.max(0, index) / pageSize))
    for (const [page, request] of this.requests) if (page < from! - 1 || page > to! + 1) request.abort()
    for (let page = from!; page <= to!; page++) {
      const cached = this.pages.get(page)
      if (cached) cached.usedAt = ++this.uses
      // The next page needs this page's cursor, so it is fetched afterwards.
      else if (!this.requests.has(page - 1)) void this.load(page).then((isRead) => isRead && this.setVisibleRange(first, last))
    }
  }

  /** All rows of a range, for the clipboard. */
  async range(first: number, last: number): Promise<Row[]> {
    for (let page = Math.floor(first / pageSize); page <= Math.floor(last / pageSize); page++) {
      if (page * pageSize < (this.count?.value ?? 0) && !this.pages.has(page)) await this.load(page)
    }
    return Array.from({ length: last - first + 1 }, (_, at) => this.rowAt(first + at)).filter((row) => row !== undefined)
  }

  private async load(page: number, fetchFirst?: () => Promise<ListPage>): Promise<boolean> {
    if (this.requests.has(page)) return false
    const request = new AbortController()
    this.requests.set(page, request)
    try {
      const previous = this.pages.get(page - 1)
      const cursor = previous?.nextCursor ? `cursor=${encodeURIComponent(previous.nextCursor)}` : page ? `offset=${page * pageSize}` : ''
      const listPage = await (fetchFirst?.() ?? this.request([`limit=${pageSize}`, cursor], request.signal))
      if (request.signal.aborted) return false
      this.storePage(page, listPage)
      return true
    } catch (error) {
      if (request.signal.aborted) return false
      this.error = error
      return false
    } finally {
      if (this.requests.get(page) === request) this.requests.delete(page)
      if (!request.signal.aborted) this.notify()
    }
  }

  private storePage(page: number, { records, nextCursor, totalCount }: ListPage) {
    const rows = records.map((record) => this.toRow(record))
    this.pages.set(page, { rows, nextCursor, usedAt: ++this.uses })
    this.isLoaded = true
    this.error = null
    const end = page * pageSize + rows.length
    // A short page is the last one, so it determines the exact count.
    if (rows.length < pageSize && (rows.length > 0 || page === 0)) this.count = { value: end, isExact: true }
    else if (totalCount !== undefined) this.count = { value: Math.max(totalCount, end), isExact: false }
    else if (this.count && this.count.value < end) this.count = { value: end, isExact: false }
    this.evictOldest()
  }

  private toRow(record: RecordValues): Row {
    const key = recordKey(this.source.primaryKey, record)
    return { key, record, ...this.pending.pendingOf(key) }
  }

  private evictOldest() {
    if (this.pages.size <= maxPages) return
    const isHeld = ({ rows }: { rows: Row[] }) => rows.some(({ pending, errors }) => pending || errors)
    const oldest = [...this.pages].filter(([, page]) => !isHeld(page)).sort(([, one], [, other]) => one.usedAt - other.usedAt)
    if (oldest[0]) this.pages.delete(oldest[0][0])
  }

  private async fetchExactCount() {
    try {
      const { totalCount } = await this.request(['limit=1', 'count=exact'])
      if (totalCount !== undefined) this.count = { value: Math.max(0, totalCount - this.appended.length), isExact: true }
      this.notify()
    } catch {
      // Keep the estimate: an exact count may exceed the service's time limit.
    }
  }

  private request(parameters: string[], signal?: AbortSignal): Promise<ListPage> {
    return fetchPage(this.source.tableId, [this.source.query, ...parameters], signal)
  }

  /** Notifies the grid of a change. */
  notify() {
    this.version++
    for (const listener of this.listeners) listener()
  }
}
