import { QueriesObserver } from '@tanstack/react-query'
import { queryClient } from '../../api/queries'
import { countExactly, type ExactCount } from '../list/exact-count'
import { cachedFirstPage, fetchPage, type ListPage, pageSize, removeFirstPage, takeFirstPage } from '../list/first-page'
import { isSameValue, type RecordValues, recordKey } from '../values/cell-values'
import type { DraftRows } from './draft-rows'
import type { PendingCells, RefusedTexts } from './pending-cells'

/** One record in the grid. `pending` holds unconfirmed values, `errors` the service's messages by column. */
export type DisplayedRow = {
  key: string | null
  record: RecordValues
  pending?: RecordValues
  errors?: Record<string, string>
  /** Typed or pasted texts that are not valid values. */
  refused?: RefusedTexts
  /** Not created yet; it is created when the focus leaves the row. Without `pending` it is the empty row for typing. */
  isDraft?: boolean
  /** Whether `pending` waits until the service can be reached. */
  isUnsent?: boolean
}

export type RowCount = { value: number; isExact: boolean }

/** The records that were written here before a request, by key. */
export type WrittenRecords = ReadonlyMap<string, RecordValues>

type Source = { tableId: string; primaryKey: string[]; query: string }

/** The exact count may be expensive, so it is fetched after the first render. */
const exactCountDelayMs = 100
/** The time that invisible pages stay in memory. */
const gcTimeMs = 30_000

let lists = 0

/**
 * A list of any length, fetched in pages as they become visible. Each page is a query. A page after a cached one is
 * fetched by cursor; after a jump, the first one is fetched by offset.
 */
export class RecordPages {
  readonly id = ++lists
  version = 0
  /** The number of record changes that this list has received. */
  changes = 0
  /** How often the list was cleared: the response to an earlier request is not shown. */
  generation = 0
  /** How often a record got a new key: the response to an earlier request contains the old one. */
  renames = 0
  count: RowCount | null
  private readonly queryKey = ['record-pages', this.id]
  private readonly observer = new QueriesObserver(queryClient, [])
  /** Records that were created here. They stay at the end until the list is fetched again. */
  private appended: RecordValues[] = []
  /** The index at which a record was fetched, by key. */
  private readonly indexes = new Map<string, number>()
  /** Records that were written since their page was fetched. */
  private readonly newer = new Map<string, RecordValues>()
  private readonly rows = new WeakMap<RecordValues, DisplayedRow>()
  private readonly errors = new Map<string, Record<string, string>>()
  private readonly listeners = new Set<() => void>()
  private readonly renameListeners = new Set<(key: string, now: string) => void>()
  /** The number of pending exact counts. */
  counting = 0
  private visibleRange: [first: number, last: number] = [0, 60]
  private visiblePages: number[] = []

  constructor(
    readonly source: Source,
    readonly drafts: DraftRows,
    private readonly pending: PendingCells,
    /** The count of the same list before its columns changed, so that the grid does not jump. */
    count: RowCount | null = null,
  ) {
    this.count = count
    const firstPage = cachedFirstPage(source.tableId, source.query)
    if (firstPage) queryClient.setQueryData([...this.queryKey, 0], this.addPage(0, firstPage))
  }

  readonly subscribe = (listener: () => void) => {
    this.listeners.add(listener)
    return () => void this.listeners.delete(listener)
  }

  /** The number of rows, including the draft rows. */
  get length(): number {
    return this.recordCount + (this.isLoaded || this.drafts.isUnsaved ? this.drafts.rows.length : 0)
  }

  get recordCount(): number {
    return (this.count?.value ?? 0) + this.appended.length
  }

  /** The count with the records that were created here, for a list that replaces this one. */
  get total(): RowCount | null {
    return this.count && { ...this.count, value: this.recordCount }
  }

  get isLoaded(): boolean {
    return this.count !== null
  }

  /** The error of a visible page. */
  get error(): unknown {
    return this.observer.getCurrentResult().find(({ error }) => error)?.error ?? null
  }

  rowAt(index: number): DisplayedRow | undefined {
    const listed = this.count?.value ?? 0
    if (index >= this.recordCount) return this.drafts.rows[index - this.recordCount]?.row
    const record = index < listed ? this.cachedPage(Math.floor(index / pageSize))?.records[index % pageSize] : this.appended[index - listed]
    return record && this.toRow(record)
  }

  /** The index of a record, or -1 if it is not cached. */
  indexOf(key: string): number {
    const index = this.indexes.get(key) ?? -1
    if (this.rowAt(index)?.key === key) return index
    const at = this.appended.findIndex((record) => this.toRow(record).key === key)
    return at < 0 ? -1 : (this.count?.value ?? 0) + at
  }

  find(key: string): DisplayedRow | undefined {
    return this.rowAt(this.indexOf(key))
  }

  /** Replaces a record with a newer version of it. */
  replace(key: string, record: RecordValues) {
    this.newer.set(key, record)
    this.changes++
    this.notify()
  }

  readonly onRename = (listener: (key: string, now: string) => void) => {
    this.renameListeners.add(listener)
    return () => void this.renameListeners.delete(listener)
  }

  /** Gives a record its new key. The row stays in its place until the list is fetched again. */
  rename(key: string, now: string, record: RecordValues) {
    const index = this.indexOf(key)
    const at = index - (this.count?.value ?? 0)
    if (at >= 0) this.appended = this.appended.with(at, record)
    else if (index >= 0) {
      this.cachedPage(Math.floor(index / pageSize))!.records[index % pageSize] = record
      this.indexes.set(now, index)
    }
    for (const map of [this.indexes, this.newer, this.errors]) map.delete(key)
    this.renames++
    for (const listener of this.renameListeners) listener(key, now)
  }

  /** Sets messages by column. @param errors undefined removes the message of a column */
  setErrors(key: string, errors: Record<string, string | undefined>) {
    const all = Object.entries({ ...this.errors.get(key), ...errors }).filter((entry): entry is [string, string] => entry[1] !== undefined)
    all.length ? this.errors.set(key, Object.fromEntries(all)) : this.errors.delete(key)
    this.notify()
  }

  append(record: RecordValues) {
    this.appended = [...this.appended, record]
    this.changes++
    this.notify()
  }

  /** Sets values of a draft row and removes their messages. */
  setDraft(index: number, values: RecordValues) {
    this.drafts.merge(index - this.recordCount, values)
    this.notify()
  }

  /** Shows messages at the cells of a draft row. */
  markDraft(index: number, messages: Record<string, string>) {
    this.drafts.mark(index - this.recordCount, messages)
    this.notify()
  }

  /** Shows texts that are not sent, with the reasons. Also works for a draft row. */
  refuse(index: number, texts: RefusedTexts) {
    const row = this.rowAt(index)
    if (row?.key) return this.pending.refuse(row.key, texts)
    this.drafts.refuse(index - this.recordCount, texts)
    this.notify()
  }

  /** Fetches everything again and cancels pending requests. */
  reload() {
    // The prefetched page may be outdated.
    removeFirstPage(this.source.tableId, this.source.query)
    this.reset()
  }

  /** Fetches visible pages that have failed. */
  retry() {
    void queryClient.refetchQueries({ queryKey: this.queryKey, type: 'active', predicate: ({ state }) => state.status === 'error' })
  }

  /** Removes deleted records. Removing appended records does not reset the list. */
  removeRows(keys: readonly string[]) {
    const gone = new Set<string | null>(keys)
    const { length } = this.appended
    this.appended = this.appended.filter((record) => !gone.has(this.toRow(record).key))
    const others = keys.length - (length - this.appended.length)
    this.changes++
    if (others > 0) this.reset(others)
    else this.notify()
  }

  /** The loaded pages that are visible, and when the last one was fetched. */
  get shown(): { pages: Map<number, ListPage>; fetchedAt: number } {
    const states = this.visiblePages.map((page) => [page, queryClient.getQueryState<ListPage>([...this.queryKey, page])] as const)
    const pages = new Map(states.flatMap(([page, state]) => (state?.data ? [[page, state.data] as const] : [])))
    return { pages, fetchedAt: Math.max(0, ...states.map(([, state]) => state?.dataUpdatedAt ?? 0)) }
  }

  /** The keys of the records that were created here and are not on a page yet. */
  get created(): string[] {
    return this.appended.flatMap((record) => this.toRow(record).key ?? [])
  }

  get written(): WrittenRecords {
    return new Map(this.newer)
  }

  /**
   * Shows newer versions of visible pages. The other pages are fetched again when they become visible.
   * @param written the records that were written before the pages were requested: later ones are newer than the pages
   * @param count null if it was not requested
   */
  adopt(pages: ReadonlyMap<number, ListPage>, written: WrittenRecords, count: ExactCount | null) {
    const later = [...this.newer].filter(([key, record]) => written.get(key) !== record)
    const current = [...pages].map(([page, listPage]) => [page, { ...listPage, records: listPage.records.map(this.reuse) }] as const)
    const isChanged = current.some(([page, { records }]) => records.some((record, at) => record !== this.cachedPage(page)?.records[at]))
    // A long list that is not counted again is not summarized again either, unless a page has changed.
    if (isChanged || count) this.changes++
    for (const [page, listPage] of current) queryClient.setQueryData([...this.queryKey, page], this.addPage(page, listPage))
    for (const [key, record] of later) this.newer.set(key, record)
    if (count) this.setExactCount(count)
    const isOther = ({ queryKey }: { queryKey: readonly unknown[] }) => !pages.has(Number(queryKey.at(-1)))
    void queryClient.invalidateQueries({ queryKey: this.queryKey, refetchType: 'none', predicate: isOther })
    this.notify()
  }

  /** The cached record instead of an equal one, so that its row is not rendered again. */
  private readonly reuse = (fetched: RecordValues): RecordValues => {
    const key = recordKey(this.source.primaryKey, fetched) ?? ''
    const index = this.indexes.get(key) ?? -1
    const cached = this.newer.get(key) ?? this.cachedPage(Math.floor(index / pageSize))?.records[index % pageSize]
    return cached && isSameValue(cached, fetched) ? cached : fetched
  }

  /** Clears the pages and keeps the length, so that the grid does not jump while they are fetched again. */
  reset(gone = 0) {
    this.generation++
    this.changes++
    if (this.count) this.count = { value: Math.max(0, this.recordCount - gone), isExact: this.count.isExact }
    this.appended = []
    for (const map of [this.indexes, this.newer, this.errors]) map.clear()
    queryClient.removeQueries({ queryKey: this.queryKey })
    this.observer.setQueries(this.visiblePages.map(this.pageQuery))
    this.notify()
    void this.fetchExactCount()
  }

  /** Fetches the visible pages from now on. @returns closes the list */
  open(): () => void {
    const stop = this.observer.subscribe(() => {
      this.setVisibleRange(...this.visibleRange)
      this.notify()
    })
    if (this.isLoaded) removeFirstPage(this.source.tableId, this.source.query)
    this.setVisibleRange(...this.visibleRange)
    return () => {
      stop()
      queryClient.removeQueries({ queryKey: this.queryKey })
    }
  }

  /** Fetches the pages of these rows and cancels requests for other pages. */
  setVisibleRange(first: number, last: number) {
    this.visibleRange = [first, last]
    const [from, to] = [first, Math.min(last, (this.count?.value ?? 0) - 1)].map((index) => Math.floor(Math.max(0, index) / pageSize))
    const pages = Array.from({ length: to! - from! + 1 }, (_, at) => from! + at)
    if (pages.join() === this.visiblePages.join()) return
    this.visiblePages = pages
    this.observer.setQueries(pages.map(this.pageQuery))
  }

  /** All rows of a range, for the clipboard. @throws errors of the requests */
  async range(first: number, last: number): Promise<DisplayedRow[]> {
    const listed = this.count?.value ?? 0
    const rows: (DisplayedRow | undefined)[] = []
    for (let page = Math.floor(first / pageSize); page * pageSize < Math.min(last + 1, listed); page++) {
      const { records } = await queryClient.fetchQuery(this.pageQuery(page))
      const start = page * pageSize
      rows.push(...records.slice(Math.max(0, first - start), last + 1 - start).map((record) => this.toRow(record)))
    }
    for (let index = Math.max(first, listed); index <= last; index++) rows.push(this.rowAt(index))
    return rows.filter((row) => row !== undefined)
  }

  private readonly pageQuery = (page: number) => ({
    queryKey: [...this.queryKey, page],
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: gcTimeMs,
    structuralSharing: false,
    // `refreshList` does this, so that the selection and the visible part stay at their records.
    refetchOnWindowFocus: false,
    queryFn: async ({ signal }: { signal: AbortSignal }) => {
      const listPage = await this.fetchPage(page, signal)
      signal.throwIfAborted()
      return this.addPage(page, listPage)
    },
  })

  private cachedPage(page: number) {
    return queryClient.getQueryData<ListPage>([...this.queryKey, page])
  }

  private async fetchPage(page: number, signal: AbortSignal): Promise<ListPage> {
    const { tableId, query } = this.source
    if (page === 0 && !this.isLoaded) return takeFirstPage(tableId, query)
    // The previous page may be pending; without its cursor, the page is fetched by offset.
    const isBeforeVisible = this.visiblePages.includes(page - 1)
    const previous = isBeforeVisible ? await queryClient.fetchQuery(this.pageQuery(page - 1)).catch(() => null) : this.currentPage(page - 1)
    return this.requestPage(page, previous?.nextCursor, signal)
  }

  /** @param cursor from the previous page; without it, the page is fetched by offset */
  requestPage(page: number, cursor?: string | null, signal?: AbortSignal): Promise<ListPage> {
    const place = cursor ? `cursor=${encodeURIComponent(cursor)}` : page ? `offset=${page * pageSize}` : ''
    return this.request([`limit=${pageSize}`, place], signal)
  }

  /** A cached page, unless it is outdated. */
  private currentPage(page: number): ListPage | undefined {
    const { data, isInvalidated } = queryClient.getQueryState<ListPage>([...this.queryKey, page]) ?? {}
    return isInvalidated ? undefined : data
  }

  private addPage(page: number, listPage: ListPage): ListPage {
    const { records, totalCount } = listPage
    const end = page * pageSize + records.length
    for (const [at, record] of records.entries()) {
      const key = recordKey(this.source.primaryKey, record) ?? ''
      this.indexes.set(key, page * pageSize + at)
      this.newer.delete(key)
    }
    // A record that was created here may be on the page.
    this.appended = this.appended.filter((record) => !this.indexes.has(this.toRow(record).key ?? ''))
    // A short page is the last one, so it determines the exact count.
    if (records.length < pageSize && (records.length > 0 || page === 0)) this.count = { value: end, isExact: true }
    else if (totalCount !== undefined) {
      this.count = { value: Math.max(totalCount, end), isExact: false }
      void this.fetchExactCount(exactCountDelayMs)
    } else if (end > (this.count?.value ?? -1)) this.count = { value: end, isExact: false }
    return listPage
  }

  /** The row of a record; the same object until it changes, so that it is not rendered again. */
  private toRow(fetched: RecordValues): DisplayedRow {
    const before = this.rows.get(fetched)
    const key = before ? before.key : recordKey(this.source.primaryKey, fetched)
    const id = key ?? ''
    const row: DisplayedRow = { key, record: this.newer.get(id) ?? fetched, errors: this.errors.get(id), ...this.pending.pendingOf(key) }
    if (before && (['record', 'errors', 'pending', 'isUnsent', 'refused'] as const).every((name) => row[name] === before[name]))
      return before
    this.rows.set(fetched, row)
    return row
  }

  private async fetchExactCount(delayMs = 0) {
    this.counting++
    try {
      if (delayMs > 0) await new Promise((done) => setTimeout(done, delayMs))
      this.setExactCount(await countExactly(this.source, this.created))
    } catch {
      // Keep the estimate: an exact count may exceed the service's time limit.
    } finally {
      this.counting--
      this.notify()
    }
  }

  /** Created records are rows after the listed ones, even if the total counts them. */
  private setExactCount({ total, unlisted }: ExactCount) {
    this.count = { value: Math.max(0, total - Math.max(0, this.appended.length - unlisted)), isExact: true }
  }

  private request(parameters: string[], signal?: AbortSignal): Promise<ListPage> {
    return fetchPage(this.source.tableId, [this.source.query, ...parameters], signal)
  }

  notify() {
    this.version++
    for (const listener of this.listeners) listener()
  }
}
